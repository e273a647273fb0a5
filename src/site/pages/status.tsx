/** @jsxImportSource hono/jsx */
// The state of every model and channel, and the operator's incidents.

import { Fragment } from 'hono/jsx';
import type { ChannelStatus, ModelStatus, PublicStatus } from '../../catalog/publishing/public-status.ts';
import type { Incident } from '../../store/rows.ts';
import { dateTime, milliseconds, percent, withGap } from '../format.ts';
import { LANGUAGES, type Language, wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { DayBars, DayBarsLegend, State, type StateName } from '../parts/state.tsx';
import { figure, Table } from '../parts/table.tsx';
import { modelPath } from './model-facts.ts';

export function StatusPage({ context, facts }: { context: PageContext; facts: PublicStatus }) {
  const { language } = context;
  const { status } = wordsOf(language);
  const ongoing = facts.incidents.filter(isOngoing);
  const ended = facts.incidents.filter((incident) => !isOngoing(incident));
  const figures = [status.success, status.firstToken, status.whole].map(figure);
  return (
    <Page context={context} title={status.title} description={status.lead} languages={LANGUAGES}>
      <h1>{status.title}</h1>
      <p class="lead">{status.lead}</p>
      <div class="status-banner">
        {summaryOf(language, facts).map((line) => (
          <Summary language={language} line={line} />
        ))}
        <p class="faint">{status.updated(dateTime(facts.at))}</p>
      </div>
      {ongoing.length > 0 ? <h2>{status.ongoingIncidents}</h2> : null}
      <Incidents language={language} incidents={ongoing} />
      {ongoing.length > 0 ? <h2>{status.models}</h2> : null}
      <Table
        label={status.title}
        columns={[status.model, status.channel, status.now, ...figures, status.days]}
        class="stack is-status"
      >
        {facts.models.map((model) => (
          <ModelRows language={language} model={model} />
        ))}
      </Table>
      <DayBarsLegend language={language} />
      <p class="faint">
        {withGap(status.measured)}
        <a href="/api/public/status">{status.machines}</a>
      </p>
      {ended.length > 0 || ongoing.length === 0 ? <h2>{status.incidents}</h2> : null}
      {facts.incidents.length === 0 ? <p class="empty">{status.noIncidents}</p> : null}
      <Incidents language={language} incidents={ended} />
    </Page>
  );
}

function Summary({ language, line }: { language: Language; line: SummaryLine }) {
  const { comma } = wordsOf(language).pricing;
  return (
    <p class="status-line">
      <strong class={`state is-sentence ${line.state}`}>
        {line.before}
        {line.models.map((id, index) => (
          <Fragment>
            {index > 0 ? comma : ''}
            <a class="id" href={`#${rowId(id)}`}>
              {id}
            </a>
          </Fragment>
        ))}
        {line.after}
      </strong>
    </p>
  );
}

function rowId(model: string): string {
  return `model-${model}`;
}

function Incidents({ language, incidents }: { language: Language; incidents: readonly Incident[] }) {
  return incidents.map((incident) => {
    const { title, times, text } = incidentText(language, incident);
    return (
      <article>
        <h3>{title}</h3>
        <p class="faint">{times}</p>
        {text === '' ? null : <p class="as-written">{text}</p>}
      </article>
    );
  });
}

/** A model that one channel serves is as well as that one: a single row shows both. */
function ModelRows({ language, model }: { language: Language; model: ModelStatus }) {
  const { status } = wordsOf(language);
  const [only, ...others] = model.channels;
  if (only && others.length === 0) return <ChannelRow language={language} model={model} channel={only} isOnly />;
  return (
    <>
      <tr id={rowId(model.id)}>
        <th scope="row" class="what id">
          <a href={modelPath(model.id)}>{model.id}</a>
        </th>
        <td class="by faint">{status.channels(model.channels.length)}</td>
        <td class="how">
          <strong>
            <State language={language} state={model.state} />
          </strong>
        </td>
        <td class="none" colspan={4} />
      </tr>
      {model.channels.map((channel) => (
        <ChannelRow language={language} model={model} channel={channel} />
      ))}
    </>
  );
}

/** Unknown values are not shown where a row becomes lines. */
function figureLook(name: string, value: number | null): string {
  return `right number ${name}${value === null ? ' none' : ''}`;
}

interface RowProps {
  language: Language;
  model: ModelStatus;
  channel: ChannelStatus;
  isOnly?: boolean;
}

function ChannelRow({ language, model, channel, isOnly = false }: RowProps) {
  const { status } = wordsOf(language);
  return (
    <tr {...(isOnly ? { id: rowId(model.id) } : { class: 'is-part' })}>
      <th scope="row" class="what id">
        {isOnly ? <a href={modelPath(model.id)}>{model.id}</a> : <span class="unseen">{model.id}</span>}
      </th>
      <td class="by id" data-label={status.channel}>
        {channel.name}
      </td>
      <td class="how">
        <State language={language} state={channel.state} />
      </td>
      <td class={figureLook('rate', channel.lastHour.successRate)} data-label={status.success}>
        {percent(channel.lastHour.successRate)}
      </td>
      <td class={figureLook('first', channel.lastHour.firstTokenMs.p50)} data-label={status.firstToken}>
        {milliseconds(channel.lastHour.firstTokenMs.p50)}
      </td>
      <td class={figureLook('total', channel.lastHour.wholeMs.p50)} data-label={status.whole}>
        {milliseconds(channel.lastHour.wholeMs.p50)}
      </td>
      <td class="days">
        <DayBars language={language} days={channel.days} />
      </td>
    </tr>
  );
}

/** A sentence that may name models: the text before them, the models, and the text after. */
interface SummaryLine {
  state: StateName;
  before: string;
  models: readonly string[];
  after: string;
}

/** More are counted: the table has them all. */
const MAX_NAMED = 3;

interface Summarized {
  models: readonly { id: string; state: StateName }[];
  incidents: readonly Pick<Incident, 'endedAt'>[];
}

/**
 * A line or two: which models do not work, and the operator's incidents. The figures are what this process saw since it started: of a model that it knows nothing of, nothing is claimed, not even
 * that it had no traffic. While an incident goes on, nothing is said to be well.
 */
export function summaryOf(language: Language, { models, incidents }: Summarized): SummaryLine[] {
  const { status, account } = wordsOf(language);
  const idsIn = (wanted: StateName) => models.filter(({ state }) => state === wanted).map(({ id }) => id);
  const problem = (state: 'down' | 'degraded', words: (count: number) => string): SummaryLine[] => {
    const ids = idsIn(state);
    if (ids.length === 0) return [];
    const more = ids.length - MAX_NAMED;
    return [
      {
        state,
        before: words(ids.length) + account.colon,
        models: ids.slice(0, MAX_NAMED),
        after: more > 0 ? status.andMore(more) : status.stop,
      },
    ];
  };
  const said = (state: StateName, before: string): SummaryLine[] => [{ state, before, models: [], after: '' }];
  const problems = [...problem('down', status.downModels), ...problem('degraded', status.degradedModels)];
  if (problems.length > 0) return problems;
  if (incidents.some(isOngoing)) return said('degraded', status.incidentGoesOn);
  const unknown = idsIn('unknown').length;
  if (unknown === models.length) return said('unknown', status.nothingKnown);
  return said('operational', unknown === 0 ? status.allWork : status.noProblem);
}

export function summaryText(language: Language, { before, models, after }: SummaryLine): string {
  return before + models.join(wordsOf(language).pricing.comma) + after;
}

export function isOngoing({ endedAt }: Pick<Incident, 'endedAt'>): boolean {
  return endedAt === null;
}

/** In the words that its writer has for a language. */
export function incidentText(language: Language, incident: Incident): Record<'title' | 'times' | 'text', string> {
  const { startedAt, endedAt, titleEn, titleZh, textEn, textZh } = incident;
  const [title, text] = language === 'en' ? [titleEn, textEn] : [titleZh, textZh];
  const end = endedAt === null ? wordsOf(language).status.ongoing : dateTime(endedAt);
  return { title, times: `${dateTime(startedAt)} – ${end}`, text };
}
