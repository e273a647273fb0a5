/** @jsxImportSource hono/jsx */
// The incidents as the operator sees them: both languages, and a form for one more.

import { taipeiDateTime } from '../../../kit/taipei.ts';
import { dateTime } from '../../../site/format.ts';
import { Field } from '../../../site/parts/field.tsx';
import type { Incident } from '../../../store/rows.ts';
import { marksOf, TextField } from '../frame/field.tsx';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { consoleWords } from '../words/words.ts';

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
  const { incidents: words } = consoleWords(context.language);
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
        <button type="submit">{words.publish}</button>
      </form>
    </ConsolePage>
  );
}

function IncidentSheet({ context, incident }: { context: ConsoleContext; incident: Incident }) {
  const { incidents: words } = consoleWords(context.language);
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
            <button type="submit" class="quiet small">
              {words.end}
              <span class="unseen">: {titleEn}</span>
            </button>
          </form>
        ) : null}
        <a class="button quiet small" href={path}>
          {words.edit}
          <span class="unseen">: {titleEn}</span>
        </a>
        <a class="button quiet small" href={`${path}/delete`}>
          {words.remove}
          <span class="unseen">: {titleEn}</span>
        </a>
      </div>
    </li>
  );
}

interface EditProps extends Omit<IncidentsProps, 'incidents'> {
  incident: Incident;
}

export function EditIncidentPage({ context, incident, form, faults, notice }: EditProps) {
  const { incidents: words, frame } = consoleWords(context.language);
  return (
    <ConsolePage context={context} section="incidents" title={words.editTitle} notice={notice}>
      <form method="post" action={`/incidents/${incident.incidentId}`}>
        <IncidentFields context={context} form={form} faults={faults} incident={incident} />
        <div class="row">
          <button type="submit">{words.save}</button>
          <a class="button quiet" href="/incidents">
            {frame.cancel}
          </a>
        </div>
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
  const { incidents: words } = consoleWords(context.language);
  const started = incident ? fieldTime(incident.startedAt) : '';
  const ended = incident?.endedAt ? fieldTime(incident.endedAt) : '';
  const value = (name: 'titleEn' | 'titleZh' | 'textEn' | 'textZh') => form.get(name) ?? incident?.[name] ?? '';
  return (
    <>
      <div class="pair">
        {(['titleZh', 'titleEn'] as const).map((name) => (
          <TextField
            name={name}
            label={words[name]}
            value={value(name)}
            maxLength={200}
            isRequired
            fault={faults[name]}
          />
        ))}
        {(['textZh', 'textEn'] as const).map((name) => (
          <Field name={name} label={words[name]} help={words.textHelp} fault={faults[name]}>
            <textarea id={name} name={name} rows={4} maxlength={4_000} {...marksOf(name, faults[name])}>
              {`\n${value(name)}`}
            </textarea>
          </Field>
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
      <input type="hidden" name="endedBefore" value={form.get('endedBefore') ?? ended} />
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
