// Results of calls. Each is an object under the name of its function; what is no text comes after all of them, and the
// result says which it is.

import { refuseField } from '../fields.ts';
import type { DocumentPart, ImagePart, ToolResultPart } from '../translate/conversation.ts';
import { type GeminiPart, writeDocument, writeImage } from './write-media.ts';

/** `calledBy`: the function's name there, by the call's id. */
export function writeResults(results: readonly ToolResultPart[], calledBy: ReadonlyMap<string, string>): GeminiPart[] {
  const attached: GeminiPart[] = [];

  function attach(part: ImagePart | DocumentPart): string {
    attached.push(part.type === 'image' ? writeImage(part) : writeDocument(part));
    return `[${part.type} ${attached.length} attached below]`;
  }

  function textOf(part: ToolResultPart['content'][number]): string {
    if (part.type === 'text') return part.text;
    if (part.type === 'other') {
      return refuseField(part.at, `Remove ${part.at}, or ask another model: this one takes no ${part.kind}.`);
    }
    return part.type === 'document' && part.source.kind === 'text' ? part.source.text : attach(part);
  }

  const answers = results.map(({ callId, content, isError, at }) => {
    const name = calledBy.get(callId) ?? refuseField(at, `Put the call that ${at} answers before it.`);
    const text = content.map(textOf).join('\n');
    return { functionResponse: { id: callId, name, response: isError ? { error: text } : { output: text } } };
  });
  return [...answers, ...attached];
}
