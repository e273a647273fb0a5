// A model's thoughts for chat clients: words under both names that clients know, and each block whole with its signature
// and maker once it is over, so that it can be handed back. A signature of words has no other place, and stands there alone.
// A chat message does not say where among words and calls a thought stood: one that was not before all of them says so.

import type { JsonObject } from '../../../kit/json/json.ts';
import { writeDetailId } from '../detail-id.ts';
import { REDACTED_DETAIL, TEXT_DETAIL } from '../read-reasoning.ts';

interface ReasoningWriter {
  /** Words or a call come: no thought after them stands first. */
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
