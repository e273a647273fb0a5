// How long a failed delivery waits for its next attempt: more each time, over about a day.

import { HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';

export const FIRST_WAIT_MS = 5_000;
const WAITS_MS: readonly number[] = [
  FIRST_WAIT_MS,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];
/** Random, so that retries to the receivers of one event do not coincide. */
const MAX_JITTER = 0.1;

export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/** The wait after this many attempts; undefined after the last one. */
export function retryWaitMs(attempts: number, random: Random): number | undefined {
  const wait = WAITS_MS[attempts - 1];
  return wait === undefined ? undefined : Math.round(wait * (1 + MAX_JITTER * random.fraction()));
}
