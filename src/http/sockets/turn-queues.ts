// The order of the turns of one socket: those of one stream run one after the other, those of different streams at the same
// time, up to a bound. The numbers are OpenAI's, except for the turns that may wait, which it does not bound.

import { fault } from '../../faults/fault.ts';

export const MAX_RUNNING = 16;
export const MAX_WAITING = 32;
/** Streams with a name, over the life of a socket. */
export const MAX_NAMES = 32;

export class TurnQueues {
  readonly #names = new Set<string>();
  /** The last turn of each stream. */
  readonly #last = new Map<string | undefined, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** Throws if that would be one name too many; otherwise resolves when the turn has ended. */
  async run(streamId: string | undefined, turn: () => Promise<void>): Promise<void> {
    this.#note(streamId);
    const before = this.#last.get(streamId);
    const ended = this.#after(before, turn);
    this.#last.set(streamId, ended);
    await ended;
    if (this.#last.get(streamId) === ended) this.#last.delete(streamId);
  }

  async #after(before: Promise<void> | undefined, turn: () => Promise<void>): Promise<void> {
    await before;
    if (this.#running >= MAX_RUNNING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      await turn();
    } finally {
      // The next one takes over the place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #note(streamId: string | undefined): void {
    if (streamId === undefined || this.#names.has(streamId)) return;
    if (this.#names.size >= MAX_NAMES) throw fault('websocket_stream_limit_reached', { param: 'stream_id' });
    this.#names.add(streamId);
  }
}
