// The content that a tool result can have, independent of the client's format.

import { refuseField } from '../fields.ts';
import type { Part, ToolResultPart } from './conversation.ts';

export function requireResultParts(parts: readonly Part[]): ToolResultPart['content'] {
  return parts.map((part) => {
    if (part.type === 'text' || part.type === 'image' || part.type === 'document' || part.type === 'other') return part;
    return refuseField(part.at, `The result of a tool cannot contain ${part.at}. Remove it.`);
  });
}
