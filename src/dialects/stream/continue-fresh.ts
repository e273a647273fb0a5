// A stream that broke is continued by a fresh run of the same request: what the client has is left out, what is new goes
// out. The rules are the same in all dialects; a dialect says what an event is, and writes it with other texts.

import type { JsonDocument } from '../../kit/json/json.ts';
import type { ContinuedWriter, StreamEvent } from '../dialect.ts';
import type { Comparison, NewTexts } from './compare-run.ts';

export type EventStanding =
  /** The client has this event, or the end of what it belongs to: a new text in it is a mismatch. */
  | 'sent'
  /** It goes out with what is new of it. */
  | 'open'
  /** It comes after everything that was sent: earlier, it is a mismatch. */
  | 'next'
  /** It is no part of the answer: until everything that was sent is repeated, it is left out. */
  | 'aside'
  /** It is not the event that the client has in this place. */
  | 'mismatch';

export interface FreshRun {
  standingOf(event: StreamEvent, document: JsonDocument): EventStanding;
  /** The event with these texts in place of its own; an empty string if nothing of it is new. */
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
      const standing = run.standingOf(event, document);
      if (standing === 'mismatch') return 'mismatch';
      if (standing === 'aside') return caughtUp() ? pass(event) : '';
      const texts = comparison.take(event.segments);
      if (!texts) return 'mismatch';
      if (standing === 'sent') return isEmpty(texts) ? '' : 'mismatch';
      if (standing === 'next' && !caughtUp()) return 'mismatch';
      const rest = run.cut(event, document, texts);
      return typeof rest === 'string' ? rest : pass(rest);
    },
  };
}

function isEmpty(texts: NewTexts): boolean {
  return Array.from(texts.values()).every((text) => text === '');
}
