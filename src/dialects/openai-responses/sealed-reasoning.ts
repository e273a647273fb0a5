// Reasoning that an upstream encrypts for a client without stored state, who sends it back in later turns. A socket asks for
// it, because it sends the conversation back itself. That is only a request: some upstreams and models refuse the request.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { familyName, openaiTraits } from '../../vendors/openai.ts';
import type { Quirks } from '../../vendors/quirks.ts';
import { writeStart } from '../conversation.ts';

const SEALED = 'reasoning.encrypted_content';
/** Asks for it if possible, in the gateway's own requests. No upstream gets it. */
const OPTIONAL = 'svc.reasoning.encrypted_content';

/** Families whose vendors encrypt reasoning. */
const SEALING = /^(o\d|codex-|gpt-[5-9]|grok-)/;

/** `model`: its name at the upstream. Models that do not reason refuse the request. */
export function sealsReasoning({ takesEffort }: Quirks, model: string): boolean {
  const traits = openaiTraits(model);
  return SEALING.test(familyName(model)) && (traits.alwaysThinks || (takesEffort && traits.takesEffort));
}

export function asksForSealed({ include }: JsonObject): boolean {
  return Array.isArray(include) && (include.includes(SEALED) || include.includes(OPTIONAL));
}

/** `include` of a request that asks for it if possible; undefined if the client asks for it itself, or sent no list. */
export function withOptional(include: Json | undefined): Json[] | undefined {
  if (include === undefined || include === null) return [OPTIONAL];
  return Array.isArray(include) && !include.includes(SEALED) ? [...include, OPTIONAL] : undefined;
}

/** The replacement of `include` at the upstream; an empty object if it stays. */
export function resolveOptional({ include }: JsonObject, isFulfilled: boolean): { include?: Json | undefined } {
  if (!Array.isArray(include) || !include.includes(OPTIONAL)) return {};
  const others = include.filter((value) => value !== OPTIONAL);
  const sent = isFulfilled ? [...others, SEALED] : others;
  return { include: sent.length > 0 ? sent : undefined };
}

const GIVEN_ROLES: ReadonlySet<Json | undefined> = new Set(['user', 'system', 'developer']);

/**
 * The beginning of a conversation with encrypted reasoning, so that it stays on one channel. Undefined where no reasoning is
 * sealed: such a conversation may go anywhere.
 */
export function conversationStart(body: JsonObject): string | undefined {
  const { input } = body;
  if (!asksForSealed(body) && !(Array.isArray(input) && input.some(isSealed))) return undefined;
  if (typeof input === 'string') return writeStart([{ role: 'user', content: input }], isGiven);
  return Array.isArray(input) ? writeStart(input, isGiven) : undefined;
}

/** Checks only the name, because reading the value would decode a long text. */
function isSealed(item: Json): boolean {
  return isObject(item) && Object.hasOwn(item, 'encrypted_content');
}

/** Not the model's own. */
function isGiven({ type, role }: JsonObject): boolean {
  return (type ?? 'message') === 'message' && GIVEN_ROLES.has(role);
}
