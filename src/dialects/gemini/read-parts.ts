// The parts of an answer as blocks: thoughts, words, calls. Calls often have no id of their own, or another call's, and get one
// that no other request has; their arguments stay the text they are.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { RawPlace } from '../../kit/json/raw-json.ts';
import { pictureText } from '../media/picture.ts';
import type { AnswerEvent, Delta } from '../translate/answer-events.ts';

interface PartReader {
  take(part: Json, place: RawPlace | undefined): AnswerEvent[];
  close(): AnswerEvent[];
  said(): { hasText: boolean; hasCalls: boolean };
}

export function createPartReader(requestId: string): PartReader {
  let open: 'text' | 'reasoning' | undefined;
  /** The signature of the open reasoning or text. */
  let signature: string | undefined;
  const ids = new Set<string>();
  let calls = 0;
  let hasText = false;

  function close(): AnswerEvent[] {
    if (!open) return [];
    const signed: AnswerEvent[] = signature === undefined ? [] : [{ type: 'sign', signature }];
    open = undefined;
    signature = undefined;
    return [...signed, { type: 'close' }];
  }

  function addText(kind: 'text' | 'reasoning', said: Delta): AnswerEvent[] {
    if (said.text === '') return [];
    if (kind === 'text') hasText = true;
    if (open === kind) return [said];
    const closed = close();
    open = kind;
    return [...closed, { type: 'open', block: { kind } }, said];
  }

  function takeCall({ id, name }: JsonObject, args: string, signed: string | undefined): AnswerEvent[] {
    if (typeof name !== 'string' || name === '') return [];
    const made = `call_${requestId.replace(/^req_/, '')}_${calls++}`;
    const own = typeof id === 'string' && id !== '' && !ids.has(id) ? id : made;
    ids.add(own);
    const block = { kind: 'tool', id: own, name, signature: signed } as const;
    return [...close(), { type: 'open', block }, { type: 'delta', text: args }, { type: 'close' }];
  }

  return {
    take(part, place) {
      if (!isObject(part)) return [];
      const { thoughtSignature, functionCall, text, inlineData } = part;
      const signed = typeof thoughtSignature === 'string' && thoughtSignature !== '' ? thoughtSignature : undefined;
      if (isObject(functionCall)) {
        const args = isObject(functionCall.args) ? place?.at('functionCall')?.at('args')?.text : undefined;
        return takeCall(functionCall, args ?? '{}', signed);
      }
      if (isObject(inlineData)) return addText('text', { type: 'delta', text: picture(inlineData), isMedia: true });
      const kind = part.thought === true ? 'reasoning' : 'text';
      // The signature of reasoning comes with it, or with the first text after it; that of text may come with an empty part.
      const isOfThoughtsBefore = kind === 'text' && open === 'reasoning';
      if (isOfThoughtsBefore) signature = signed ?? signature;
      const said = addText(kind, { type: 'delta', text: typeof text === 'string' ? text : '' });
      if (open && !isOfThoughtsBefore) signature = signed ?? signature;
      return said;
    },
    close,
    said: () => ({ hasText, hasCalls: calls > 0 }),
  };
}

function picture({ mimeType, data }: JsonObject): string {
  const isWhole = typeof mimeType === 'string' && typeof data === 'string';
  return isWhole ? pictureText(`data:${mimeType};base64,${data}`) : '';
}
