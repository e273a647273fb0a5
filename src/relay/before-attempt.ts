// Before an attempt: waits as the plan says, and checks that the hold is still open.

import { sleep } from '../kit/clock.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { Admission, RelayTools } from './call.ts';

export interface Stoppable {
  /** Aborted when the attempt is stopped, with the reason. */
  readonly stopped: AbortSignal;
}

interface Ends {
  gone: AbortSignal;
  racing?: Stoppable;
}

/** Throws AttemptFailed if the client leaves meanwhile, the gateway drains or the attempt is stopped. */
export async function waitBefore(
  { clock, drainDeadline }: RelayTools,
  { gone, racing }: Ends,
  ms: number,
): Promise<void> {
  const ends = racing ? [gone, drainDeadline.signal, racing.stopped] : [gone, drainDeadline.signal];
  await sleep(clock, ms, AbortSignal.any(ends)).catch(() => {
    if (gone.aborted) throw new AttemptFailed('client_gone');
    throw drainDeadline.signal.aborted ? new AttemptFailed('drained') : racing?.stopped.reason;
  });
}

/** While this node was suspended, another may have released the hold: then nothing would pay for the attempt. */
export function isHeld({ ledger }: RelayTools, { call, startedAt }: Admission): Promise<boolean> {
  const { requestId, key } = call;
  return ledger.isHeld({ requestId, accountId: key.accountId, since: startedAt });
}
