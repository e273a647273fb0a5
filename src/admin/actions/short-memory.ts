// What this node remembers for a short time, because it must not be sent through pages or stored: bounded in number and time.

import type { Clock } from '../../kit/clock.ts';

export interface ShortMemory<Value> {
  keep(id: string, value: Value): void;
  /** Undefined if it has expired or was kept elsewhere. */
  get(id: string): Value | undefined;
  /** Nothing if it has expired. */
  change(id: string, changes: Partial<Value>): void;
}

/** With more than `most`, the oldest is forgotten. */
export function createShortMemory<Value extends object>(
  clock: Clock,
  { keptMs, most }: { keptMs: number; most: number },
): ShortMemory<Value> {
  const kept = new Map<string, Value>();
  return {
    keep(id, value) {
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= most) kept.delete(oldest);
      kept.set(id, value);
      clock.after(keptMs, () => void kept.delete(id));
    },
    get: (id) => kept.get(id),
    change(id, changes) {
      const value = kept.get(id);
      if (value) kept.set(id, { ...value, ...changes });
    },
  };
}
