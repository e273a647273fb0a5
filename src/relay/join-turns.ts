// The turns of a paused answer one after the other, as if the upstream had answered once: the texts of whole answers joined,
// the bytes of streams behind each other.

import type { PausedTurn, StreamReader } from '../dialects/dialect.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { StreamedTurns } from './begun.ts';
import type { ByteSource } from './event-feed.ts';
import type { NextTurns } from './next-turns.ts';

/** The text of the whole answer. */
export async function joinWhole(
  text: string,
  next: NextTurns,
  read: (response: Response) => Promise<string>,
): Promise<string> {
  const texts = [text];
  let joined = text;
  for (let last = text; ; ) {
    const paused = next.turns.readPaused(last);
    const answered = paused && (await next.ask(paused, (response) => read(response).then(join)));
    if (!answered) return joined;
    ({ last, joined } = answered);
  }

  function join(last: string) {
    texts.push(last);
    const joined = next.turns.joinTurns(texts);
    if (joined === undefined) throw new AttemptFailed('not_an_answer');
    return { last, joined };
  }
}

const OVER = { done: true, value: undefined } as const;

/** By the time that more is wanted, the reader has read all that came: then it knows whether the turn was paused. */
export class TurnSource implements ByteSource, StreamedTurns {
  readonly #reader: StreamReader;
  readonly #next: NextTurns;
  readonly #open: (response: Response) => Promise<ByteSource>;
  #source: ByteSource;
  /** The last turn that was to be followed by another. */
  #continued: PausedTurn | undefined;
  #isStopped = false;

  constructor(
    first: ByteSource,
    reader: StreamReader,
    next: NextTurns,
    open: (response: Response) => Promise<ByteSource>,
  ) {
    this.#source = first;
    this.#reader = reader;
    this.#next = next;
    this.#open = open;
  }

  get isContinued(): boolean {
    return this.#continued !== undefined;
  }

  async read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    const paused = this.#reader.paused?.();
    if (paused && paused !== this.#continued && !(await this.#goOn(paused))) return OVER;
    try {
      return await this.#source.read();
    } catch (error) {
      // The next turn broke off before it began: what came before it is the answer.
      if (paused) return OVER;
      throw error;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  cancel(): Promise<void> {
    return this.#source.cancel();
  }

  async #goOn(paused: PausedTurn): Promise<boolean> {
    if (this.#isStopped) return false;
    this.#source.cancel().catch(() => {});
    this.#continued = paused;
    const source = await this.#next.ask(paused, this.#open);
    if (source) this.#source = source;
    return source !== undefined;
  }
}
