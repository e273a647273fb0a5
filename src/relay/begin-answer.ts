// Tries the plan's steps until an answer has begun. A failure before the first byte is invisible to the client, except in
// the receipt.

import { type Fault, fault } from '../faults/fault.ts';
import { attempt } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { AnyBegunAnswer } from './begun.ts';
import type { Admission, RelayTools } from './call.ts';
import { noChannel } from './no-channel.ts';
import type { Plan } from './plan.ts';

/**
 * Throws AttemptFailed when the client left, the gateway drains or the hold is gone, else the fault for the client. A try that
 * runs when the client leaves goes on until `givenUp`; no other one begins.
 */
export async function beginAnswer(
  tools: RelayTools,
  admission: Admission,
  plan: Plan,
  givenUp: AbortSignal,
): Promise<AnyBegunAnswer> {
  const failures: AttemptFailed[] = [];
  for (;;) {
    const step = isOver(tools, admission) ? undefined : plan.next(failures.at(-1));
    if (!step) throw everyChannelFailed(failures, plan.shutForMs());
    try {
      return await attempt(tools, admission, step, givenUp);
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      if (error.endsCall) throw error;
      if (admission.call.gone.aborted) throw new AttemptFailed('client_gone');
      if (error.refusal && !error.isTooLong && !error.isForeign) throw error.refusal;
      failures.push(error);
    }
  }
}

/** The request as a whole has had its time. */
export function isOver({ clock }: RelayTools, { deadline }: Admission): boolean {
  return clock.monotonic() >= deadline;
}

function everyChannelFailed(failures: readonly AttemptFailed[], shutForMs: number | undefined): Fault {
  const tooLong = failures.find(({ isTooLong }) => isTooLong);
  if (tooLong?.refusal) return tooLong.refusal;
  const refusal = failures.every(({ isForeign }) => isForeign) ? failures.at(-1)?.refusal : undefined;
  if (refusal) return refusal;
  if (failures.length === 0) {
    const retryAfterS = shutForMs === undefined ? undefined : Math.ceil(shutForMs / 1000);
    return noChannel({ retryAfterS, internal: 'no healthy channel' });
  }
  // It goes round again, however often the client tries.
  if (failures.every((failure) => failure.outcome === 'looped')) return fault('loop_detected');
  if (failures.some((failure) => failure.outcome !== 'rate_limited')) return fault('upstream_failed');
  const waits = failures.map((failure) => failure.retryAfterS).filter((wait) => wait !== undefined);
  return noChannel({ retryAfterS: waits.length > 0 ? Math.min(...waits) : undefined });
}
