// Counts events of the last `spanMs` milliseconds in constant time per event.

/** Expired events are removed at this number, once they are more than half. */
const CUT_AT = 1_024;

/** Times must not decrease. */
export function createRecentEvents(spanMs: number) {
  let times: number[] = [];
  let marks: boolean[] = [];
  /** Earlier entries have expired. */
  let first = 0;
  let marked = 0;

  function pass(now: number): void {
    for (; first < times.length && (times[first] ?? 0) <= now - spanMs; first++) if (marks[first]) marked--;
    if (first < CUT_AT || first * 2 < times.length) return;
    times = times.slice(first);
    marks = marks.slice(first);
    first = 0;
  }

  return {
    add(at: number, isMarked = false): void {
      pass(at);
      times.push(at);
      marks.push(isMarked);
      if (isMarked) marked++;
    },
    /** Events after `now - spanMs`. */
    count(now: number): number {
      pass(now);
      return times.length - first;
    },
    /** Those of them that were marked. */
    marked(now: number): number {
      pass(now);
      return marked;
    },
    clear(): void {
      times = [];
      marks = [];
      first = 0;
      marked = 0;
    },
  };
}
