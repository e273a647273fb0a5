// Why Gemini ended. It has no word for "waits for results": that a call was made says it.

import type { StopReason } from '../translate/answer-events.ts';

const FILTERED = /^(?:SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|NO_IMAGE|IMAGE_\w+)$/;
/** The model lost its way: unless something of use came before, it is no answer. */
const FAILED = new Set([
  ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'],
  ...['MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE', 'OTHER'],
]);

/** Undefined: nothing came that anybody could use. */
export function readStop(why: string, said: { hasText: boolean; hasCalls: boolean }): StopReason | undefined {
  if (why === 'MAX_TOKENS') return 'length';
  if (FILTERED.test(why)) return 'filter';
  if (FAILED.has(why) && !said.hasText && !said.hasCalls) return undefined;
  return said.hasCalls ? 'tool' : 'end';
}
