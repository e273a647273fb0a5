// What upstreams reported of reasoning that they did not show, by route: whether it happens there, and how fast. It tells
// which streams must be read to their report, and estimates the reasoning of a stream whose report never came.

import { PairMap } from './pair-map.ts';

/** Of a route that has reported none yet; common models take 40 to 150. */
export const DEFAULT_TOKENS_PER_SECOND = 60;
/** Below a second, the way to the upstream and its queue are most of the time. */
const LEAST_TIMED_MS = 1_000;
/** How much a new report counts against those before it. */
const SHARE_OF_NEWEST = 0.1;
/** A report outside of this is a miscount, or of a model that reasoned while it spoke. */
const PLAUSIBLE = { least: 5, most: 1_000 };

export interface ReasoningHistory {
  /** An answer was reported whole: `tokens` of reasoning that was not shown, in `ms` up to the first visible output. */
  note(channel: string, model: string, tokens: number, ms: number): void;
  /** Reasoning that was not shown has been reported there. */
  wasUnseen(channel: string, model: string): boolean;
  /** Tokens of reasoning, by the time that passed without visible output. */
  estimate(channel: string, model: string, ms: number): number;
}

interface Known {
  tokensPerSecond: number | undefined;
}

export function createReasoningHistory(): ReasoningHistory {
  const routes = new PairMap<Known>();
  return {
    note(channel, model, tokens, ms) {
      if (tokens <= 0) return;
      let known = routes.get(channel, model);
      if (!known) {
        known = { tokensPerSecond: undefined };
        routes.set(channel, model, known);
      }
      if (ms < LEAST_TIMED_MS) return;
      const pace = (tokens / ms) * 1_000;
      if (pace < PLAUSIBLE.least || pace > PLAUSIBLE.most) return;
      const before = known.tokensPerSecond ?? pace;
      known.tokensPerSecond = before + (pace - before) * SHARE_OF_NEWEST;
    },
    wasUnseen: (channel, model) => routes.get(channel, model) !== undefined,
    estimate(channel, model, ms) {
      const known = routes.get(channel, model)?.tokensPerSecond ?? 0;
      // Never below the default: calls that wait long and reason little would lower it for others.
      const pace = Math.max(known, DEFAULT_TOKENS_PER_SECOND);
      return Math.round((pace * ms) / 1_000);
    },
  };
}
