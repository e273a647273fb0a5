// Summarises the state of a model or channel.

export type State = 'operational' | 'degraded' | 'down' | 'unknown';

const HEALTHY = 0.98;
const DEGRADED = 0.5;

/** Null without traffic. */
export function stateOf(successRate: number | null): State {
  if (successRate === null) return 'unknown';
  return successRate >= HEALTHY ? 'operational' : successRate >= DEGRADED ? 'degraded' : 'down';
}

/**
 * A model has the state of its best channel with traffic: the others are fallbacks. One without traffic may still work,
 * so the model is not down.
 */
export function bestState(states: readonly State[]): State {
  const order: readonly State[] = ['operational', 'degraded', 'down', 'unknown'];
  if (states.every((state) => state === 'down' || state === 'unknown') && new Set(states).size > 1) return 'degraded';
  return order.find((state) => states.includes(state)) ?? 'unknown';
}
