// A Gemini stream that another run continues: no text twice, and a call either was sent whole or is new.

import type { ContinuedWriter, StreamEvent } from '../dialect.ts';
import type { Comparison } from '../stream/compare-run.ts';
import { continueFresh, type FreshRun, type Pass } from '../stream/continue-fresh.ts';
import { createOverlap } from '../stream/prefill-overlap.ts';
import { candidateOf, partsOf, TEXT_SLOT } from './read-candidate.ts';
import { chunkWith } from './read-stream.ts';

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
    standingOf(event) {
      if (event.kind === 'held') return 'next';
      // A signature without words was sent with the words before it.
      return event.segments.length > 0 ? 'open' : 'aside';
    },
    cut,
  });
}

const cut: FreshRun['cut'] = (event, { value }, texts) => {
  const { segments } = event;
  if (segments.every(({ slot, text }) => texts.get(slot) === text)) return event;
  if (segments.every(({ slot }) => texts.get(slot) === '')) return '';
  const [segment] = segments;
  if (!segment || segments.length > 1) return 'mismatch';
  return withText(event, value, texts.get(segment.slot) ?? '');
};

function withText(event: StreamEvent, value: Parameters<typeof candidateOf>[0], text: string): StreamEvent {
  const candidate = candidateOf(value) ?? {};
  const parts = partsOf(candidate).map((part) => ({ ...part, text }));
  const segments = event.segments.map((segment) => ({ ...segment, text }));
  return { ...event, document: chunkWith(value, candidate, parts, undefined), segments };
}
