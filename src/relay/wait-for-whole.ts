// How long to wait for a whole answer after its client has left: up to 30 s if the bill needs the usage report, within the limits
// for streams that are read to their end; otherwise the call ends at once.

import type { TaskListener } from '../kit/timer-lists.ts';
import type { Call, RelayTools } from './call.ts';
import { needsReport } from './needs-report.ts';
import { READ_TO_END_MS } from './read-to-end.ts';

interface Waiting {
  /** Aborted when the wait is over. */
  signal: AbortSignal;
  /** Must be called; a second time does nothing. */
  end(): void;
}

type Tools = Pick<RelayTools, 'clock' | 'readToEndLimit' | 'reasoning'>;

export function waitForAnswer(tools: Tools, call: Call): Waiting {
  const { gone, request } = call;
  const mayWait = !request.stream && mayNeedReport(tools, call);
  return mayWait ? new WaitForWhole(tools, call) : { signal: gone, end: nothingToEnd };
}

function nothingToEnd(): void {}

function mayNeedReport(tools: Tools, call: Call): boolean {
  for (const model of call.candidates) {
    for (const route of model.routes) if (needsReport(tools, call, { model, route })) return true;
  }
  return false;
}

class WaitForWhole implements Waiting, EventListenerObject, TaskListener {
  readonly #tools: Tools;
  readonly #call: Call;
  readonly #controller = new AbortController();
  /** Set while it waits without its client. */
  #stopTimer: (() => void) | undefined;

  constructor(tools: Tools, call: Call) {
    this.#tools = tools;
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
    const { clock, readToEndLimit } = this.#tools;
    if (readToEndLimit.tryAcquire(this.#call.key.accountId)) this.#stopTimer = clock.after(READ_TO_END_MS, this);
    else this.#controller.abort();
  }

  onTime(): void {
    this.#controller.abort();
  }

  end(): void {
    this.#call.gone.removeEventListener('abort', this);
    if (!this.#stopTimer) return;
    this.#stopTimer();
    this.#stopTimer = undefined;
    this.#tools.readToEndLimit.release(this.#call.key.accountId);
  }
}

const ONCE = { once: true };
