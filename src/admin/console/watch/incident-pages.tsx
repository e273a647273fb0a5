/** @jsxImportSource hono/jsx */
// Incidents, in both languages: publish, change, end and delete them.

import { taipeiDateTime } from '../../../kit/taipei.ts';
import { dateTime } from '../../../site/format.ts';
import { LinkButton, Submit, SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden, TextArea, TextField } from '../../../site/parts/field.tsx';
import { typed, typedLines, wholeNumber } from '../../../site/read-form.ts';
import type { Incident } from '../../../store/rows.ts';
import { deleteIncident, endIncident, listIncidents, putIncident } from '../../actions/incidents.ts';
import { notFound, OperatingRefused } from '../../actions/refused.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { Pager, pageIn } from '../pager.tsx';
import { type Faults, type FormProps, fieldsIn, refusalNotice, refusalStatus, type Shown } from '../refused.ts';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';

const SHOWN = 20;
const MINUTES = '2026-11-15T09:30'.length;

export function addIncidentPages(visits: ConsoleVisits): void {
  visits.get('/incidents', showAll);
  visits.post('/incidents', (visit) => put(visit, undefined));
  visits.get('/incidents/:id', (visit) => showOne(visit));
  visits.post('/incidents/:id', async (visit) => put(visit, (await find(visit)).incidentId));
  visits.post('/incidents/:id/end', async (visit) => {
    await endIncident(visit.tools, visit.params.id ?? '', ACTOR);
    return done(visit, 'ended');
  });
  visits.get('/incidents/:id/delete', async (visit) => {
    const { incidents: words } = visit.page.words;
    const incident = await find(visit);
    return visit.ask({
      section: 'incidents',
      title: words.askRemove,
      consequences: [`${incident.titleZh} · ${incident.titleEn}`, words.removeText],
      action: `/incidents/${incident.incidentId}/delete`,
      button: words.remove,
      back: '/incidents',
    });
  });
  visits.post('/incidents/:id/delete', async (visit) => {
    await deleteIncident(visit.tools, visit.params.id ?? '', ACTOR);
    return done(visit, 'removed');
  });
}

function done(visit: ConsoleVisit, what: 'published' | 'ended' | 'removed'): Response {
  return visit.goWith('/incidents', { notice: { text: visit.page.words.incidents[what] } });
}

async function find({ tools, params }: ConsoleVisit): Promise<Incident> {
  const found = (await listIncidents(tools)).find(({ incidentId }) => incidentId === params.id);
  if (!found) throw notFound('incident');
  return found;
}

async function showAll(visit: ConsoleVisit, { status = 200, notice, faults }: Shown = {}): Promise<Response> {
  const all = await listIncidents(visit.tools);
  const part = pageIn(wholeNumber(visit.url.searchParams, 'page'), SHOWN, all.length);
  const incidents = all.slice(part.from, part.from + SHOWN);
  const context = { ...visit.page, path: '/incidents', query: '' };
  const { incidents: words } = context.words;
  return visit.show(
    <ConsolePage context={context} section="incidents" title={words.title} lead={words.lead} notice={notice}>
      {incidents.length === 0 ? <p class="empty">{words.none}</p> : null}
      <ul class="sheets">
        {incidents.map((incident) => (
          <IncidentSheet context={context} incident={incident} />
        ))}
      </ul>
      <Pager context={context} path="/incidents" {...part} />
      <h2>{words.create}</h2>
      <form method="post" action="/incidents">
        <IncidentFields {...{ context, form: visit.form, faults }} />
        <Submit text={words.publish} />
      </form>
    </ConsolePage>,
    { status },
  );
}

async function showOne(visit: ConsoleVisit, { status = 200, notice, faults }: Shown = {}): Promise<Response> {
  const { page: context, form } = visit;
  const { incidents: words, frame } = context.words;
  const incident = await find(visit);
  return visit.show(
    <ConsolePage context={context} section="incidents" title={words.editTitle} notice={notice}>
      <form method="post" action={`/incidents/${incident.incidentId}`}>
        <IncidentFields {...{ context, form, faults, incident }} />
        <SubmitRow text={words.save} back="/incidents" backText={frame.cancel} />
      </form>
    </ConsolePage>,
    { status },
  );
}

async function put(visit: ConsoleVisit, incidentId: string | undefined): Promise<Response> {
  const { form } = visit;
  const [textEn, textZh] = [typedLines(form, 'textEn').trim(), typedLines(form, 'textZh').trim()];
  const [started, ended] = [typed(form, 'started'), typed(form, 'ended')];
  try {
    await putIncident(visit.tools, {
      titleEn: typed(form, 'titleEn'),
      titleZh: typed(form, 'titleZh'),
      textEn: textEn || undefined,
      textZh: textZh || undefined,
      started: started === '' ? undefined : toTime(started),
      // Untouched fields stay, also if another operator ended it meanwhile.
      ...(ended === typed(form, 'endedBefore') ? {} : { ended: ended === '' ? null : toTime(ended) }),
      ...(incidentId === undefined ? {} : { incidentId }),
      actor: ACTOR,
    });
    return done(visit, 'published');
  } catch (error) {
    if (!(error instanceof OperatingRefused)) throw error;
    return (incidentId === undefined ? showAll : showOne)(visit, showRefusal(visit, error));
  }
}

/** Beside the field that is wrong, if it is one. */
function showRefusal({ form, page }: ConsoleVisit, refused: OperatingRefused): Shown {
  const { incidents: words, refusals } = page.words;
  const texts: Faults = {
    titleEn: words.wrongTitle,
    titleZh: words.wrongTitle,
    textEn: words.wrongText,
    textZh: words.wrongText,
    started: typed(form, 'started') === '' ? words.missingStart : words.wrongStart,
    ended: words.wrongEnd,
  };
  const { field = '' } = refused.facts;
  const text = texts[field];
  const status = refusalStatus(refused);
  if (text === undefined) return { notice: refusalNotice(page.language, refused), status };
  return { notice: { text: refusals.invalid, isBad: true }, faults: { [field]: text }, status };
}

/** A browser sends the time to the minute, without its zone, which is Taipei's. */
function toTime(typedTime: string): string {
  return `${typedTime.slice(0, MINUTES)}:00+08:00`;
}

function IncidentSheet({ context, incident }: { context: ConsoleContext; incident: Incident }) {
  const { incidents: words } = context.words;
  const { incidentId, titleZh, titleEn, textZh, textEn, startedAt, endedAt } = incident;
  const path = `/incidents/${incidentId}`;
  return (
    <li>
      <h2>
        <span lang="zh-TW">{titleZh}</span> · <span lang="en">{titleEn}</span>
      </h2>
      <p class="faint">
        {dateTime(startedAt)} – {endedAt === null ? <strong class="bad">{words.ongoing}</strong> : dateTime(endedAt)}
      </p>
      {textZh ? (
        <p class="as-written" lang="zh-TW">
          {textZh}
        </p>
      ) : null}
      {textEn ? (
        <p class="as-written" lang="en">
          {textEn}
        </p>
      ) : null}
      <div class="row">
        {endedAt === null ? (
          <form method="post" action={`${path}/end`}>
            <Submit look="quiet small" text={words.end} about={`: ${titleEn}`} />
          </form>
        ) : null}
        <LinkButton look="quiet small" href={path} text={words.edit} about={`: ${titleEn}`} />
        <LinkButton look="quiet small" href={`${path}/delete`} text={words.remove} about={`: ${titleEn}`} />
      </div>
    </li>
  );
}

function IncidentFields({ context, form, faults, incident }: FormProps & { incident?: Incident }) {
  const { incidents: words } = context.words;
  const ended = incident?.endedAt ? fieldTime(incident.endedAt) : '';
  const field = fieldsIn({ form, faults });
  return (
    <>
      <div class="pair">
        {(['titleZh', 'titleEn'] as const).map((name) => (
          <TextField {...field(name, incident?.[name])} label={words[name]} maxlength={200} required />
        ))}
        {(['textZh', 'textEn'] as const).map((name) => (
          <TextArea
            {...field(name, incident?.[name])}
            label={words[name]}
            help={words.textHelp}
            rows={4}
            maxlength={4_000}
          />
        ))}
      </div>
      <TextField
        {...field('started', incident && fieldTime(incident.startedAt))}
        label={words.started}
        help={incident ? words.startedKept : words.startedHelp}
        type="datetime-local"
      />
      <Hidden fields={{ endedBefore: form.get('endedBefore') ?? ended }} />
      <TextField {...field('ended', ended)} label={words.endedAt} help={words.endedHelp} type="datetime-local" />
    </>
  );
}

function fieldTime(at: number): string {
  return taipeiDateTime(at).replace(' ', 'T');
}
