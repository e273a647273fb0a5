// Content that a format has no field for: written as text, as are text documents and that a tool has failed, or refused.

import { refuseField } from '../fields.ts';
import type { Part } from './conversation.ts';

/** The text of a part that is only text, such as a text document. */
export function textOfPart(part: Part): string | undefined {
  if (part.type === 'text') return part.text;
  if (part.type !== 'document' || part.source.kind !== 'text') return undefined;
  return part.title === undefined ? part.source.text : `${part.title}\n\n${part.source.text}`;
}

/** Most failed tools say so in their result. */
export function asFailure(text: string): string {
  return reportsFailure(text) ? text : `${FAILED} ${text}`;
}

export const FAILED = 'Error:';

export function reportsFailure(text: string): boolean {
  return /error|fail|missing/i.test(text);
}

export function refuseKind(part: Part): never {
  const kind = part.type === 'other' ? part.kind : part.type;
  return refuseField(part.at, `This model does not accept ${kind} (${part.at}). Remove it, or use another model.`);
}
