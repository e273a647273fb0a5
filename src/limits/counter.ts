// Counts recent events or work per subject in this process's memory. It guards against floods, for which a database row per
// refused call would be too expensive. Published limits are never counted here.

import { type Clock, MINUTE_MS } from '../kit/clock.ts';

export type Counter = ReturnType<typeof createCounter>;

interface CounterOptions {
  clock: Clock;
  spanMs?: number;
  /** Above this number the least recent subject is dropped. */
  maxSubjects?: number;
}

interface Work {
  at: number;
  units: number;
}

/** Of an event only the time is kept: a flood has many. */
type Counted = number | Work;

export function createCounter({ clock, spanMs = MINUTE_MS, maxSubjects = 50_000 }: CounterOptions) {
  /** The most recent subject last. */
  const seen = new Map<string, Counted[]>();

  /** Drops what was undone, too, so that a list holds only what counts. */
  function recent(subject: string): Counted[] {
    const since = clock.monotonic() - spanMs;
    return (seen.get(subject) ?? []).filter((counted) => timeOf(counted) > since && unitsOf(counted) > 0);
  }

  function keep(subject: string, counted: Counted[]): void {
    seen.delete(subject);
    seen.set(subject, counted);
    for (const [quiet] of seen) {
      if (seen.size <= maxSubjects) break;
      seen.delete(quiet);
    }
  }

  /** Seconds until less than the limit is left in the span. */
  function waitS(subject: string, limit: number): number {
    const counted = recent(subject);
    let used = sumOf(counted);
    if (used < limit) return 0;
    for (const one of counted) {
      used -= unitsOf(one);
      if (used < limit) return (timeOf(one) + spanMs - clock.monotonic()) / 1000;
    }
    return 0;
  }

  return {
    /** Counts one event and returns whether it is within the limit; events above it are not counted. */
    take(subject: string, limit: number): boolean {
      const counted = recent(subject);
      const isWithin = counted.length < limit;
      if (isWithin) counted.push(clock.monotonic());
      keep(subject, counted);
      return isWithin;
    },
    /** Counts work and returns a function that undoes it. */
    add(subject: string, units: number): () => void {
      const work = { at: clock.monotonic(), units };
      keep(subject, [...recent(subject), work]);
      return () => {
        work.units = 0;
      };
    },
    used: (subject: string) => sumOf(recent(subject)),
    waitS,
    /** Details for a fault about this limit. */
    reached(subject: string, limit: number, used = limit) {
      const retryAfterS = waitS(subject, limit);
      const resetsAt = new Date(clock.now() + retryAfterS * 1000).toISOString();
      return { retryAfterS, figures: { limit, used, resets_at: resetsAt } };
    },
  };
}

function timeOf(counted: Counted): number {
  return typeof counted === 'number' ? counted : counted.at;
}

function unitsOf(counted: Counted): number {
  return typeof counted === 'number' ? 1 : counted.units;
}

function sumOf(counted: readonly Counted[]): number {
  return counted.reduce<number>((sum, one) => sum + unitsOf(one), 0);
}
