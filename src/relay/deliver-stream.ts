// Delivers a stream: sends events as they arrive, replaces a broken upstream by another run, and holds the last events until the
// call is settled. However it ends, it is closed once, and the client gets the outcome in its own dialect.

import type { StreamWriter } from '../dialects/dialect.ts';
import { type Fault, fault } from '../faults/fault.ts';
import type { FaultCode } from '../faults/table.ts';
import { faultBody } from '../faults/write.ts';
import { describeError } from '../kit/log.ts';
import type { ChargeRule, LossReason, RequestStatus } from '../store/rows.ts';
import { answerHeaders } from './answer-headers.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { type BegunAnswer, type BegunStream, lastOf } from './begun.ts';
import { billAtBound, billEnded, billStream } from './bill.ts';
import { type Send, toByteStream } from './byte-stream.ts';
import type { Answer, Call } from './call.ts';
import { type Closing, type Settled, withCharge } from './close.ts';
import { Delivery } from './delivery.ts';
import { lossesOfReplaced, lossesOfUnpaid } from './losses.ts';
import { type Bill, usedBy } from './measure.ts';
import { OUTCOMES } from './outcomes.ts';
import type { Plan } from './plan.ts';
import { abandonStream, readLastBytes } from './read-to-end.ts';
import { resume } from './resume.ts';
import { type FrameWriter, sendEvents } from './send-events.ts';

export function deliverStream(closing: Closing, plan: Plan, first: BegunAnswer<BegunStream>): Answer {
  const { call, maxOutputTokens } = closing.admission;
  const { tools, requestId, request, dialect } = call;
  const writer = dialect.stream.createWriter(request, { keepText: plan.mayPrefill });
  const delivery = new Delivery(closing, writer, first);

  async function deliver(sendBytes: Send): Promise<void> {
    const send = encodedBy(writer, sendBytes);
    try {
      const end = await sendContent(plan, delivery, send);
      const most = maxOutputTokens * request.choices;
      if (end === 'over_bound') await endAtBound(send, billAtBound(call, delivery.runs, most));
      else if (end === 'cut_short') await endAtBound(send, billStream(call, delivery.runs));
      else if (delivery.isStopped) await endAtStop(send);
      else await settleAndEnd(send);
    } catch (error) {
      if (closing.done) return;
      // The connection is closed without an end, so that the client does not take the answer for complete.
      if (error instanceof AttemptFailed && error.outcome === 'client_gone') throw error;
      const shown = await closeBroken(error);
      const frames = writer.error(faultBody(shown, dialect.envelope, { requestId, publicUrl: tools.publicUrl }));
      if (frames === undefined) throw error;
      await send(frames);
    } finally {
      if (!closing.done) {
        await (tools.drainDeadline.signal.aborted ? closeUnpaid(delivery, CUT) : closeEnded(delivery, HUNG_UP));
      }
    }
  }

  /** Returns the fault that the client gets. */
  async function closeBroken(error: unknown): Promise<Fault> {
    const shown = shownFault(call, error);
    if (!isHourOver(error)) return withCharge(shown, await closeUnpaid(delivery, unpaidEnding(error, shown.code)));
    await closeEnded(delivery, HOUR_OVER);
    return shown;
  }

  async function settleAndEnd(send: Send): Promise<void> {
    const { runs, current, served } = delivery;
    delivery.endRun('ok');
    if (current.step.model.free) delivery.noteUnpaid();
    const bill = billStream(call, runs);
    // The rest after the end is read so that the connection can be reused; it is not billed.
    void readLastBytes(current.begun);
    const settled = await closing.settle('ok', bill, served, lossesOfReplaced(call, runs));
    const isOurs = bill.estimated || delivery.runs.length > 1 || delivery.current.begun.carrier.isTranslated;
    await send(writer.end({ usage: bill, cost: settled?.cost, isOurs }));
  }

  /** The gateway ended the answer at a stop sequence: the rest is read if only the report shows what was used. */
  async function endAtStop(send: Send): Promise<void> {
    delivery.endRun('ok');
    const bill = endedBill(delivery, 'stop_matched');
    const settled = await settleEnded(delivery, 'ok', bill);
    await send(writer.end({ usage: bill(), cost: settled?.cost, isOurs: true }));
  }

  /** The upstream exceeded its bound, or paused and could not be continued: the answer ends as at its bound. */
  async function endAtBound(send: Send, bill: Bill): Promise<void> {
    const { runs, served } = delivery;
    const settled = await closing.settle('ok', bill, served, lossesOfReplaced(call, runs));
    await send(writer.stopAtBound() + writer.end({ usage: bill, cost: settled?.cost, isOurs: true }));
  }

  return {
    headers: {
      ...answerHeaders(closing.admission, first.step, first.begun),
      'content-type': dialect.stream.contentType?.(request) ?? 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
    body: toByteStream(deliver, {
      clock: tools.clock,
      connection: call.connection,
      gone: call.gone,
      drainDeadline: tools.drainDeadline,
      keepAlive: () => writer.keepAlive(),
      onGone: () => delivery.leave(),
    }),
  };
}

/** Sends frames as the bytes that they encode. */
function encodedBy({ encode }: StreamWriter, send: Send): Send {
  return encode ? (frames) => send(typeof frames === 'string' && frames !== '' ? encode(frames) : frames) : send;
}

/** The content, from as many runs as needed. Throws the reason why it ended early. */
async function sendContent(plan: Plan, delivery: Delivery, send: Send): Promise<'whole' | 'over_bound' | 'cut_short'> {
  let writer: FrameWriter = delivery.writer;
  let caughtUp = () => true;
  for (;;) {
    const { begun } = delivery.current;
    try {
      await sendEvents(delivery, send, writer);
      if (!begun.reader.isFinished()) throw begun.watch.connectionLost('cut');
      if (!caughtUp()) throw new AttemptFailed('mismatch');
      return 'whole';
    } catch (error) {
      delivery.requireClient();
      const failed = begun.watch.explain(error);
      if (failed.outcome === 'client_gone') throw failed;
      // Only the usage or the end mark is missing.
      if (begun.reader.isFinished() && caughtUp()) return 'whole';
      delivery.endRun(failed.outcome);
      abandonStream(begun);
      if (failed.outcome === 'over_bound') return 'over_bound';
      if (OUTCOMES[failed.outcome].endsStream) throw failed;
      if (begun.turns?.isContinued && caughtUp()) return 'cut_short';
      const resumed = await resume(plan, delivery, failed);
      if (!resumed) throw failed;
      delivery.continueWith(resumed);
      writer = resumed.continued;
      caughtUp = resumed.continued.caughtUp;
    }
  }
}

interface Ending {
  status: RequestStatus;
  rule: ChargeRule;
}

interface UnpaidEnding extends Ending {
  reason: LossReason;
}

const HUNG_UP: Ending = { status: 'client_gone', rule: 'hung_up' };
const HOUR_OVER: Ending = { status: 'time_limit', rule: 'time_limit' };
const CUT: UnpaidEnding = { status: 'unavailable', rule: 'gateway_failed', reason: 'gateway_cut' };

/** Failures of the upstream or of the gateway are free. */
function unpaidEnding(error: unknown, status: FaultCode): UnpaidEnding {
  const isOurs = !(error instanceof AttemptFailed) || error.endsCall;
  return isOurs
    ? { status, rule: 'gateway_failed', reason: 'gateway_cut' }
    : { status, rule: 'upstream_failed', reason: 'stream_broken' };
}

/** The upstream or the gateway ended it: the customer does not pay. */
async function closeUnpaid(delivery: Delivery, { status, rule, reason }: UnpaidEnding): Promise<Settled | undefined> {
  const { closing, current, runs, served } = delivery;
  const { call } = closing.admission;
  abandonStream(current.begun);
  delivery.noteUnpaid();
  const used = usedBy(call, lastOf(runs)).buckets;
  const losses = lossesOfUnpaid(call, runs, reason);
  return closing.release(status, { rule, giveBackSlots: true, first: served.first, used }, losses);
}

/** The client left, or the hour was over: it pays for input, reasoning and the delivered output. */
async function closeEnded(delivery: Delivery, { status, rule }: Ending): Promise<void> {
  const { closing, current, delivered, runs, served } = delivery;
  // Until then the channel worked.
  delivery.endRun('ok');
  if (delivered.hasOutput) {
    await settleEnded(delivery, status, endedBill(delivery, rule));
    return;
  }
  abandonStream(current.begun);
  delivery.noteUnpaid();
  const losses = lossesOfUnpaid(closing.admission.call, runs, 'client_gone');
  await closing.release(status, { rule: 'not_delivered', giveBackSlots: false, first: served.first }, losses);
}

/** The bill with what was read of the upstream's answer so far. */
function endedBill(delivery: Delivery, rule: ChargeRule): () => Bill {
  const { runs, delivered, closing } = delivery;
  const { call, maxOutputTokens: bound } = closing.admission;
  const unseen = delivery.unseenReasoning();
  const plainTokens = delivery.writer.transcript.plainTokens();
  return () => billEnded(call, runs, { rule, delivered, plainTokens, unseen, bound, isUnread: delivery.isUnread });
}

/** Reads the rest for its usage report, if the bill needs that. */
function settleEnded(delivery: Delivery, status: RequestStatus, bill: () => Bill): Promise<Settled | undefined> {
  const { closing, runs, served } = delivery;
  const billing = delivery.readForReport().then(bill);
  return closing.settleLater(status, billing, served, lossesOfReplaced(closing.admission.call, runs));
}

function isHourOver(error: unknown): boolean {
  return error instanceof AttemptFailed && error.outcome === 'too_slow';
}

const HOUR_OVER_TEXT =
  'The stream reached the time limit of one hour. Input, reasoning and the output delivered until then are charged. Request a shorter answer.';

function shownFault({ tools, requestId }: Call, error: unknown): Fault {
  if (isHourOver(error)) return fault('upstream_failed', { message: HOUR_OVER_TEXT });
  if (error instanceof AttemptFailed) return fault(error.endsCall ? 'unavailable' : 'upstream_failed');
  tools.log('error', 'fault', { request_id: requestId, code: 'internal_error', detail: describeError(error) });
  return fault('internal_error');
}
