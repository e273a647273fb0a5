// Delivers a stream: sends events as they arrive, replaces a broken upstream by another run, and holds the last events until the
// call is settled. However it ends, it is closed once, and the client gets the outcome in its own dialect.

import type { StreamWriter } from '../dialects/dialect.ts';
import { type Fault, fault } from '../faults/fault.ts';
import type { FaultCode } from '../faults/table.ts';
import { faultBody } from '../faults/write.ts';
import { describeError } from '../kit/log.ts';
import { answerHeaders } from './answer-headers.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { BegunAnswer, BegunStream } from './begun.ts';
import { billAtBound, billStream } from './bill.ts';
import { type Send, toByteStream } from './byte-stream.ts';
import type { Admission, Answer, RelayTools } from './call.ts';
import { withCharge } from './charged-fault.ts';
import type { Closing } from './close.ts';
import { CUT, closeEnded, closeUnpaid, endedBill, settleEnded, type UnpaidEnding } from './close-stream.ts';
import { Delivery } from './delivery.ts';
import { lossesOfReplaced } from './losses.ts';
import type { Bill } from './measure.ts';
import { OUTCOMES } from './outcomes.ts';
import type { Plan } from './plan.ts';
import { abandonStream, readLastBytes } from './read-to-end.ts';
import { resume } from './resume.ts';
import { type FrameWriter, sendEvents } from './send-events.ts';

export function deliverStream(
  tools: RelayTools,
  admission: Admission,
  closing: Closing,
  plan: Plan,
  first: BegunAnswer<BegunStream>,
): Answer {
  const { call } = admission;
  const { requestId } = call;
  const writer = call.dialect.stream.createWriter(call.request, { keepText: plan.mayPrefill });
  const delivery = new Delivery(tools, admission, writer, first);

  async function deliver(sendBytes: Send): Promise<void> {
    const send = encodedBy(writer, sendBytes);
    try {
      const end = await sendContent(tools, admission, plan, delivery, send);
      if (end === 'over_bound') await endAtBound(send, (most) => billAtBound(call, delivery.runs, most));
      else if (end === 'cut_short') await endAtBound(send, () => billStream(call, delivery.runs));
      else if (delivery.isStopped) await endAtStop(send);
      else await settleAndEnd(send);
    } catch (error) {
      if (closing.done) return;
      // The connection is closed without an end, so that the client does not take the answer for complete.
      if (error instanceof AttemptFailed && error.outcome === 'client_gone') throw error;
      const shown = await closeBroken(error);
      const frames = writer.error(faultBody(shown, call.dialect.envelope, { requestId, publicUrl: tools.publicUrl }));
      if (frames === undefined) throw error;
      await send(frames);
    } finally {
      if (!closing.done) {
        await (tools.drainDeadline.signal.aborted
          ? closeUnpaid(admission, closing, delivery, CUT)
          : closeEnded(tools, admission, closing, delivery, HUNG_UP));
      }
    }
  }

  /** Returns the fault that the client gets. */
  async function closeBroken(error: unknown): Promise<Fault> {
    const shown = shownFault(tools, requestId, error);
    if (!isHourOver(error)) {
      return withCharge(shown, await closeUnpaid(admission, closing, delivery, unpaidEnding(error, shown.code)));
    }
    await closeEnded(tools, admission, closing, delivery, HOUR_OVER);
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
    await send(writer.end({ usage: bill, cost: settled?.cost, isOurs: isOurs(bill) }));
  }

  /** The gateway ended the answer at a stop sequence: the rest is read if only the report shows what was used. */
  async function endAtStop(send: Send): Promise<void> {
    delivery.endRun('ok');
    const bill = endedBill(admission, delivery, 'stop_matched');
    const settled = await settleEnded(tools, admission, closing, delivery, { status: 'ok', bill });
    await send(writer.end({ usage: bill(), cost: settled?.cost, isOurs: true }));
  }

  /** The upstream exceeded its bound, or paused and could not be continued: the answer ends as at its bound. */
  async function endAtBound(send: Send, billOf: (mostTokens: number) => Bill): Promise<void> {
    const { runs, served } = delivery;
    const bill = billOf(admission.maxOutputTokens * call.request.choices);
    const settled = await closing.settle('ok', bill, served, lossesOfReplaced(call, runs));
    await send(writer.stopAtBound() + writer.end({ usage: bill, cost: settled?.cost, isOurs: true }));
  }

  function isOurs({ estimated }: Bill): boolean {
    return estimated || delivery.runs.length > 1 || delivery.current.begun.carrier.isTranslated;
  }

  return {
    headers: {
      ...answerHeaders(tools, admission, first.step, first.begun),
      'content-type': call.dialect.stream.contentType?.(call.request) ?? 'text/event-stream; charset=utf-8',
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

const HUNG_UP = { status: 'client_gone', rule: 'hung_up' } as const;
const HOUR_OVER = { status: 'time_limit', rule: 'time_limit' } as const;

function isHourOver(error: unknown): boolean {
  return error instanceof AttemptFailed && error.outcome === 'too_slow';
}

/** Failures of the upstream or of the gateway are free. */
function unpaidEnding(error: unknown, status: FaultCode): UnpaidEnding {
  const isOurs = !(error instanceof AttemptFailed) || error.endsCall;
  return isOurs
    ? { status, rule: 'gateway_failed', reason: 'gateway_cut' }
    : { status, rule: 'upstream_failed', reason: 'stream_broken' };
}

/** The content, from as many runs as needed. Throws the reason why it ended early. */
async function sendContent(
  tools: RelayTools,
  admission: Admission,
  plan: Plan,
  delivery: Delivery,
  send: Send,
): Promise<'whole' | 'over_bound' | 'cut_short'> {
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
      const resumed = await resume(tools, admission, plan, delivery, failed);
      if (!resumed) throw failed;
      delivery.continueWith(resumed);
      writer = resumed.continued;
      caughtUp = resumed.continued.caughtUp;
    }
  }
}

const HOUR_OVER_TEXT =
  'The stream reached the time limit of one hour. Input, reasoning and the output delivered until then are charged. Request a shorter answer.';

function shownFault({ log }: RelayTools, requestId: string, error: unknown): Fault {
  if (isHourOver(error)) return fault('upstream_failed', { message: HOUR_OVER_TEXT });
  if (error instanceof AttemptFailed) return fault(error.endsCall ? 'unavailable' : 'upstream_failed');
  log('error', 'fault', { request_id: requestId, code: 'internal_error', detail: describeError(error) });
  return fault('internal_error');
}
