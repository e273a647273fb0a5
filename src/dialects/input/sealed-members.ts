// Members of a conversation that are text and yet no words. What is sealed only its maker opens, and counts what is in it,
// if anything: as words it would be several times that. Ids are not read by a model at all.

import type { JsonObject } from '../../kit/json/json.ts';

const SEALED: ReadonlySet<string> = new Set(['encrypted_content', 'thought_signature']);
/** Sealed in a thought; elsewhere these names may stand for words. */
const SEALED_IN_THOUGHTS: ReadonlySet<string> = new Set(['signature', 'data']);
const THOUGHT = /^(?:thinking|redacted_thinking|reasoning(?:\..*)?)$/;
const IDS: ReadonlySet<string> = new Set(['id', 'call_id', 'tool_use_id', 'tool_call_id']);

/** Of four letters three are bytes, of which a token takes about four; half of them are thoughts that still count. */
const TOKENS_PER_LETTER = 3 / 32;

/** Printed in ASCII without a space: a tool's arguments may have the same names, and words in them. */
const CODED = /^[!-~]*$/;

/** About how many tokens such a member is; undefined if it is words. */
export function sealedTokens({ type, role }: JsonObject, name: string, text: string): number | undefined {
  const isId = IDS.has(name) && typeof (type ?? role) === 'string';
  const isSealed = SEALED.has(name) || (SEALED_IN_THOUGHTS.has(name) && typeof type === 'string' && THOUGHT.test(type));
  if (!(isId || isSealed) || !CODED.test(text)) return undefined;
  return isId ? 0 : Math.ceil(text.length * TOKENS_PER_LETTER);
}
