// Before a channel is asked: the wait that the plan says, and whether what the try may cost is still held.

import { sleep } from '../kit/clock.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Step } from './plan.ts';

/**
 * Undefined if there is nothing to wait for, and the hold is known to be there. Rejects with AttemptFailed: a channel that is
 * not asked in the end has no line of the receipt, and gets its pass back.
 */
export function beforeAsking(
  tools: RelayTools,
  admission: Admission,
  step: Step,
  gone: AbortSignal,
): Promise<void> | undefined {
  const { waitMs } = step;
  if (waitMs > 0) return requireHeld(tools, step, heldAfter(tools, admission, gone, waitMs));
  const held = isHeld(tools, admission);
  return held === true ? undefined : requireHeld(tools, step, held);
}

async function requireHeld({ health }: RelayTools, { pass }: Step, held: boolean | Promise<boolean>): Promise<void> {
  try {
    if (!(await held)) throw new AttemptFailed('hold_lost');
  } catch (error) {
    health.forget(pass);
    throw error;
  }
}

async function heldAfter(tools: RelayTools, admission: Admission, gone: AbortSignal, ms: number): Promise<boolean> {
  await waitOrLeave(tools, gone, ms);
  return isHeld(tools, admission);
}

async function waitOrLeave(tools: RelayTools, gone: AbortSignal, ms: number): Promise<void> {
  await sleep(tools.clock, ms, AbortSignal.any([gone, tools.cut.signal])).catch(() => {
    throw new AttemptFailed(gone.aborted ? 'client_gone' : 'drained');
  });
}

/** A node that slept may find that another one has released the hold: nothing would pay for the try. */
function isHeld({ ledger }: RelayTools, { call, startedAt }: Admission): boolean | Promise<boolean> {
  const { requestId, key } = call;
  return ledger.isHeld({ requestId, accountId: key.accountId, since: startedAt });
}
