// Counts recent events per subject in this process's memory. It guards against floods, for which a database row per
// refused call would be too expensive. Published limits are never counted here.

import type { Clock } from '../kit/clock.ts';

export type Counter = ReturnType<typeof createCounter>;

interface CounterOptions {
  clock: Clock;
  spanMs: number;
  /** Above this number the least recent subject is dropped. */
  maxSubjects: number;
}

export function createCounter({ clock, spanMs, maxSubjects }: CounterOptions) {
  /** Event times per subject, the most recent subject last. */
  const seen = new Map<string, number[]>();

  function recent(subject: string): number[] {
    const since = clock.monotonic() - spanMs;
    return (seen.get(subject) ?? []).filter((at) => at > since);
  }

  /** Seconds until one more event is within the limit. */
  function waitS(subject: string, limit: number): number {
    const opens = recent(subject).at(-limit);
    return opens === undefined ? 0 : Math.max(0, opens + spanMs - clock.monotonic()) / 1000;
  }

  return {
    /** Counts one event and returns whether it is within the limit; events above it are not counted. */
    take(subject: string, limit: number): boolean {
      const times = recent(subject);
      const isWithin = times.length < limit;
      if (isWithin) times.push(clock.monotonic());
      seen.delete(subject);
      seen.set(subject, times);
      for (const [quiet] of seen) {
        if (seen.size <= maxSubjects) break;
        seen.delete(quiet);
      }
      return isWithin;
    },
    waitS,
    /** Details for a fault about this limit. */
    reached(subject: string, limit: number) {
      const retryAfterS = waitS(subject, limit);
      const resetsAt = new Date(clock.now() + retryAfterS * 1000).toISOString();
      return { retryAfterS, figures: { limit, used: limit, resets_at: resetsAt } };
    },
  };
}
