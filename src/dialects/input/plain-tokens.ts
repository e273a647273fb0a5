// A careful count of tokens, for where ours contradicts an upstream's report. Tokenizers put dozens of characters into one
// token where they repeat, and a picture in base64 is far fewer tokens than its letters: here such parts weigh nothing.

import { weighTokens } from '../../kit/tokens.ts';

/** Runs of one character, of white space and punctuation, and words too long for a language. */
const DENSE = /(.)\1{3,}|[\s!-/:-@[-`{-~]{4,}|[\w+/=-]{41,}/gs;

/** Never more than `weighTokens` makes of it. */
export function weighPlain(text: string): number {
  return weighTokens(text.replace(DENSE, ''));
}

/** Runs are found across the deltas of a stream, which are weighed together. */
const WEIGHED_CHARS = 1_024;

export class PlainTokens {
  #text = '';
  #weight = 0;

  add(text: string): void {
    this.#text += text;
    if (this.#text.length <= WEIGHED_CHARS) return;
    this.#weight += weighPlain(this.#text);
    this.#text = '';
  }

  total(): number {
    return this.#weight + weighPlain(this.#text);
  }
}
