/** @jsxImportSource hono/jsx */
// How every model and channel is doing, and what the operator has to say about it.

import { dateTime, milliseconds, percent } from '../format.ts';
import { LANGUAGES, type Language, wordsOf } from '../language.ts';
import { Page, type PageContext } from '../page.tsx';
import { DayBars } from '../parts/day-bars.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { State, type StateName } from '../parts/state.tsx';

export interface ChannelFacts {
  name: string;
  state: StateName;
  successRate: number | null;
  firstTokenMs: number | null;
  totalMs: number | null;
  days: readonly { day: string; state: StateName }[];
}

export interface ModelFacts {
  id: string;
  state: StateName;
  channels: readonly ChannelFacts[];
}

export interface IncidentFacts {
  startedAt: number;
  endedAt: number | null;
  title: Record<Language, string>;
  text: Record<Language, string>;
}

export interface StatusFacts {
  at: number;
  models: readonly ModelFacts[];
  incidents: readonly IncidentFacts[];
}

export interface Summary {
  text: string;
  state: StateName;
}

/**
 * In one sentence whether the models work, and the worst state that it tells of. The figures are what this process saw since
 * it started: of a model that it knows nothing of, nothing is claimed, not even that it had no traffic. While an incident goes
 * on, nothing is said to be well.
 */
export function summaryOf(
  language: Language,
  { models, incidents }: Pick<StatusFacts, 'models' | 'incidents'>,
): Summary {
  const { status } = wordsOf(language);
  const count = (state: StateName) => models.filter((model) => model.state === state).length;
  const [down, degraded, unknown] = [count('down'), count('degraded'), count('unknown')];
  const [isDown, isDegraded] = [status.downModels(down), status.degradedModels(degraded)];
  if (down > 0) return { text: degraded > 0 ? status.sentences(isDown, isDegraded) : isDown, state: 'down' };
  if (degraded > 0) return { text: isDegraded, state: 'degraded' };
  if (incidents.some(isOngoing)) return { text: status.incidentGoesOn, state: 'degraded' };
  if (unknown === models.length) return { text: status.nothingKnown, state: 'unknown' };
  return { text: unknown === 0 ? status.allWork : status.noTrouble, state: 'operational' };
}

export function isOngoing({ endedAt }: IncidentFacts): boolean {
  return endedAt === null;
}

export function StatusPage({ context, facts }: { context: PageContext; facts: StatusFacts }) {
  const { language } = context;
  const { status } = wordsOf(language);
  const summary = summaryOf(language, facts);
  const ongoing = facts.incidents.filter(isOngoing);
  const ended = facts.incidents.filter((incident) => !isOngoing(incident));
  return (
    <Page context={context} title={status.title} description={status.lead} languages={LANGUAGES}>
      <h1>{status.title}</h1>
      <p class="lead">{status.lead}</p>
      <p>
        <strong class={`state may-wrap ${summary.state}`}>{summary.text}</strong>
      </p>
      {ongoing.length > 0 ? <h2>{status.ongoingIncidents}</h2> : null}
      <Incidents language={language} incidents={ongoing} />
      {ongoing.length > 0 ? <h2>{status.models}</h2> : null}
      <Scroll label={status.title}>
        <table class="stack is-status">
          <thead>
            <tr>
              <th scope="col">{status.model}</th>
              <th scope="col">{status.channel}</th>
              <th scope="col">{status.now}</th>
              <th scope="col" class="right">
                {status.success}
              </th>
              <th scope="col" class="right">
                {status.firstToken}
              </th>
              <th scope="col" class="right">
                {status.total}
              </th>
              <th scope="col">{status.days}</th>
            </tr>
          </thead>
          <tbody>
            {facts.models.map((model) => (
              <ModelRows language={language} model={model} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="faint">
        {status.legend} {status.updated(dateTime(facts.at))} <a href="/api/public/status">{status.machines}</a>
      </p>
      {ended.length > 0 || ongoing.length === 0 ? <h2>{status.incidents}</h2> : null}
      {facts.incidents.length === 0 ? <p class="empty">{status.noIncidents}</p> : null}
      <Incidents language={language} incidents={ended} />
    </Page>
  );
}

function Incidents({ language, incidents }: { language: Language; incidents: readonly IncidentFacts[] }) {
  const { status } = wordsOf(language);
  return incidents.map((incident) => (
    <article>
      <h3>{incident.title[language]}</h3>
      <p class="faint">
        {dateTime(incident.startedAt)} – {incident.endedAt === null ? status.ongoing : dateTime(incident.endedAt)}
      </p>
      {incident.text[language] === '' ? null : <p class="as-written">{incident.text[language]}</p>}
    </article>
  ));
}

/** A model that one channel serves is as well as that one: a single row tells both. */
function ModelRows({ language, model }: { language: Language; model: ModelFacts }) {
  const { status } = wordsOf(language);
  const [only, ...others] = model.channels;
  if (only && others.length === 0) return <ChannelRow language={language} model={model} channel={only} isOnly />;
  return (
    <>
      <tr>
        <th scope="row" class="what id">
          {model.id}
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

interface RowProps {
  language: Language;
  model: ModelFacts;
  channel: ChannelFacts;
  isOnly?: boolean;
}

function ChannelRow({ language, model, channel, isOnly = false }: RowProps) {
  const { status } = wordsOf(language);
  return (
    <tr>
      <th scope="row" class="what id">
        {isOnly ? model.id : <span class="faint">{model.id}</span>}
      </th>
      <td class="by id" data-label={status.channel}>
        {channel.name}
      </td>
      <td class="how">
        <State language={language} state={channel.state} />
      </td>
      <td class="right number rate" data-label={status.success}>
        {percent(channel.successRate)}
      </td>
      <td class="right number first" data-label={status.firstToken}>
        {milliseconds(channel.firstTokenMs)}
      </td>
      <td class="right number total" data-label={status.total}>
        {milliseconds(channel.totalMs)}
      </td>
      <td class="days">
        <DayBars language={language} days={channel.days} />
      </td>
    </tr>
  );
}
