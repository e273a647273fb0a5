/** @jsxImportSource hono/jsx */
// How every model and channel is doing, and what the operator has to say about it.

import { dateTime, milliseconds, percent } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
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

export function StatusPage({ context, facts }: { context: PageContext; facts: StatusFacts }) {
  const { language } = context;
  const { status } = wordsOf(language);
  return (
    <Page context={context} title={status.title} description={status.lead}>
      <h1>{status.title}</h1>
      <p class="lead">{status.lead}</p>
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
            {facts.models.flatMap((model) =>
              model.channels.map((channel, index) => (
                <Row language={language} model={model} channel={channel} isFirst={index === 0} />
              )),
            )}
          </tbody>
        </table>
      </Scroll>
      <p class="faint">
        {status.legend} {status.updated(dateTime(facts.at))} <a href="/api/public/status">{status.machines}</a>
      </p>
      <h2>{status.incidents}</h2>
      {facts.incidents.length === 0 ? <p class="empty">{status.noIncidents}</p> : null}
      {facts.incidents.map((incident) => (
        <article>
          <h3>{incident.title[language]}</h3>
          <p class="faint">
            {dateTime(incident.startedAt)} – {incident.endedAt === null ? status.ongoing : dateTime(incident.endedAt)}
          </p>
          <p class="as-written">{incident.text[language]}</p>
        </article>
      ))}
    </Page>
  );
}

interface RowProps {
  language: Language;
  model: ModelFacts;
  channel: ChannelFacts;
  isFirst: boolean;
}

function Row({ language, model, channel, isFirst }: RowProps) {
  const { status } = wordsOf(language);
  return (
    <tr>
      <th scope="row" class="what id">
        {isFirst ? model.id : <span class="faint">{model.id}</span>}
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
