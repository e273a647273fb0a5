// Reasoning for chat clients: its text in both fields that clients know, and at its end each block with its signature and model,
// so that the client can send it back. The signature of a text is sent in the same list. A chat message does not keep the place
// of reasoning among text and calls, so a block that did not come first is marked.

import type { JsonObject } from '../../../kit/json/json.ts';
import { writeDetailId } from '../detail-id.ts';
import { REDACTED_DETAIL, TEXT_DETAIL } from '../read-reasoning.ts';

interface ReasoningWriter {
  /** Text or a call follows: later blocks do not come first. */
  passOver(): void;
  add(text: string): JsonObject[];
  sign(signature: string): JsonObject[];
  redact(data: string): JsonObject[];
  close(): JsonObject[];
}

export function createReasoningWriter(origin: string): ReasoningWriter {
  let text = '';
  let signature: string | undefined;
  let index = 0;
  let isMoved = false;
  /** By whom it was made and where it stood; the id says so once more. */
  const made = (content: string): JsonObject => ({
    id: writeDetailId(origin, content, isMoved),
    origin,
    ...(isMoved ? { moved: true } : {}),
  });
  return {
    passOver() {
      isMoved = true;
    },
    add(more) {
      text += more;
      return [{ reasoning_content: more, reasoning: more }];
    },
    sign(value) {
      signature = (signature ?? '') + value;
      return [];
    },
    redact: (data) => [{ reasoning_details: [{ type: REDACTED_DETAIL, index: index++, data, ...made(data) }] }],
    close() {
      if (text === '' && signature === undefined) return [];
      const detail: JsonObject = { type: TEXT_DETAIL, index: index++, text, signature, ...made(text) };
      text = '';
      signature = undefined;
      return [{ reasoning_details: [detail] }];
    },
  };
}
