// The fault that the client gets when no channel answered.

import { type Fault, fault } from '../faults/fault.ts';
import type { AttemptFailed } from './attempt-failed.ts';
import { noChannel } from './no-channel.ts';

/** `shutForMs`: how long until the first skipped channel may be asked again. */
export function everyChannelFailed(failures: readonly AttemptFailed[], shutForMs: number | undefined): Fault {
  const refused = failures.find(({ isFinal }) => isFinal) ?? failures.find(({ isTooLong }) => isTooLong);
  if (refused?.refusal) return refused.refusal;
  const refusal = failures.every(({ isForeign }) => isForeign) ? failures.at(-1)?.refusal : undefined;
  if (refusal) return refusal;
  if (failures.length === 0) {
    const retryAfterS = shutForMs === undefined ? undefined : Math.ceil(shutForMs / 1000);
    return noChannel({ retryAfterS, internal: 'no healthy channel' });
  }
  // A retry would loop again.
  if (failures.every((failure) => failure.outcome === 'looped')) return fault('loop_detected');
  if (failures.some((failure) => failure.outcome !== 'rate_limited')) return fault('upstream_failed');
  const waits = failures.map((failure) => failure.retryAfterS).filter((wait) => wait !== undefined);
  return noChannel({ retryAfterS: waits.length > 0 ? Math.min(...waits) : undefined });
}
