// Explains failures of upstreams to the operator: the groups of recent errors, and the reason why a test failed. Each
// has words of what to do on the pages of the console.

import type { UpstreamFailure } from '../../channels/read-failure.ts';
import type { AttemptOutcome } from '../../relay/outcomes.ts';

export type Problem =
  /** No connection, or one that was lost. */
  | 'connection'
  /** No answer in time. */
  | 'slow'
  /** The upstream refused our key. */
  | 'key'
  /** Our account there has no credit. */
  | 'credit'
  | 'rate'
  /** The model or the address is not there. */
  | 'missing'
  /** The upstream failed. */
  | 'server'
  /** It answered with something else. */
  | 'answer'
  /** It refused the request. */
  | 'request'
  /** The channel leads back to this gateway. */
  | 'loop'
  /** A failure of the gateway, or an outcome of another version. */
  | 'unknown';

/** Only outcomes that blame the channel are kept as errors; the others are here for completeness. */
const OUTCOME_PROBLEMS: Readonly<Record<AttemptOutcome, Problem>> = {
  network_error: 'connection',
  closed_silent: 'connection',
  cut: 'connection',
  silent: 'slow',
  late: 'slow',
  outrun: 'slow',
  idle: 'slow',
  too_slow: 'slow',
  refused_our_key: 'key',
  exhausted: 'credit',
  rate_limited: 'rate',
  route_missing: 'missing',
  looped: 'loop',
  upstream_error: 'server',
  error_event: 'server',
  not_an_answer: 'answer',
  flood: 'answer',
  too_large: 'answer',
  over_bound: 'answer',
  gave_up: 'answer',
  mismatch: 'answer',
  request_refused: 'request',
  unexplained: 'unknown',
  client_gone: 'unknown',
  drained: 'unknown',
  hold_lost: 'unknown',
  left: 'unknown',
};

export function problemOfOutcome(outcome: string): Problem {
  return Object.hasOwn(OUTCOME_PROBLEMS, outcome) ? OUTCOME_PROBLEMS[outcome as AttemptOutcome] : 'unknown';
}

/** For a refusal with this status. */
export function problemOfFailure({ status, isAboutKey }: Pick<UpstreamFailure, 'status' | 'isAboutKey'>): Problem {
  if (status === 401) return 'key';
  if (status === 402) return 'credit';
  if (status === 403) return isAboutKey ? 'key' : 'request';
  if (status === 404) return 'missing';
  if (status === 408) return 'slow';
  if (status === 429) return 'rate';
  if (status >= 500) return 'server';
  return status >= 300 && status < 400 ? 'answer' : 'request';
}
