// Continues a broken stream with a fresh run of the same request: content that the client has is skipped, new content is
// sent. The rules are the same for all dialects. A dialect classifies an event, and rewrites it with other texts.

import { createHash, type Hash } from 'node:crypto';
import type { JsonDocument } from '../../kit/json/json.ts';
import { type ContinuedWriter, isMedia, type Segment, type StreamEvent } from '../dialect.ts';

export type EventClass =
  /** The client has this event, or the end of its block: new text in it is a mismatch. */
  | 'sent'
  /** The new part of it is sent. */
  | 'open'
  /** It must follow everything that was sent: before that, it is a mismatch. */
  | 'next'
  /** It is not part of the answer: it is skipped until everything that was sent was repeated. */
  | 'aside'
  /** The client has another event in its place. */
  | 'mismatch';

export interface FreshRun {
  classify(event: StreamEvent, document: JsonDocument): EventClass;
  /** Replaces the texts of the event; an empty string if nothing in it is new. */
  cut(event: StreamEvent, document: JsonDocument, texts: NewTexts): StreamEvent | '' | 'mismatch';
}

export type Pass = (event: StreamEvent) => string;

export function continueFresh(pass: Pass, comparison: Comparison, run: FreshRun): ContinuedWriter {
  const { caughtUp } = comparison;
  return {
    caughtUp: () => caughtUp(),
    write(event) {
      const { document } = event;
      if (!document) return '';
      const eventClass = run.classify(event, document);
      if (eventClass === 'mismatch') return 'mismatch';
      if (eventClass === 'aside') return caughtUp() ? pass(event) : '';
      const texts = comparison.take(event.segments);
      if (!texts) return 'mismatch';
      if (eventClass === 'sent') return Array.from(texts.values()).every((text) => text === '') ? '' : 'mismatch';
      if (eventClass === 'next' && !caughtUp()) return 'mismatch';
      const rest = run.cut(event, document, texts);
      return typeof rest === 'string' ? rest : pass(rest);
    },
  };
}

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

/** The new part of each text that continues `sent`. */
export function createOverlap(sent: string): (text: string) => string {
  let spaces = sent.slice(sent.trimEnd().length);
  return (text) => {
    let same = 0;
    while (same < spaces.length && same < text.length && text[same] === spaces[same]) same++;
    spaces = same === text.length ? spaces.slice(same) : '';
    return text.slice(same);
  };
}

/** What the client has, where the upstream continues the sent text of this slot. */
export function compareContinued(slot: string, sent: string): Comparison {
  const takeNew = createOverlap(sent);
  return {
    take: (segments) => new Map(segments.map((one) => [one.slot, one.slot === slot ? takeNew(one.text) : one.text])),
    caughtUp: () => true,
    wasSent: () => false,
  };
}
