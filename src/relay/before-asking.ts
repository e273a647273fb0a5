// Before a channel is asked: the wait that the plan says, and whether what the try may cost is still held.

import { sleep } from '../kit/clock.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Step } from './plan.ts';

export interface Stoppable {
  /** Aborted when the try is stopped, with the reason. */
  readonly stopped: AbortSignal;
}

interface Ends {
  gone: AbortSignal;
  racing: Stoppable | undefined;
}

/**
 * Undefined if there is nothing to wait for, and the hold is known to be there. Rejects with AttemptFailed: a channel that is
 * not asked in the end has no line of the receipt, and gets its permit back.
 */
export function beforeAsking(
  tools: RelayTools,
  admission: Admission,
  step: Step,
  ends: Ends,
): Promise<void> | undefined {
  const { waitMs } = step;
  if (waitMs > 0) return requireHeld(tools, step, heldAfter(tools, admission, ends, waitMs));
  const held = isHeld(tools, admission);
  return held === true ? undefined : requireHeld(tools, step, held);
}

async function requireHeld({ health }: RelayTools, { permit }: Step, held: boolean | Promise<boolean>): Promise<void> {
  try {
    if (!(await held)) throw new AttemptFailed('hold_lost');
  } catch (error) {
    health.forget(permit);
    throw error;
  }
}

async function heldAfter(tools: RelayTools, admission: Admission, ends: Ends, ms: number): Promise<boolean> {
  await waitOrLeave(tools, ends, ms);
  return isHeld(tools, admission);
}

async function waitOrLeave({ clock, cut }: RelayTools, { gone, racing }: Ends, ms: number): Promise<void> {
  const ends = racing ? [gone, cut.signal, racing.stopped] : [gone, cut.signal];
  await sleep(clock, ms, AbortSignal.any(ends)).catch(() => {
    if (gone.aborted) throw new AttemptFailed('client_gone');
    throw cut.signal.aborted ? new AttemptFailed('drained') : racing?.stopped.reason;
  });
}

/** A node that slept may find that another one has released the hold: nothing would pay for the try. */
export function isHeld({ ledger }: RelayTools, { call, startedAt }: Admission): boolean | Promise<boolean> {
  const { requestId, key } = call;
  return ledger.isHeld({ requestId, accountId: key.accountId, since: startedAt });
}
