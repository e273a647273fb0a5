// What is written as text where a format has no field for it: text documents, and that a tool has failed.

import type { Part } from './conversation.ts';

/** The words of a part that is nothing but words; a document of text is. */
export function textOfPart(part: Part): string | undefined {
  if (part.type === 'text') return part.text;
  if (part.type !== 'document' || part.source.kind !== 'text') return undefined;
  return part.title === undefined ? part.source.text : `${part.title}\n\n${part.source.text}`;
}

/** Tools that fail mostly say so themselves. */
export function asFailure(text: string): string {
  return saysFailure(text) ? text : `${FAILED} ${text}`;
}

export const FAILED = 'Error:';

export function saysFailure(text: string): boolean {
  return /error|fail|missing/i.test(text);
}
