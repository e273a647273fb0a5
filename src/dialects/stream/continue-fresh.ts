// Continues a broken stream with a fresh run of the same request: content that the client has is skipped, new content is
// sent. The rules are the same for all dialects. A dialect classifies an event, and rewrites it with other texts.

import type { JsonDocument } from '../../kit/json/json.ts';
import type { ContinuedWriter, StreamEvent } from '../dialect.ts';
import type { Comparison, NewTexts } from './compare-run.ts';

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
      if (eventClass === 'sent') return isEmpty(texts) ? '' : 'mismatch';
      if (eventClass === 'next' && !caughtUp()) return 'mismatch';
      const rest = run.cut(event, document, texts);
      return typeof rest === 'string' ? rest : pass(rest);
    },
  };
}

function isEmpty(texts: NewTexts): boolean {
  return Array.from(texts.values()).every((text) => text === '');
}
