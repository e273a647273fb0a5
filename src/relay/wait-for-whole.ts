// How long a whole answer is waited for after its client has left. Only the upstream's report says what such an answer took,
// so it is waited for as a stream is read on: for half a minute, if there is a place. Free calls end at once.

import type { TaskListener } from '../kit/timer-lists.ts';
import type { Call, RelayTools } from './call.ts';
import { READ_ON_MS } from './read-on.ts';

export interface Waiting {
  /** Aborted when the answer is waited for no longer. */
  signal: AbortSignal;
  /** Must be called once. */
  end(): void;
}

export function waitForAnswer(tools: Pick<RelayTools, 'clock' | 'readingOn'>, call: Call): Waiting {
  const { gone, model, request } = call;
  return request.stream || model.free ? { signal: gone, end: () => {} } : new WaitForWhole(tools, call);
}

class WaitForWhole implements Waiting, EventListenerObject, TaskListener {
  readonly #tools: Pick<RelayTools, 'clock' | 'readingOn'>;
  readonly #call: Call;
  readonly #controller = new AbortController();
  /** Set while the answer is waited for without its client. */
  #stopTimer: (() => void) | undefined;

  constructor(tools: Pick<RelayTools, 'clock' | 'readingOn'>, call: Call) {
    this.#tools = tools;
    this.#call = call;
    // One that has left before an upstream was asked is not waited for.
    if (call.gone.aborted) this.#controller.abort();
    else call.gone.addEventListener('abort', this, ONCE);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The client has left. */
  handleEvent(): void {
    const { clock, readingOn } = this.#tools;
    if (readingOn.tryAcquire(this.#call.key.accountId)) this.#stopTimer = clock.after(READ_ON_MS, this);
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
    this.#tools.readingOn.release(this.#call.key.accountId);
  }
}

const ONCE = { once: true };
