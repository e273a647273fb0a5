// Reads an answer whose client has left or whose end was sent: to its end, for the usage that is reported there, or briefly, so
// that the connection can be reused.

import type { TaskListener } from '../kit/timer-lists.ts';
import type { BegunStream } from './begun.ts';
import type { Call } from './call.ts';
import { needsReport } from './needs-report.ts';

const MAX_STREAMS = 64;
const MAX_OF_ACCOUNT = 16;

/** Limits how many streams are read to their end after the client left, in all and for each account. */
export class ReadToEndLimit {
  readonly #byAccount = new Map<string, number>();
  #count = 0;

  tryAcquire(accountId: string): boolean {
    const own = this.#byAccount.get(accountId) ?? 0;
    if (this.#count >= MAX_STREAMS || own >= MAX_OF_ACCOUNT) return false;
    this.#count++;
    this.#byAccount.set(accountId, own + 1);
    return true;
  }

  release(accountId: string): void {
    const own = this.#byAccount.get(accountId) ?? 1;
    this.#count--;
    if (own > 1) this.#byAccount.set(accountId, own - 1);
    else this.#byAccount.delete(accountId);
  }
}

export const READ_TO_END_MS = 30_000;
const LAST_BYTES_MS = 500;

/** Reads for at most 30 s; then the stream is over or aborted. False if too many are being read already. */
export async function readToEnd({ tools, key: { accountId } }: Call, stream: BegunStream): Promise<boolean> {
  const { readToEndLimit } = tools;
  if (!readToEndLimit.tryAcquire(accountId)) return false;
  try {
    if (stream.reader.facts().tokensAfterStop !== undefined) stream.events.expectReport();
    await readRest(stream, READ_TO_END_MS);
    return true;
  } finally {
    readToEndLimit.release(accountId);
  }
}

/** The answer is complete; only the end of the body is missing. */
export async function readLastBytes(stream: BegunStream): Promise<void> {
  await readRest(stream, LAST_BYTES_MS);
  abandonStream(stream);
}

/** Ends the upstream's call, whatever it is doing. */
export function abandonStream({ events, watch, turns }: BegunStream): void {
  watch.abort('left');
  turns?.leave();
  watch.end();
  events.close();
}

async function readRest({ events, watch }: BegunStream, ms: number): Promise<void> {
  watch.setTimeUpListener(undefined);
  watch.limitTotal(ms);
  try {
    for (;;) {
      const event = events.next();
      if (event ? event.kind === 'broken' : !(await events.more())) return;
    }
  } catch {
    // The stream broke or the time is up: the facts read so far count.
  }
}

interface Waiting {
  /** Aborted when the wait is over. */
  signal: AbortSignal;
  /** Must be called; a second time does nothing. */
  end(): void;
}

/**
 * How long to wait for a whole answer after its client has left: up to 30 s if the bill needs the usage report, within the
 * limits for streams; otherwise the call ends at once.
 */
export function waitForAnswer(call: Call): Waiting {
  const mayWait = !call.request.stream && mayNeedReport(call);
  return mayWait ? new WaitForWhole(call) : { signal: call.gone, end: nothingToEnd };
}

function nothingToEnd(): void {}

function mayNeedReport(call: Call): boolean {
  for (const model of call.candidates) {
    for (const route of model.routes) if (needsReport(call, { model, route })) return true;
  }
  return false;
}

class WaitForWhole implements Waiting, EventListenerObject, TaskListener {
  readonly #call: Call;
  readonly #controller = new AbortController();
  /** Set while it waits without its client. */
  #stopTimer: (() => void) | undefined;

  constructor(call: Call) {
    this.#call = call;
    // The client left before anything was sent.
    if (call.gone.aborted) this.#controller.abort();
    else call.gone.addEventListener('abort', this, ONCE);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The client has left. */
  handleEvent(): void {
    const { tools, key } = this.#call;
    const { clock, readToEndLimit } = tools;
    if (readToEndLimit.tryAcquire(key.accountId)) this.#stopTimer = clock.after(READ_TO_END_MS, this);
    else this.#controller.abort();
  }

  onTime(): void {
    this.#controller.abort();
  }

  end(): void {
    const { tools, key, gone } = this.#call;
    gone.removeEventListener('abort', this);
    if (!this.#stopTimer) return;
    this.#stopTimer();
    this.#stopTimer = undefined;
    tools.readToEndLimit.release(key.accountId);
  }
}

const ONCE = { once: true };
