// Whether an upstream sends more output than its bound. Our own count of tokens may be too high by a few times, as
// for tables and white space. So above the bound by that count, words are counted, each of which is at least one token.

import type { Segment, Sent } from '../dialects/dialect.ts';

const MARGIN = { share: 1.25, tokens: 64 };
const WORD = /[\p{L}\p{N}]+/gu;
/** Tokenizers merge two of these, seldom more. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

export class OutputBound {
  readonly #tokens: number;
  #isNear = false;
  #words = 0;

  constructor(tokens: number) {
    this.#tokens = tokens;
  }

  /** From here on every segment must be counted. */
  get isNear(): boolean {
    return this.#isNear;
  }

  noteDelivered({ tokens }: Readonly<Sent>): void {
    if (tokens > this.#tokens * MARGIN.share + MARGIN.tokens) this.#isNear = true;
  }

  /** Another run begins, and may repeat what was sent. */
  restart(): void {
    this.#words = 0;
  }

  /** Whether the words since the bound was near exceed the bound. */
  isPassedBy(segments: readonly Segment[]): boolean {
    for (const { text } of segments) this.#words += countWords(text);
    return this.#words > this.#tokens;
  }
}

function countWords(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return (text.match(WORD)?.length ?? 0) + wide / 2;
}
