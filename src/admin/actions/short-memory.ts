// What this node remembers for a short time, because it must not be sent through pages or stored: bounded in number and time.

import type { Clock } from '../../kit/clock.ts';

/** With more than `most`, the oldest is forgotten. */
export function createShortMemory<Value extends object>(
  clock: Clock,
  { keptMs, most }: Record<'keptMs' | 'most', number>,
) {
  const kept = new Map<string, Value>();
  return {
    keep(id: string, value: Value): void {
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= most) kept.delete(oldest);
      kept.set(id, value);
      clock.after(keptMs, () => void kept.delete(id));
    },
    /** Undefined if it has expired or was kept elsewhere. */
    get: (id: string) => kept.get(id),
    /** Nothing if it has expired. */
    change(id: string, changes: Partial<Value>): void {
      const value = kept.get(id);
      if (value) kept.set(id, { ...value, ...changes });
    },
  };
}
