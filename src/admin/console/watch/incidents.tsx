/** @jsxImportSource hono/jsx */
// The incidents as the operator sees them: both languages, and a form for one more.

import { taipeiDateTime } from '../../../kit/taipei.ts';
import { dateTime } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { LinkButton, Submit, SubmitRow } from '../../../site/parts/button.tsx';
import { Hidden, TextArea, TextField } from '../../../site/parts/field.tsx';
import type { Incident } from '../../../store/rows.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';

interface IncidentsProps {
  context: ConsoleContext;
  incidents: readonly Incident[];
  /** What was sent and refused, else empty. */
  form: URLSearchParams;
  /** What is wrong with it, by the names of its fields. */
  faults?: IncidentFaults | undefined;
  notice?: Notice | undefined;
}

export type IncidentFaults = Readonly<Record<string, string>>;

export function IncidentsPage({ context, incidents, form, faults, notice }: IncidentsProps) {
  const { incidents: words } = context.words;
  return (
    <ConsolePage context={context} section="incidents" title={words.title} lead={words.lead} notice={notice}>
      {incidents.length === 0 ? <p class="empty">{words.none}</p> : null}
      <ul class="sheets">
        {incidents.map((incident) => (
          <IncidentSheet context={context} incident={incident} />
        ))}
      </ul>
      <h2>{words.create}</h2>
      <form method="post" action="/incidents">
        <IncidentFields context={context} form={form} faults={faults} />
        <Submit text={words.publish} />
      </form>
    </ConsolePage>
  );
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

interface EditProps extends Omit<IncidentsProps, 'incidents'> {
  incident: Incident;
}

export function EditIncidentPage({ context, incident, form, faults, notice }: EditProps) {
  const { incidents: words, frame } = context.words;
  return (
    <ConsolePage context={context} section="incidents" title={words.editTitle} notice={notice}>
      <form method="post" action={`/incidents/${incident.incidentId}`}>
        <IncidentFields context={context} form={form} faults={faults} incident={incident} />
        <SubmitRow text={words.save} back="/incidents" backText={frame.cancel} />
      </form>
    </ConsolePage>
  );
}

interface FieldsProps {
  context: ConsoleContext;
  form: URLSearchParams;
  faults: IncidentFaults | undefined;
  incident?: Incident;
}

function IncidentFields({ context, form, faults = {}, incident }: FieldsProps) {
  const { incidents: words } = context.words;
  const started = incident ? fieldTime(incident.startedAt) : '';
  const ended = incident?.endedAt ? fieldTime(incident.endedAt) : '';
  const field = (name: 'titleEn' | 'titleZh' | 'textEn' | 'textZh') => ({
    name,
    value: form.get(name) ?? incident?.[name] ?? '',
    fault: faults[name],
  });
  return (
    <>
      <div class="pair">
        {(['titleZh', 'titleEn'] as const).map((name) => (
          <TextField {...field(name)} label={words[name]} maxlength={200} required />
        ))}
        {(['textZh', 'textEn'] as const).map((name) => (
          <TextArea {...field(name)} label={words[name]} help={words.textHelp} rows={4} maxlength={4_000} />
        ))}
      </div>
      <TextField
        name="started"
        label={words.started}
        help={incident ? words.startedKept : words.startedHelp}
        fault={faults.started}
        type="datetime-local"
        value={form.get('started') ?? started}
      />
      <Hidden fields={{ endedBefore: form.get('endedBefore') ?? ended }} />
      <TextField
        name="ended"
        label={words.endedAt}
        help={words.endedHelp}
        fault={faults.ended}
        type="datetime-local"
        value={form.get('ended') ?? ended}
      />
    </>
  );
}

function fieldTime(at: number): string {
  return taipeiDateTime(at).replace(' ', 'T');
}
