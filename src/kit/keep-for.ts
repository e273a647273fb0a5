// Keeps what was read for a time: all callers share it, and after a failure the next caller reads again.

import type { Clock } from './clock.ts';

export function keepFor<Value>(
  { monotonic }: Pick<Clock, 'monotonic'>,
  ms: number,
  read: () => Promise<Value>,
): () => Promise<Value> {
  let kept: { readAt: number; value: Promise<Value> } | undefined;
  return () => {
    const now = monotonic();
    if (kept && now - kept.readAt < ms) return kept.value;
    const reading = { readAt: now, value: read() };
    kept = reading;
    reading.value.catch(() => {
      if (kept === reading) kept = undefined;
    });
    return reading.value;
  };
}
