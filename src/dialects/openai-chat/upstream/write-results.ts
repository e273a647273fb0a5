// Results of calls as chat messages: all of them first and in a row, each a text. Images are shown after the last one, and
// the text says which is which.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import { asFailure, textOfPart } from '../../translate/as-text.ts';
import type { ToolResultPart } from '../../translate/conversation.ts';
import { type ContentPart, writeContentPart } from './write-content.ts';

interface ResultOptions {
  quirks: Quirks;
  writeId(id: string): string;
}

interface WrittenResults {
  messages: { [name: string]: RawValue }[];
  /** For the user's message right after. */
  shown: ContentPart[];
}

export function writeResults(results: readonly ToolResultPart[], options: ResultOptions): WrittenResults {
  const shown: { label: string; part: ContentPart }[] = [];

  function textOf(part: ToolResultPart['content'][number]): string {
    const text = textOfPart(part);
    if (text !== undefined) return text;
    const label = `${part.type} ${shown.length + 1}`;
    shown.push({ label, part: writeContentPart(part, options.quirks) });
    return `[${label} attached below]`;
  }

  const messages = results.map(({ callId, content, isError }) => {
    const text = content.map(textOf).join('\n');
    return { role: 'tool', tool_call_id: options.writeId(callId), content: isError ? asFailure(text) : text };
  });
  const needsLabels = shown.length > 1;
  return {
    messages,
    shown: shown.flatMap(({ label, part }) => (needsLabels ? [{ type: 'text', text: `[${label}]` }, part] : [part])),
  };
}
