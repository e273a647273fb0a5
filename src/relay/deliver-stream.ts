// A stream on its way to the client: events pass as they come, a broken upstream is replaced by another run, the last
// events wait for the bill. However it ends, it is closed once, and the client is told the truth in its own dialect.

import { type Fault, fault } from '../faults/fault.ts';
import { faultBody } from '../faults/write.ts';
import { describeError } from '../kit/log.ts';
import { answerHeaders } from './answer-headers.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { BegunAnswer, BegunStream } from './begun.ts';
import { billStream } from './bill.ts';
import { type Send, toByteStream } from './byte-stream.ts';
import type { Admission, Answer, RelayTools } from './call.ts';
import type { Closing } from './close.ts';
import { closeForCut, closeForGone } from './close-stream.ts';
import { Delivery } from './delivery.ts';
import { OUTCOMES } from './outcomes.ts';
import { type FrameWriter, passOn } from './pass-on.ts';
import type { Plan } from './plan.ts';
import { leaveStream, readLastBytes } from './read-on.ts';
import { resume } from './resume.ts';

export function deliverStream(
  tools: RelayTools,
  admission: Admission,
  closing: Closing,
  plan: Plan,
  first: BegunAnswer<BegunStream>,
): Answer {
  const { call } = admission;
  const { requestId } = call;
  const writer = call.dialect.createStreamWriter(call.request, { keepText: plan.mayPrefill });
  const delivery = new Delivery(call, writer, first);
  const { channel } = delivery;

  async function deliver(send: Send): Promise<void> {
    try {
      await sendContent(tools, admission, plan, delivery, send);
      await settleAndEnd(send);
    } catch (error) {
      if (closing.done) return;
      // One that only counts as gone is broken off: it must not take what it has for the whole answer.
      if (error instanceof AttemptFailed && error.outcome === 'client_gone') throw error;
      const told = toldTo(tools, requestId, error);
      await closing.release(told.code, { giveBackSlots: true, first });
      await send(writer.error(faultBody(told, call.dialect.envelope, { requestId, publicUrl: tools.publicUrl })));
    } finally {
      if (!closing.done) {
        await (tools.cut.signal.aborted
          ? closeForCut(closing, delivery)
          : closeForGone(tools, call, closing, delivery));
      }
    }
  }

  async function settleAndEnd(send: Send): Promise<void> {
    const { runs, current, served } = delivery;
    delivery.endRun('ok');
    const bill = billStream(call, runs);
    // What stands behind the end is read for the connection's sake, and billed to nobody.
    void readLastBytes(current.begun);
    if (bill.reported === 'invalid') tools.alarms.raise('usage_invalid', { request_id: requestId, channel });
    const settled = await closing.settle('ok', bill, served);
    const isOurs = bill.estimated || runs.length > 1 || current.begun.carrier.isTranslated;
    await send(writer.end({ usage: bill, cost: settled?.cost, isOurs }));
  }

  return {
    headers: {
      ...answerHeaders(tools, admission, channel, first.begun),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
    body: toByteStream(deliver, {
      clock: tools.clock,
      connection: call.connection,
      gone: call.gone,
      cut: tools.cut,
      keepAlive: () => writer.keepAlive(),
      onGone: () => delivery.leave(),
    }),
  };
}

/** The content, from as many runs as it takes. Throws why there is no more of it. */
async function sendContent(
  tools: RelayTools,
  admission: Admission,
  plan: Plan,
  delivery: Delivery,
  send: Send,
): Promise<void> {
  let writer: FrameWriter = delivery.writer;
  let caughtUp = () => true;
  for (;;) {
    const { begun } = delivery.current;
    try {
      await passOn(delivery, send, writer);
      if (!begun.reader.isFinished()) throw new AttemptFailed('cut');
      if (!caughtUp()) throw new AttemptFailed('mismatch');
      return;
    } catch (error) {
      delivery.requireClient();
      const failed = begun.watch.explain(error);
      if (failed.outcome === 'client_gone') throw failed;
      // Nothing is missing but the usage, or the end mark.
      if (begun.reader.isFinished() && caughtUp()) return;
      delivery.endRun(failed.outcome);
      leaveStream(begun);
      if (OUTCOMES[failed.outcome].endsStream) throw failed;
      const resumed = await resume(tools, admission, plan, delivery, failed);
      if (!resumed) throw failed;
      delivery.goOnWith(resumed);
      writer = resumed.continued;
      caughtUp = resumed.continued.caughtUp;
    }
  }
}

function toldTo({ log }: RelayTools, requestId: string, error: unknown): Fault {
  if (error instanceof AttemptFailed) return fault(error.endsCall ? 'unavailable' : 'upstream_failed');
  log('error', 'fault', { request_id: requestId, code: 'internal_error', detail: describeError(error) });
  return fault('internal_error');
}
