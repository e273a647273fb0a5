// Sums of traffic by hour: several nodes add to the same hour.

import type { TrafficHour } from '../rows.ts';
import type { Book, Operations } from './book.ts';

/** Adds to the sums of the hours it names. */
interface TrafficInput {
  sums: readonly TrafficHour[];
}

export const TRAFFIC_SUMS = {
  traffic: {
    touches: ({ sums }: TrafficInput) => sums.map((sum) => ({ table: 'traffic', id: idOf(sum) })),
    decide: addTraffic,
  },
} satisfies Operations;

function addTraffic(book: Book, { sums }: TrafficInput): undefined {
  for (const sum of sums) {
    const known = book.get('traffic', idOf(sum));
    book.put('traffic', idOf(sum), known ? addHours(known, sum) : sum);
  }
}

function idOf({ hour, channel, model }: TrafficHour): string {
  return `${hour}:${channel}:${model}`;
}

export function addHours<Hour extends TrafficHour>(a: Hour, b: TrafficHour): Hour {
  // Those of an earlier version have fewer.
  const addSteps = (one: readonly number[], other: readonly number[]) =>
    Array.from({ length: Math.max(one.length, other.length) }, (_, step) => (one[step] ?? 0) + (other[step] ?? 0));
  return {
    ...a,
    ok: a.ok + b.ok,
    failed: a.failed + b.failed,
    firstToken: addSteps(a.firstToken, b.firstToken),
    total: addSteps(a.total, b.total),
  };
}
