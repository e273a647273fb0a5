// Joins the turns of a paused answer, as if the upstream had answered with one stream.

import type { PausedTurn, StreamReader } from '../dialects/dialect.ts';
import type { WholeTurn } from '../dialects/translate/adapters.ts';
import { AttemptFailed } from './attempt-failed.ts';
import type { StreamedTurns } from './begun.ts';
import type { ByteSource } from './event-feed.ts';
import type { NextTurns } from './next-turns.ts';

/** The text of the first turn if no other followed, else a stream with all of them. */
export async function joinWhole(
  text: string,
  next: NextTurns,
  read: (response: Response) => Promise<string>,
): Promise<string> {
  const { mayBePaused, readTurn } = next.turns;
  const first = mayBePaused(text) ? readTurn(text) : undefined;
  if (!first?.paused) return text;
  const streams: string[] = [];
  for (let turn: WholeTurn | undefined = first; turn; ) {
    streams.push(turn.stream);
    turn = turn.paused && (await next.request(turn.paused, take));
  }
  return streams.length === 1 ? text : streams.join('');

  async function take(response: Response): Promise<WholeTurn> {
    const turn = readTurn(await read(response));
    if (!turn) throw new AttemptFailed('not_an_answer');
    return turn;
  }
}

const OVER = { done: true, value: undefined } as const;

/** When more bytes are read, the stream reader has read all before, and knows whether the turn was paused. */
export class TurnSource implements ByteSource, StreamedTurns {
  readonly #reader: StreamReader;
  readonly #next: NextTurns;
  readonly #open: (response: Response) => Promise<ByteSource>;
  #source: ByteSource;
  /** The last turn after which another was requested. */
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
    if (paused && paused !== this.#continued && !(await this.#openNext(paused))) return OVER;
    const read = await this.#source.read();
    if (read.done && this.#isAwaited) throw new AttemptFailed('cut');
    return read;
  }

  stop(): void {
    this.#isStopped = true;
  }

  leave(): void {
    if (this.#isAwaited) this.#next.leave();
  }

  cancel(): Promise<void> {
    return this.#source.cancel();
  }

  /** A turn was requested and has not begun. */
  get #isAwaited(): boolean {
    return this.#continued !== undefined && this.#reader.paused?.() === this.#continued;
  }

  async #openNext(paused: PausedTurn): Promise<boolean> {
    if (this.#isStopped) return false;
    this.#source.cancel().catch(() => {});
    this.#continued = paused;
    const source = await this.#next.request(paused, this.#open);
    if (source) this.#source = source;
    return source !== undefined;
  }
}
