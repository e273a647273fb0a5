// Results of calls. Each is an object under the name of its function; what is no text comes after all of them, and the
// result says which it is.

import { refuseField } from '../fields.ts';
import { textOfPart } from '../translate/as-text.ts';
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
    const text = textOfPart(part);
    if (text !== undefined) return text;
    if (part.type === 'image' || part.type === 'document') return attach(part);
    const kind = part.type === 'other' ? part.kind : part.type;
    return refuseField(part.at, `This model does not accept ${kind} (${part.at}). Remove it, or use another model.`);
  }

  const answers = results.map(({ callId, content, isError, at }) => {
    const name =
      calledBy.get(callId) ??
      refuseField(at, `${at} is the result of a call that is not before it. Add the call before it.`);
    const text = content.map(textOf).join('\n');
    return { functionResponse: { id: callId, name, response: isError ? { error: text } : { output: text } } };
  });
  return [...answers, ...attached];
}
