// A stream on its way to the client: events pass as they come, a broken upstream is replaced by another run, the last
// events wait for the bill. However it ends, it is closed once, and the client is told the truth in its own dialect.

import type { Sent, StreamEvent } from '../dialects/dialect.ts';
import { createShortcut, type Shortcut } from '../dialects/shortcut.ts';
import { type Fault, fault } from '../faults/fault.ts';
import { faultBody } from '../faults/write.ts';
import { failpoint } from '../kit/failpoint.ts';
import { describeError } from '../kit/log.ts';
import { answerHeaders } from './answer-headers.ts';
import type { BegunStream } from './attempt.ts';
import { AttemptFailed, type AttemptOutcome } from './attempt-failed.ts';
import type { BegunAnswer } from './begin-answer.ts';
import { billDelivered, billStream, type Run } from './bill.ts';
import { type Send, toByteStream } from './byte-stream.ts';
import type { Admission, Answer, RelayTools } from './call.ts';
import type { Closing } from './close.ts';
import { type EventFeed, HELD_UP, type Waiter } from './event-feed.ts';
import type { Plan } from './plan.ts';
import { drainStream, leaveStream, readLastBytes } from './read-on.ts';
import { resume } from './resume.ts';

/** More is not gathered for one sending. */
const MAX_FRAMES_CHARS = 16 * 1024;

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
  const runs: [Run, ...Run[]] = [runOf(first)];
  const left = new AbortController();
  let current = first;
  let isRunning = false;
  let hasLeft = false;
  let delivered: Sent = { hasOutput: false, hasMedia: false, tokens: 0, images: 0 };
  use(first);

  function use(next: BegunAnswer<BegunStream>): void {
    current = next;
    isRunning = true;
    if (next.step.model !== call.model) writer.rename(next.step.model.id);
    if (next.step.route.channel.drainOnAbort) next.begun.watch.outliveClient();
  }

  function endRun(outcome: AttemptOutcome | 'ok'): void {
    if (isRunning) current.ended(outcome);
    isRunning = false;
  }

  function onGone(): void {
    hasLeft = true;
    left.abort(new AttemptFailed('client_gone'));
    if (current.step.route.channel.drainOnAbort) current.begun.events.interrupt(left.signal.reason);
    else current.begun.watch.abort('client_gone');
  }

  async function deliver(send: Send): Promise<void> {
    try {
      await answer(send);
      endRun('ok');
      const bill = billStream(call, runs);
      // What stands behind the end is read for the connection's sake, and billed to nobody.
      void readLastBytes(current.begun);
      if (bill.reported === 'invalid') tools.alarms.raise('usage_invalid', { request_id: call.requestId, channel });
      const settled = await closing.settle('ok', bill, { first, last: current });
      const isOurs =
        bill.estimated || runs.length > 1 || current.begun.carrier.isTranslated || bill.isRestated === true;
      await send(writer.end({ usage: bill, cost: settled?.cost, isOurs }));
    } catch (error) {
      if (closing.done || (error instanceof AttemptFailed && error.outcome === 'client_gone')) return;
      const told = toldTo(tools, call.requestId, error);
      await closing.release(told.code, { giveBackSlots: true, channel });
      await send(
        writer.error(faultBody(told, call.dialect.envelope, { requestId: call.requestId, publicUrl: tools.publicUrl })),
      );
    } finally {
      if (!closing.done) await (tools.cut.signal.aborted ? closeForCut() : closeForGone());
    }
  }

  /** The content, from as many runs as it takes. */
  async function answer(send: Send): Promise<void> {
    let write: Write = writer.write;
    let caughtUp = () => true;
    for (;;) {
      try {
        await passOn(send, current.begun.events, write);
        if (!current.begun.reader.isFinished()) throw new AttemptFailed('cut');
        if (!caughtUp()) throw new AttemptFailed('mismatch');
        return;
      } catch (error) {
        if (hasLeft) throw left.signal.reason;
        const failed = current.begun.watch.explain(error);
        if (failed.outcome === 'client_gone') throw failed;
        // Nothing is missing but the usage, or the end mark.
        if (current.begun.reader.isFinished() && caughtUp()) return;
        endRun(failed.outcome);
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

  function noteDelivered(sent: Sent): void {
    if (hasLeft) throw left.signal.reason;
    failpoint(delivered.tokens === 0 ? 'K4' : 'K5');
    delivered = sent;
  }

  /** One run's events, until it is done or has no more. What came together goes out together. */
  function passOn(send: Send, events: EventFeed, write: Write): Promise<void> {
    return new Promise((resolve, reject) => {
      // Callbacks, because this is done for every bit of every stream.
      const waiter: Waiter = { resolve: (hasMore) => (hasMore ? step() : resolve()), reject, passBytes };
      // What another run says anew must be seen event by event.
      const shortcut = write === writer.write ? createShortcut(current.begun.reader, writer) : undefined;

      function passBytes(bytes: Uint8Array): number {
        const frames = hasLeft ? undefined : shortcut?.take(bytes);
        if (!frames || !shortcut) return 0;
        const sent = writer.sent();
        try {
          const blocked = send(frames);
          if (!blocked) noteDelivered(sent);
          // With a rest, that goes after it and waits for both.
          if (!blocked || shortcut.taken() < bytes.length) return shortcut.taken();
          blocked.then(() => goOn(sent, 'none')).catch(reject);
        } catch (error) {
          reject(error);
        }
        return HELD_UP;
      }

      function step(): void {
        try {
          if (hasLeft) throw left.signal.reason;
          shortcut?.pause();
          const { frames, end } = writeReady(events, write, shortcut);
          const blocked = send(frames);
          const sent = frames === '' && !blocked ? undefined : writer.sent();
          if (blocked) blocked.then(() => goOn(sent, end)).catch(reject);
          else goOn(sent, end);
        } catch (error) {
          reject(error);
        }
      }

      function goOn(sent: Sent | undefined, end: Ready['end']): void {
        if (sent) noteDelivered(sent);
        if (end instanceof Error) reject(end);
        else if (end === 'done') resolve();
        else if (end === 'none') events.wait(waiter);
        else queueMicrotask(step);
      }

      step();
    });
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
    // It did well as long as somebody listened.
    endRun('ok');
    if (current.step.route.channel.drainOnAbort && delivered.hasOutput) await drainStream(tools, current.begun);
    leaveStream(current.begun);
    if (delivered.hasOutput)
      await closing.settle('client_gone', billDelivered(call, runs, delivered), { first, last: current });
    else await closing.release('client_gone', { giveBackSlots: false, channel });
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
      gone: call.gone,
      cut: tools.cut,
      keepAlive: () => writer.keepAlive(),
      onGone,
    }),
  };
}

type Write = (event: StreamEvent) => string | 'mismatch';

interface Ready {
  frames: string;
  /** Why there is no more: the run is done, or broken; `none`: more must be read; `enough`: this must go out first. */
  end: 'done' | 'none' | 'enough' | Error;
}

/** Frames for all the events that need no waiting, as far as a slow client may leave them waiting. */
function writeReady(events: EventFeed, write: Write, shortcut: Shortcut | undefined): Ready {
  let frames = '';
  try {
    while (frames.length < MAX_FRAMES_CHARS) {
      const event = events.next();
      if (!event) return { frames, end: 'none' };
      if (event.kind === 'done') return { frames, end: 'done' };
      if (event.kind === 'broken') return { frames, end: new AttemptFailed('error_event') };
      const written = write(event);
      if (written === 'mismatch') return { frames, end: new AttemptFailed('mismatch') };
      frames += written;
      const alone = event.repeat && events.alone();
      if (alone) shortcut?.learn(alone, event);
    }
    return { frames, end: 'enough' };
  } catch (error) {
    return { frames, end: error instanceof Error ? error : new Error(String(error)) };
  }
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
