/** @jsxImportSource hono/jsx */
// All channels: the state of each, now and by the hour.

import { stateOf } from '../../../catalog/publishing/status-states.ts';
import { count, milliseconds, percent } from '../../../site/format.ts';
import { type Language, wordsOf } from '../../../site/language.ts';
import { IdLink, LinkButton } from '../../../site/parts/button.tsx';
import { Bars, type StateName } from '../../../site/parts/state.tsx';
import { DataTable, figure, Under } from '../../../site/parts/table.tsx';
import { type ChannelView, listChannels } from '../../actions/channels.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { ConsoleVisit } from '../visits.tsx';
import { consoleWords } from '../words/words.ts';

export async function showChannels({ page: context, show, tools }: ConsoleVisit): Promise<Response> {
  const { channels: words } = context.words;
  return show(
    <ConsolePage context={context} section="channels" title={words.title} lead={words.lead}>
      <p>
        <LinkButton href="/connect" text={words.add} />
      </p>
      <ChannelTable context={context} channels={await listChannels(tools)} none={words.none} />
      <p class="faint">{words.thisNode}</p>
    </ConsolePage>,
  );
}

interface ChannelTableProps {
  context: ConsoleContext;
  channels: readonly ChannelView[];
  none?: string;
}

export function ChannelTable({ context, channels, none }: ChannelTableProps) {
  const { language } = context;
  const { channels: said } = consoleWords(language);
  return (
    <DataTable
      label={said.title}
      {...(none === undefined ? {} : { none })}
      columns={[
        said.name,
        said.state,
        said.heads.byHour,
        figure(said.heads.success),
        figure(said.heads.firstToken),
        figure(said.heads.requests),
        figure(said.models),
      ]}
      caption={said.heads.caption}
      isCompact
      rows={channels.map((channel) => {
        const { requests, successRate, firstTokenMs } = channel.last24Hours;
        return [
          <Under
            of={<IdLink href={channelPath(channel.name)} text={channel.name} />}
            text={channel.baseUrlHost || channel.kind}
          />,
          <ChannelStateMark language={language} channel={channel} />,
          <SuccessBars language={language} channel={channel} />,
          percent(successRate),
          <>
            {atMost(firstTokenMs.p50)}
            {firstTokenMs.p95 === null ? null : <span class="under">p95 {atMost(firstTokenMs.p95)}</span>}
          </>,
          count(requests),
          count(channel.models.length),
        ];
      })}
    />
  );
}

/** A time of stored hours: an upper bound, not a value. */
export function atMost(ms: number | null): string {
  return ms === null ? milliseconds(ms) : `≤ ${milliseconds(ms)}`;
}

export function channelPath(name: string): string {
  return `/channels/${encodeURIComponent(name)}`;
}

/** In the words of the public status, with the reason where there is one. */
export function channelState(
  channel: ChannelView,
  language: Language,
): { state: StateName; text: string; why?: string } {
  const { channels } = consoleWords(language);
  if (!channel.enabled) return { state: 'unknown', text: channels.off };
  const { state, breakers } = channel;
  const text = wordsOf(language).status[state];
  const open = breakers.filter((breaker) => breaker.state === 'open').length;
  if (open > 0) return { state, text, why: channels.open(open) };
  if (breakers.some((breaker) => breaker.state === 'probing')) return { state, text, why: channels.probing };
  const isFailing = state === 'degraded' || state === 'down';
  return isFailing ? { state, text, why: channels.failing(percent(channel.lastHour.successRate)) } : { state, text };
}

export function ChannelStateMark({ language, channel }: ChartProps) {
  const { state, text, why } = channelState(channel, language);
  const mark = <span class={`state ${state}`}>{text}</span>;
  return why === undefined ? mark : <Under of={mark} text={why} />;
}

export function needsAttention({ enabled, state }: ChannelView): boolean {
  return enabled && (state === 'down' || state === 'degraded');
}

interface ChartProps {
  language: Language;
  channel: ChannelView;
}

/** The page of the channel says more of each hour. */
function SuccessBars({ language, channel }: ChartProps) {
  const { channels } = consoleWords(language);
  const { requests, successRate } = channel.last24Hours;
  const bars = channel.hours.map(({ successRate: rate }) => {
    const state = stateOf(rate);
    // An hour that failed must not look like one without traffic.
    return { height: state === 'down' ? 1 : rate, kind: state === 'unknown' ? 'operational' : state } as const;
  });
  return <Bars bars={bars} label={channels.successLabel(percent(successRate), count(requests))} />;
}
