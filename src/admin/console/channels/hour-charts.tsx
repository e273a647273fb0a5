/** @jsxImportSource hono/jsx */
// The last day of a channel, hour by hour: how much succeeded, and how soon it began to answer.

import { count, dateTime, milliseconds, percent } from '../../../site/format.ts';
import type { Language } from '../../../site/language.ts';
import { Bars } from '../../../site/parts/bars.tsx';
import type { ChannelView } from '../../actions/channels.ts';
import { consoleWords } from '../words/words.ts';

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
