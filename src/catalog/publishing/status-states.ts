// In one word how something is doing.

export type State = 'operational' | 'degraded' | 'down' | 'unknown';

const HEALTHY = 0.98;
const DEGRADED = 0.5;

/** Null where nothing was asked. */
export function stateOf(successRate: number | null): State {
  if (successRate === null) return 'unknown';
  return successRate >= HEALTHY ? 'operational' : successRate >= DEGRADED ? 'degraded' : 'down';
}

/** A model is as well as its best channel that was asked: the others are only there to help. One that was not asked has not
 * helped, but it may: then the model is not down. */
export function bestState(states: readonly State[]): State {
  const order: readonly State[] = ['operational', 'degraded', 'down', 'unknown'];
  if (states.every((state) => state === 'down' || state === 'unknown') && new Set(states).size > 1) return 'degraded';
  return order.find((state) => states.includes(state)) ?? 'unknown';
}
