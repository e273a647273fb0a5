// A stream on its way to the client: events pass as they come, a broken upstream is replaced by another run, the last
// events wait for the bill. However it ends, it is closed once, and the client is told the truth in its own dialect.

import type { Sent, StreamEvent } from '../dialects/dialect.ts';
import { type Fault, fault } from '../faults/fault.ts';
import { faultBody } from '../faults/write.ts';
import { failpoint } from '../kit/failpoint.ts';
import { describeError } from '../kit/log.ts';
import { untilAborted } from '../kit/until-aborted.ts';
import { answerHeaders } from './answer-headers.ts';
import type { BegunStream } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { BegunAnswer } from './begin-answer.ts';
import { billDelivered, billStream, type Run } from './bill.ts';
import { toByteStream } from './byte-stream.ts';
import type { Admission, Answer, RelayTools } from './call.ts';
import type { Closing } from './close.ts';
import type { Plan } from './plan.ts';
import { drainStream, leaveStream, readLastBytes } from './read-on.ts';
import { resume } from './resume.ts';

export function deliverStream(
  tools: RelayTools,
  admission: Admission,
  closing: Closing,
  plan: Plan,
  first: BegunAnswer<BegunStream>,
): Answer {
  const { call } = admission;
  const writer = call.dialect.createStreamWriter(call.request, { keepText: plan.mayPrefill });
  const channel = first.step.route.channel.name;
  const served = { channel, firstTokenMs: first.begun.firstTokenMs };
  const runs: [Run, ...Run[]] = [runOf(first)];
  const left = new AbortController();
  let current = first;
  let delivered: Sent = { tokens: 0, images: 0 };
  use(first);

  function use(next: BegunAnswer<BegunStream>): void {
    current = next;
    if (next.step.model !== call.model) writer.rename(next.step.model.id);
    if (next.step.route.channel.drainOnAbort) next.begun.watch.outliveClient();
  }

  function onGone(): void {
    left.abort(new AttemptFailed('client_gone'));
    if (!current.step.route.channel.drainOnAbort) current.begun.watch.abort('client_gone');
  }

  async function* events(): AsyncGenerator<string> {
    try {
      yield* answer();
      void readLastBytes(current.begun);
      current.ended('ok');
      const bill = billStream(call, runs);
      if (bill.reported === 'invalid') tools.alarms.raise('usage_invalid', { request_id: call.requestId, channel });
      const settled = await closing.settle('ok', bill, served);
      const isOurs =
        bill.estimated || runs.length > 1 || current.begun.carrier.isTranslated || bill.isRestated === true;
      yield writer.end({ usage: bill, cost: settled?.cost, isOurs });
    } catch (error) {
      if (closing.done || (error instanceof AttemptFailed && error.outcome === 'client_gone')) return;
      const told = toldTo(tools, call.requestId, error);
      await closing.release(told.code, { giveBackSlots: true, channel });
      yield writer.error(
        faultBody(told, call.dialect.envelope, { requestId: call.requestId, publicUrl: tools.publicUrl }),
      );
    } finally {
      if (!closing.done) await (tools.cut.aborted ? closeForCut() : closeForGone());
    }
  }

  /** The content, from as many runs as it takes. */
  async function* answer(): AsyncGenerator<string> {
    let write: (event: StreamEvent) => string | 'mismatch' = writer.write;
    let caughtUp = () => true;
    for (;;) {
      try {
        for (;;) {
          const { done, value } = await untilAborted(current.begun.events.next(), left.signal);
          if (done || value.kind === 'done') break;
          if (value.kind === 'broken') throw new AttemptFailed('error_event');
          const frames = write(value);
          if (frames === 'mismatch') throw new AttemptFailed('mismatch');
          if (frames === '') continue;
          const sent = writer.sent();
          yield frames;
          failpoint(delivered.tokens === 0 ? 'K4' : 'K5');
          delivered = sent;
        }
        if (!current.begun.reader.facts().finished) throw new AttemptFailed('cut');
        if (!caughtUp()) throw new AttemptFailed('mismatch');
        return;
      } catch (error) {
        if (left.signal.aborted) throw left.signal.reason;
        const failed = current.begun.watch.explain(error);
        if (failed.outcome === 'client_gone') throw failed;
        // Nothing is missing but the usage, or the end mark.
        if (current.begun.reader.facts().finished && caughtUp()) return;
        current.ended(failed.outcome);
        leaveStream(current.begun);
        if (isFinal(failed)) throw failed;
        const resumed = await resume(tools, resumable(), plan, writer, failed);
        if (!resumed) throw failed;
        use(resumed);
        runs.push(runOf(resumed));
        write = resumed.continued.write;
        caughtUp = resumed.continued.caughtUp;
      }
    }
  }

  /** The admission for a run that must end when the client stops reading, too. */
  function resumable(): Admission {
    return { ...admission, call: { ...call, gone: AbortSignal.any([call.gone, left.signal]) } };
  }

  /** We cut it while the client was not reading: it cannot be told, and does not pay. */
  async function closeForCut(): Promise<void> {
    leaveStream(current.begun);
    await closing.release('unavailable', { giveBackSlots: true, channel });
  }

  async function closeForGone(): Promise<void> {
    const hasDelivered = delivered.tokens > 0 || delivered.images > 0;
    if (current.step.route.channel.drainOnAbort && hasDelivered) await drainStream(tools, current.begun);
    leaveStream(current.begun);
    if (hasDelivered) await closing.settle('client_gone', billDelivered(call, runs, delivered), served);
    else await closing.release('client_gone', { giveBackSlots: false, channel });
  }

  return {
    headers: {
      ...answerHeaders(tools, admission, channel, first.begun.carrier),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
    body: toByteStream(events(), {
      clock: tools.clock,
      gone: call.gone,
      cut: tools.cut,
      keepAlive: () => writer.keepAlive(),
      onGone,
    }),
  };
}

function runOf({
  step,
  begun,
  prefilledTokens,
}: BegunAnswer<BegunStream> & { prefilledTokens?: number | undefined }): Run {
  return { model: step.model, reader: begun.reader, prefilledTokens };
}

/** We ended it ourselves, and another run would fare no better. */
function isFinal({ outcome }: AttemptFailed): boolean {
  return outcome === 'drained' || outcome === 'too_slow';
}

function toldTo({ log }: RelayTools, requestId: string, error: unknown): Fault {
  if (error instanceof AttemptFailed) return fault(error.outcome === 'drained' ? 'unavailable' : 'upstream_failed');
  log('error', 'fault', { request_id: requestId, code: 'internal_error', detail: describeError(error) });
  return fault('internal_error');
}
