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

export type ReasoningHistory = ReturnType<typeof createReasoningHistory>;

export function createReasoningHistory() {
  /** Tokens per second; 0 until a report could be timed. */
  const paces = new PairMap<number>();
  return {
    /** A complete report: `tokens` of hidden reasoning in `ms` until the first visible output. */
    note(channel: string, model: string, tokens: number, ms: number): void {
      if (tokens <= 0) return;
      const known = paces.get(channel, model) ?? 0;
      const pace = (tokens / ms) * 1_000;
      const isTimed = ms >= MIN_TIMED_MS && pace >= PLAUSIBLE.least && pace <= PLAUSIBLE.most;
      // 0: reasoning is known, its pace is not.
      const before = known === 0 ? pace : known;
      paces.set(channel, model, isTimed ? before + (pace - before) * SHARE_OF_NEWEST : known);
    },
    /** Whether hidden reasoning was reported there. */
    hasHidden: (channel: string, model: string) => paces.get(channel, model) !== undefined,
    /** Estimated reasoning tokens, from the time without visible output. */
    estimate(channel: string, model: string, ms: number): number {
      // Never below the default: calls that wait long and reason little would lower it for others.
      const pace = Math.max(paces.get(channel, model) ?? 0, DEFAULT_TOKENS_PER_SECOND);
      return Math.round((pace * ms) / 1_000);
    },
  };
}
