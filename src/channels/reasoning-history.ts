// Reported hidden reasoning by route: whether it occurs, and its speed. It decides which streams must be read to their
// usage report, and estimates the reasoning of a stream without one.

import { PairMap } from './pair-map.ts';

/** For routes without a report; common models take 40 to 150. */
const DEFAULT_TOKENS_PER_SECOND = 60;
/** Below one second, network and queue dominate. */
const MIN_TIMED_MS = 1_000;
/** The weight of a new report. */
const SHARE_OF_NEWEST = 0.1;
/** Other values are miscounts, or come from a model that reasoned while it answered. */
const PLAUSIBLE = { least: 5, most: 1_000 };

export interface ReasoningHistory {
  /** A complete report: `tokens` of hidden reasoning in `ms` until the first visible output. */
  note(channel: string, model: string, tokens: number, ms: number): void;
  /** Whether hidden reasoning was reported there. */
  hasHidden(channel: string, model: string): boolean;
  /** Estimated reasoning tokens, from the time without visible output. */
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
      if (ms < MIN_TIMED_MS) return;
      const pace = (tokens / ms) * 1_000;
      if (pace < PLAUSIBLE.least || pace > PLAUSIBLE.most) return;
      const before = known.tokensPerSecond ?? pace;
      known.tokensPerSecond = before + (pace - before) * SHARE_OF_NEWEST;
    },
    hasHidden: (channel, model) => routes.get(channel, model) !== undefined,
    estimate(channel, model, ms) {
      const known = routes.get(channel, model)?.tokensPerSecond ?? 0;
      // Never below the default: calls that wait long and reason little would lower it for others.
      const pace = Math.max(known, DEFAULT_TOKENS_PER_SECOND);
      return Math.round((pace * ms) / 1_000);
    },
  };
}
