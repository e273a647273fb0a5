/** @jsxImportSource hono/jsx */
// All channels: the state of each, now and by the hour.

import { count, dateTime, milliseconds, percent } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import type { Language } from '../../../site/language.ts';
import { Bars } from '../../../site/parts/bars.tsx';
import { IdLink, LinkButton } from '../../../site/parts/button.tsx';
import type { StateName } from '../../../site/parts/state.tsx';
import { DataTable, figure, Under } from '../../../site/parts/table.tsx';
import type { ChannelView } from '../../actions/channels.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { type ConsoleWords, consoleWords } from '../words/words.ts';

interface ChannelsProps {
  context: ConsoleContext;
  channels: readonly ChannelView[];
  notice?: Notice | undefined;
}

export function ChannelsPage({ context, channels, notice }: ChannelsProps) {
  const { channels: words } = context.words;
  return (
    <ConsolePage context={context} section="channels" title={words.title} lead={words.lead} notice={notice}>
      <ChannelTable context={context} channels={channels} none={words.none} />
      <p>
        <LinkButton href="/connect" text={words.add} />
      </p>
      <p class="faint">{words.thisNode}</p>
    </ConsolePage>
  );
}

export function ChannelTable({ context, channels, none }: Omit<ChannelsProps, 'notice'> & { none?: string }) {
  const { language } = context;
  const words = consoleWords(language);
  const { channels: said } = words;
  return (
    <DataTable
      label={said.title}
      {...(none === undefined ? {} : { none })}
      columns={[
        said.name,
        said.state,
        said.successChart,
        figure(said.success),
        figure(said.firstToken),
        figure(said.requests),
        figure(said.models),
      ]}
      rows={channels.map((channel) => {
        const { state, text } = channelState(channel, words);
        const { requests, successRate, firstTokenMs } = channel.last24Hours;
        return [
          <Under
            of={<IdLink href={channelPath(channel.name)} text={channel.name} />}
            text={channel.baseUrlHost || channel.kind}
          />,
          <span class={`state ${state}`}>{text}</span>,
          <SuccessBars language={language} channel={channel} isSmall />,
          percent(successRate),
          <>
            {milliseconds(firstTokenMs.p50)}
            {firstTokenMs.p95 === null ? null : <span class="under">p95 {milliseconds(firstTokenMs.p95)}</span>}
          </>,
          count(requests),
          count(channel.models.length),
        ];
      })}
    />
  );
}

export function channelPath(name: string): string {
  return `/channels/${encodeURIComponent(name)}`;
}

const HEALTHY_RATE = 0.95;

export function channelState(channel: ChannelView, { channels }: ConsoleWords): { state: StateName; text: string } {
  if (!channel.enabled) return { state: 'unknown', text: channels.off };
  const open = channel.breakers.filter(({ state }) => state === 'open').length;
  if (open > 0) return { state: 'down', text: channels.open(open) };
  if (channel.breakers.some(({ state }) => state === 'probing')) return { state: 'degraded', text: channels.probing };
  const rate = channel.lastHour.successRate ?? channel.last24Hours.successRate;
  if (rate === null) return { state: 'unknown', text: channels.idle };
  return rate < HEALTHY_RATE
    ? { state: 'degraded', text: channels.failing }
    : { state: 'operational', text: channels.on };
}

export function needsAttention(channel: ChannelView, words: ConsoleWords): boolean {
  const { state } = channelState(channel, words);
  return state === 'down' || state === 'degraded';
}

const GOOD_RATE = 0.95;
const POOR_RATE = 0.5;

interface ChartProps {
  language: Language;
  channel: ChannelView;
}

export function SuccessBars({ language, channel, isSmall = false }: ChartProps & { isSmall?: boolean }) {
  const { channels } = consoleWords(language);
  const { requests, successRate } = channel.last24Hours;
  const bars = channel.hours.map(({ at, successRate: rate, requests: sent }) => {
    const kind = kindOf(rate);
    // An hour that failed must not look like one without traffic.
    return { height: kind === 'down' ? 1 : rate, title: channels.hour(dateTime(at), percent(rate), count(sent)), kind };
  });
  return (
    <Bars
      bars={bars}
      label={channels.successLabel(percent(successRate), count(requests))}
      look={isSmall ? '' : undefined}
    />
  );
}

/** The median, measured against the slowest 95 % of the day. */
export function FirstTokenBars({ language, channel }: ChartProps) {
  const { channels } = consoleWords(language);
  const most = Math.max(1, ...channel.hours.map(({ firstTokenMs }) => firstTokenMs.p95 ?? 0));
  const bars = channel.hours.map(({ at, firstTokenMs: { p50, p95 } }) => ({
    height: p50 === null ? null : p50 / most,
    title: channels.hourTokens(dateTime(at), milliseconds(p50), milliseconds(p95)),
  }));
  const { p50, p95 } = channel.last24Hours.firstTokenMs;
  return <Bars bars={bars} label={channels.firstTokenLabel(milliseconds(p50), milliseconds(p95))} />;
}

function kindOf(rate: number | null): 'operational' | 'degraded' | 'down' {
  if (rate === null || rate >= GOOD_RATE) return 'operational';
  return rate >= POOR_RATE ? 'degraded' : 'down';
}
