// Closing a stream that did not come to its own end: the client left, its hour was over, or we cut it.

import type { ChargeRule, LossReason, RequestStatus } from '../store/rows.ts';
import { billEnded, lastOf, usedBy } from './bill.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Closing } from './close.ts';
import type { Delivery } from './delivery.ts';
import { lossesOfReplaced, lossesOfUnpaid } from './losses.ts';
import { leaveStream } from './read-on.ts';

export interface UnpaidEnding {
  status: RequestStatus;
  rule: ChargeRule;
  reason: LossReason;
}

/** The upstream or the gateway ended it: the customer does not pay. */
export async function closeUnpaid(
  { call }: Admission,
  closing: Closing,
  delivery: Delivery,
  { status, rule, reason }: UnpaidEnding,
): Promise<void> {
  const { current, runs, served } = delivery;
  leaveStream(current.begun);
  delivery.noteUnpaid();
  const used = usedBy(call, lastOf(runs));
  const losses = lossesOfUnpaid(call, runs, reason);
  await closing.release(status, { rule, giveBackSlots: true, first: served.first, used }, losses);
}

export const CUT: UnpaidEnding = { status: 'unavailable', rule: 'gateway_failed', reason: 'gateway_cut' };

/** The client left, or had its hour: it pays for input, reasoning and what it got. */
export async function closeEnded(
  tools: RelayTools,
  admission: Admission,
  closing: Closing,
  delivery: Delivery,
  { status, rule }: { status: RequestStatus; rule: ChargeRule },
): Promise<void> {
  const { call, maxOutputTokens: bound } = admission;
  const { current, delivered, runs, served } = delivery;
  // It did well as long as the client listened.
  delivery.endRun('ok');
  if (!delivered.hasOutput) {
    leaveStream(current.begun);
    delivery.noteUnpaid();
    const losses = lossesOfUnpaid(call, runs, 'client_gone');
    await closing.release(status, { rule: 'not_delivered', giveBackSlots: false, first: served.first }, losses);
    return;
  }
  const billing = async () => {
    await delivery.readForReport(tools);
    return billEnded(call, runs, { rule, delivered, unseen: delivery.unseenReasoning(), bound });
  };
  await closing.settleLater(status, billing(), served, lossesOfReplaced(call, runs));
}
