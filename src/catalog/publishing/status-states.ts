// The states that the public status and the console show, from the same thresholds.

export type State = 'operational' | 'degraded' | 'down' | 'unknown';

const HEALTHY = 0.98;
const DEGRADED = 0.5;

/** Null without traffic. */
export function stateOf(successRate: number | null): State {
  if (successRate === null) return 'unknown';
  return successRate >= HEALTHY ? 'operational' : successRate >= DEGRADED ? 'degraded' : 'down';
}

/** The state of a channel's route to a model. While its breaker is not closed, only a probe is sent. */
export function routeState(successRate: number | null, breaker: 'closed' | 'open' | 'probing' = 'closed'): State {
  return breaker === 'closed' ? stateOf(successRate) : 'down';
}

/** State of a channel, by its routes with traffic: down if none of them works, degraded if some have problems. */
export function channelState(routes: readonly State[]): State {
  const known = new Set(routes.filter((state) => state !== 'unknown'));
  const [only] = known;
  if (only === undefined) return 'unknown';
  return known.size === 1 ? only : 'degraded';
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
