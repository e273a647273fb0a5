// Compares the content of a fresh run with what the client was sent, slot by slot, by length and hash.

import { createHash, type Hash } from 'node:crypto';
import { isMedia, type Segment } from '../dialect.ts';

/** The new part of an event's texts, by slot; empty where the client has all of it. */
export type NewTexts = ReadonlyMap<string, string>;

export interface Comparison {
  /** Undefined if the run differs from what was sent. */
  take(segments: readonly Segment[]): NewTexts | undefined;
  /** Whether the run has repeated everything that was sent, in all answers or in the given one. */
  caughtUp(answer?: string): boolean;
  /** Whether content of this slot was sent before this run. */
  wasSent(slot: string): boolean;
}

/** All that was sent of a slot. */
interface SentText {
  length: number;
  digest: string;
}

const NOTHING: SentText = { length: 0, digest: '' };

export function compareRun(sent: ReadonlyMap<string, SentText>): Comparison {
  const said = new Map<string, { length: number; hash: Hash }>();
  // A slot without text, such as a picture, is never repeated and stays here.
  const missing = new Set(sent.keys());

  function takeText({ slot, text }: Segment): string | undefined {
    const expected = sent.get(slot) ?? NOTHING;
    const run = said.get(slot) ?? { length: 0, hash: createHash('sha256') };
    said.set(slot, run);
    const repeated = text.slice(0, Math.max(0, expected.length - run.length));
    run.length += text.length;
    if (repeated !== '') {
      run.hash.update(repeated, 'utf16le');
      if (run.length < expected.length) return '';
      if (run.hash.digest('hex') !== expected.digest) return undefined;
      missing.delete(slot);
    }
    const fresh = text.slice(repeated.length);
    // New text before the rest of its answer was repeated: the run differs.
    return fresh === '' || caughtUp(answerOf(slot)) ? fresh : undefined;
  }

  function caughtUp(answer?: string): boolean {
    for (const slot of missing) if (answer === undefined || answerOf(slot) === answer) return false;
    return true;
  }

  return {
    take(segments) {
      const texts = new Map<string, string>();
      for (const segment of segments) {
        const fresh = takeText(segment);
        if (fresh === undefined || isPartOfName(segment, fresh)) return undefined;
        if (isMedia(segment) && !caughtUp()) return undefined;
        texts.set(segment.slot, (texts.get(segment.slot) ?? '') + fresh);
      }
      return texts;
    },
    caughtUp,
    wasSent: (slot) => sent.has(slot),
  };
}

/** A tool's name is sent whole: one that only begins like the sent one is another tool. */
function isPartOfName({ slot, text }: Segment, fresh: string): boolean {
  return slot.endsWith('/name') && fresh !== '' && fresh !== text;
}

/** Slots begin with the answer they belong to. Several answers run side by side; within one, everything has its order. */
export function answerOf(slot: string): string {
  return slot.slice(0, slot.indexOf('/'));
}
