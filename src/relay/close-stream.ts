// Closes a stream that did not end by itself: the client left, the hour was over, or the upstream or the gateway failed.

import type { ChargeRule, LossReason, RequestStatus } from '../store/rows.ts';
import { billEnded } from './bill-ended.ts';
import type { Admission, RelayTools } from './call.ts';
import type { Closing, Settled } from './close.ts';
import type { Delivery } from './delivery.ts';
import { lossesOfReplaced, lossesOfUnpaid } from './losses.ts';
import { type Bill, usedBy } from './measure.ts';
import { abandonStream } from './read-to-end.ts';
import { lastOf } from './runs.ts';

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
): Promise<Settled | undefined> {
  const { current, runs, served } = delivery;
  abandonStream(current.begun);
  delivery.noteUnpaid();
  const used = usedBy(call, lastOf(runs)).buckets;
  const losses = lossesOfUnpaid(call, runs, reason);
  return closing.release(status, { rule, giveBackSlots: true, first: served.first, used }, losses);
}

export const CUT: UnpaidEnding = { status: 'unavailable', rule: 'gateway_failed', reason: 'gateway_cut' };

/** The client left, or the hour was over: it pays for input, reasoning and the delivered output. */
export async function closeEnded(
  tools: RelayTools,
  admission: Admission,
  closing: Closing,
  delivery: Delivery,
  { status, rule }: { status: RequestStatus; rule: ChargeRule },
): Promise<void> {
  const { call } = admission;
  const { current, delivered, runs, served } = delivery;
  // Until then the channel worked.
  delivery.endRun('ok');
  if (!delivered.hasOutput) {
    abandonStream(current.begun);
    delivery.noteUnpaid();
    const losses = lossesOfUnpaid(call, runs, 'client_gone');
    await closing.release(status, { rule: 'not_delivered', giveBackSlots: false, first: served.first }, losses);
    return;
  }
  const bill = endedBill(admission, delivery, rule);
  await settleEnded(tools, admission, closing, delivery, { status, bill });
}

/** The bill with what was read of the upstream's answer so far. */
export function endedBill(
  { call, maxOutputTokens: bound }: Admission,
  delivery: Delivery,
  rule: ChargeRule,
): () => Bill {
  const { runs, delivered } = delivery;
  const unseen = delivery.unseenReasoning();
  const plainTokens = delivery.writer.plainTokens?.() ?? 0;
  return () => billEnded(call, runs, { rule, delivered, plainTokens, unseen, bound, isUnread: delivery.isUnread });
}

/** Reads the rest for its usage report, if the bill needs that. */
export function settleEnded(
  tools: RelayTools,
  { call }: Admission,
  closing: Closing,
  delivery: Delivery,
  { status, bill }: { status: RequestStatus; bill: () => Bill },
): Promise<Settled | undefined> {
  const { runs, served } = delivery;
  const billing = delivery.readForReport(tools).then(bill);
  return closing.settleLater(status, billing, served, lossesOfReplaced(call, runs));
}
