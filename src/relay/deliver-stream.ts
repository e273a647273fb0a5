// A stream on its way to the client: events pass as they come, a broken upstream is replaced by another run, the last
// events wait for the bill. However it ends, it is closed once, and the client is told the truth in its own dialect.

import type { StreamEvent } from '../dialects/dialect.ts';
import { fault } from '../faults/fault.ts';
import { faultBody } from '../faults/write.ts';
import { answerHeaders } from './answer-headers.ts';
import type { BegunStream } from './attempt.ts';
import { AttemptFailed } from './attempt-failed.ts';
import { noteAttempt } from './begin-answer.ts';
import { billDelivered, billStream, type Run } from './bill.ts';
import { toByteStream } from './byte-stream.ts';
import type { Admission, Answer, RelayTools } from './call.ts';
import type { Closing } from './close.ts';
import type { Plan, Step } from './plan.ts';
import { resume } from './resume.ts';

export interface StreamStart {
  plan: Plan;
  step: Step;
  begun: BegunStream;
}

export function deliverStream(tools: RelayTools, admission: Admission, closing: Closing, start: StreamStart): Answer {
  const { call } = admission;
  const writer = call.dialect.createStreamWriter(call.request);
  const channel = start.step.route.channel.name;
  const served = { channel, firstTokenMs: start.begun.firstTokenMs };
  if (start.step.model !== call.model) writer.rename(start.step.model.id);
  const runs: Run[] = [{ model: start.step.model, reader: start.begun.reader, prefilledTokens: 0 }];
  let current = start.begun;
  let hasSent = false;

  async function* events(): AsyncGenerator<string> {
    try {
      const held = yield* answer();
      const bill = billStream(call, runs);
      if (bill.reported === 'invalid') tools.alarms.raise('usage_invalid', { request_id: call.requestId, channel });
      const settled = await closing.settle('ok', bill, served);
      yield writer.end(held, { usage: bill, cost: settled?.cost, isOurs: bill.estimated });
    } catch (error) {
      const failed = current.watch.explain(error);
      if (failed.outcome === 'client_gone' || closing.done) return;
      const told = failed.outcome === 'drained' ? fault('unavailable') : fault('upstream_failed');
      await closing.release(told.code, { giveBackSlots: true, channel });
      yield writer.error(
        faultBody(told, call.dialect.envelope, { requestId: call.requestId, publicUrl: tools.publicUrl }),
      );
    } finally {
      stop(current);
      if (!closing.done && hasSent) await closing.settle('client_gone', billDelivered(call, runs), served);
      else if (!closing.done) await closing.release('client_gone', { giveBackSlots: false, channel });
    }
  }

  /** The content, from as many runs as it takes; returns the events that wait for the bill. */
  async function* answer(): AsyncGenerator<string, StreamEvent[]> {
    let step = start.step;
    let write = writer.write;
    let caughtUp = () => true;
    for (;;) {
      const startedAt = tools.clock.monotonic();
      const held: StreamEvent[] = [];
      try {
        for await (const event of current.events) {
          if (event.kind === 'done') break;
          if (event.kind === 'broken') throw new AttemptFailed('error_event');
          if (event.kind === 'held') {
            held.push(event);
            continue;
          }
          const frames = write(event);
          if (frames === 'mismatch') throw new AttemptFailed('mismatch');
          if (frames === '') continue;
          yield frames;
          hasSent = true;
        }
        if (!current.reader.facts().finished) throw new AttemptFailed('cut');
        if (!caughtUp()) throw new AttemptFailed('mismatch');
        return held;
      } catch (error) {
        const failed = current.watch.explain(error);
        stop(current);
        if (failed.outcome === 'client_gone' || failed.outcome === 'drained') throw failed;
        noteAttempt(tools, admission, step, startedAt, failed.outcome);
        const resumed = await resume(tools, admission, start.plan, writer, failed);
        if (!resumed) throw failed;
        step = resumed.step;
        current = resumed.begun;
        if (step.model !== call.model) writer.rename(step.model.id);
        const continued = resumed.writer;
        write = (event) => continued.write(event);
        caughtUp = () => continued.caughtUp();
        runs.push({ model: step.model, reader: current.reader, prefilledTokens: resumed.prefilledTokens });
      }
    }
  }

  return {
    headers: {
      ...answerHeaders(tools, admission, channel),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
    body: toByteStream(events(), {
      clock: tools.clock,
      gone: call.gone,
      keepAlive: writer.keepAlive,
      onGone: () => current.watch.abort('client_gone'),
    }),
  };
}

function stop({ watch }: BegunStream): void {
  watch.abort('client_gone');
  watch.end();
}
