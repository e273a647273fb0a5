// A Gemini stream that another run continues: no text twice, and a call either was sent whole or is new.

import type { ContinuedWriter } from '../dialect.ts';
import type { Comparison } from '../stream/compare-run.ts';
import { continueFresh, type FreshRun, type Pass } from '../stream/continue-fresh.ts';
import { createOverlap } from '../stream/prefill-overlap.ts';
import { TEXT_SLOT } from './read-candidate.ts';
import { chunkWithText } from './split-chunk.ts';

/** The upstream continues the sent text. */
export function continuePrefill(pass: Pass, sent: string): ContinuedWriter {
  const takeNew = createOverlap(sent);
  return continueFreshRun(pass, {
    take: (segments) => new Map(segments.map(({ slot, text }) => [slot, slot === TEXT_SLOT ? takeNew(text) : text])),
    caughtUp: () => true,
    wasSent: () => false,
  });
}

/** Each event has one part. */
export function continueFreshRun(pass: Pass, comparison: Comparison): ContinuedWriter {
  return continueFresh(pass, comparison, {
    classify(event) {
      if (event.kind === 'held') return 'next';
      // A signature without words was sent with the words before it.
      return event.segments.length > 0 ? 'open' : 'aside';
    },
    cut,
  });
}

const cut: FreshRun['cut'] = (event, document, texts) => {
  const { segments } = event;
  if (segments.every(({ slot, text }) => texts.get(slot) === text)) return event;
  if (segments.every(({ slot }) => texts.get(slot) === '')) return '';
  const [segment] = segments;
  if (!segment || segments.length > 1) return 'mismatch';
  const text = texts.get(segment.slot) ?? '';
  return { ...event, document: chunkWithText(document, text), segments: [{ ...segment, text }] };
};
