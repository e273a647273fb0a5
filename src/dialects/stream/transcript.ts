// Records the content sent to a client, as length and running hash of each slot: enough to recognize the same beginning in
// another run without keeping the text. The text itself is kept only where it may be needed to continue an answer, up to a
// limit.

import { createHash, type Hash } from 'node:crypto';
import { weighTokens } from '../../kit/tokens.ts';
import { isMedia, type Segment, type Sent } from '../dialect.ts';
import { PlainTokens } from '../input/plain-tokens.ts';
import { answerOf, type Comparison, compareRun } from './continue-fresh.ts';

const MAX_KEPT_CHARS = 1024 * 1024;

/** Noted bytes are decoded in chunks of this size. */
const NOTED_BYTES = 512;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface Slot {
  length: number;
  hash: Hash;
  /** Not hashed yet: many small segments are hashed as one. */
  rest: string;
  plain: PlainTokens;
}

const MAX_REST_CHARS = 1_024;

function hashRest(slot: Slot): void {
  slot.hash.update(slot.rest, 'utf16le');
  slot.plain.add(slot.rest);
  slot.rest = '';
}

export class Transcript {
  /** Updated with every segment. */
  readonly sent: Sent = { hasOutput: false, hasMedia: false, tokens: 0, images: 0 };
  readonly #slots = new Map<string, Slot>();
  #kept: string[] | undefined;
  #keptChars = 0;
  /** Bytes that were noted and not yet added to a slot. */
  #noted: Uint8Array | undefined;
  #notedBytes = 0;
  #notedIn = '';

  constructor({ keepText }: { keepText: boolean }) {
    this.#kept = keepText ? [] : undefined;
  }

  add(segment: Segment): void {
    const { slot, text } = segment;
    this.#putNoted();
    this.#put(slot, text);
    if (isMedia(segment)) this.sent.hasMedia = true;
    else this.sent.tokens += weighTokens(text);
  }

  /** The same for text as bytes of UTF-8 whose tokens were already counted. */
  note(slot: string, bytes: Uint8Array, from: number, to: number, tokens: number): void {
    if (slot !== this.#notedIn || this.#notedBytes + to - from > NOTED_BYTES) this.#putNoted();
    this.#notedIn = slot;
    this.sent.tokens += tokens;
    if (to - from > NOTED_BYTES) {
      this.#put(slot, decoder.decode(bytes.subarray(from, to)));
      return;
    }
    this.#noted ??= new Uint8Array(NOTED_BYTES);
    for (let at = from; at < to; at++) this.#noted[this.#notedBytes++] = bytes[at] ?? 0;
  }

  /** Tokens of all text, by the careful count. */
  plainTokens(): number {
    this.#putNoted();
    let tokens = 0;
    for (const slot of this.#slots.values()) {
      hashRest(slot);
      tokens += slot.plain.total();
    }
    return tokens;
  }

  /** The text, if there is only one slot, it has no media, and its text was kept. */
  onlyText(slot: string): string | undefined {
    this.#putNoted();
    return !this.sent.hasMedia && this.#slots.size === 1 && this.#slots.has(slot) ? this.#kept?.join('') : undefined;
  }

  /** The answers of which something was sent, as their slots name them. */
  answers(): Set<string> {
    this.#putNoted();
    return new Set(Array.from(this.#slots.keys(), answerOf));
  }

  compare(): Comparison {
    this.#putNoted();
    for (const slot of this.#slots.values()) hashRest(slot);
    const digests = Array.from(this.#slots, ([name, { length, hash }]) => {
      return [name, { length, digest: hash.copy().digest('hex') }] as const;
    });
    return compareRun(new Map(digests));
  }

  #slotOf(name: string): Slot {
    const known = this.#slots.get(name);
    if (known) return known;
    const slot: Slot = { length: 0, hash: createHash('sha256'), rest: '', plain: new PlainTokens() };
    this.#slots.set(name, slot);
    this.sent.hasOutput = true;
    return slot;
  }

  #put(name: string, text: string): void {
    const slot = this.#slotOf(name);
    slot.length += text.length;
    slot.rest += text;
    if (slot.rest.length > MAX_REST_CHARS) hashRest(slot);
    this.#keptChars += text.length;
    if (this.#keptChars > MAX_KEPT_CHARS) this.#kept = undefined;
    this.#kept?.push(text);
  }

  #putNoted(): void {
    if (!this.#noted || this.#notedBytes === 0) return;
    this.#put(this.#notedIn, decoder.decode(this.#noted.subarray(0, this.#notedBytes)));
    this.#notedBytes = 0;
  }
}
