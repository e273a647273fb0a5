// How often something happened lately, per subject, in this process's memory: for guards against floods, where a row in a
// database for every unwelcome call would be the flood's own aim. Published limits are never counted here.

import type { FaultDetails } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';

export interface Counter {
  /** Counts one more, and tells whether it is still within the limit; what is over the limit is not counted. */
  take(subject: string, limit: number): boolean;
  /** Seconds until so much of the past is forgotten that one more is within the limit. */
  waitS(subject: string, limit: number): number;
  /** What a fault tells of a limit that is reached. */
  reached(subject: string, limit: number): Pick<FaultDetails, 'retryAfterS' | 'figures'>;
}

export interface CounterOptions {
  clock: Clock;
  spanMs: number;
  /** Beyond that many the one that was quiet longest is forgotten. */
  mostSubjects: number;
}

export function createCounter({ clock, spanMs, mostSubjects }: CounterOptions): Counter {
  /** Times of the last events; the subject that came last stands last. */
  const seen = new Map<string, number[]>();

  function recent(subject: string): number[] {
    const since = clock.monotonic() - spanMs;
    return (seen.get(subject) ?? []).filter((at) => at > since);
  }

  function waitS(subject: string, limit: number): number {
    const opens = recent(subject).at(-limit);
    return opens === undefined ? 0 : Math.max(0, opens + spanMs - clock.monotonic()) / 1000;
  }

  return {
    take(subject, limit) {
      const times = recent(subject);
      const isWithin = times.length < limit;
      if (isWithin) times.push(clock.monotonic());
      seen.delete(subject);
      seen.set(subject, times);
      for (const [quiet] of seen) {
        if (seen.size <= mostSubjects) break;
        seen.delete(quiet);
      }
      return isWithin;
    },
    waitS,
    reached(subject, limit) {
      const retryAfterS = waitS(subject, limit);
      const resetsAt = new Date(clock.now() + retryAfterS * 1000).toISOString();
      return { retryAfterS, figures: { limit, used: limit, resets_at: resetsAt } };
    },
  };
}
