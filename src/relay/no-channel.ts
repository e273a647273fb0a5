// The faults of a call that no channel can serve.

import { type Fault, type FaultDetails, fault } from '../faults/fault.ts';
import { LIST_MODELS, WAIT } from '../faults/table.ts';
import type { AttemptFailed } from './attempt-failed.ts';

/** Every channel of the model is unavailable. */
export function noChannel(details: Pick<FaultDetails, 'retryAfterS' | 'internal'>): Fault {
  return fault('unavailable', {
    ...details,
    message: `No channel of this model is available right now. Nothing was charged. Retry in ${WAIT}, or choose another model.`,
    actions: [LIST_MODELS],
  });
}

/** `blockedForMs`: how long until the first skipped channel may be tried again. */
export function everyChannelFailed(failures: readonly AttemptFailed[], blockedForMs: number | undefined): Fault {
  const refused = failures.find(({ isFinal }) => isFinal) ?? failures.find(({ isTooLong }) => isTooLong);
  if (refused?.refusal) return refused.refusal;
  const refusal = failures.every(({ isChannelSpecific }) => isChannelSpecific) ? failures.at(-1)?.refusal : undefined;
  if (refusal) return refusal;
  if (failures.length === 0) {
    const retryAfterS = blockedForMs === undefined ? undefined : Math.ceil(blockedForMs / 1000);
    return noChannel({ retryAfterS, internal: 'no healthy channel' });
  }
  // A retry would loop again.
  if (failures.every((failure) => failure.outcome === 'looped')) return fault('loop_detected');
  if (failures.some((failure) => failure.outcome !== 'rate_limited')) return fault('upstream_failed');
  const waits = failures.map((failure) => failure.retryAfterS).filter((wait) => wait !== undefined);
  return noChannel({ retryAfterS: waits.length > 0 ? Math.min(...waits) : undefined });
}
