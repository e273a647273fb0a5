// Before a channel is asked: the wait that the plan says, and whether what the try may cost is still held.

import { sleep } from '../kit/clock.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Step } from './plan.ts';

/** There is nothing to wait for, and the hold is known to be there. */
export function mayAsk(tools: RelayTools, admission: Admission, { waitMs }: Step): boolean {
  return waitMs <= 0 && isHeld(tools, admission) === true;
}

/** A channel that is not asked in the end has no line of the receipt, and gets its pass back. Throws AttemptFailed. */
export async function beforeAsking(
  tools: RelayTools,
  admission: Admission,
  { waitMs, pass }: Step,
  gone: AbortSignal,
): Promise<void> {
  try {
    if (waitMs > 0) await waitOrLeave(tools, gone, waitMs);
    if (!(await isHeld(tools, admission))) throw new AttemptFailed('hold_lost');
  } catch (error) {
    tools.health.forget(pass);
    throw error;
  }
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
