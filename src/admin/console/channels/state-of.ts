// How a channel is doing, in one word: what stands in the list, and what the first page warns of.

import type { StateName } from '../../../site/parts/state.tsx';
import type { ChannelView } from '../../actions/channels.ts';
import type { ConsoleWords } from '../words/words.ts';

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
