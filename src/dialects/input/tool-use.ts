// How much input tools that the upstream runs may bring, by how often they may be used.

import { isObject, type Json } from '../../kit/json/json.ts';

/** What a search of the web brings, about ten extracts. A vendor with a fixed size bills as much for each. */
const SEARCH_TOKENS = 8_000;
const LONG_SEARCH_TOKENS = 16_000;

/** Files, programs and servers may bring as much as the model's context takes. */
export const UNKNOWN_TOKENS = Number.POSITIVE_INFINITY;

/**
 * How often a tool may be used where the client sets no number, which is then written into the request. Codex offers a
 * search in every call and seldom has one made: a hold for many would shut small wallets out.
 */
export const DEFAULT_USES = 5;

/** Each use has the upstream read all that came before it again, most of it from its cache, at about a tenth of the price. */
const REREAD_SHARE = 0.1;
/** No wallet can hold more than this. */
const MOST_TOKENS = 1_000_000_000;

/** What tools of the upstream may do in one call. */
export interface ToolUse {
  /** Tokens of all their results; infinite if unknown. */
  tokens: number;
  uses: number;
}

export const NO_USE: ToolUse = { tokens: 0, uses: 0 };

export function addUse(one: ToolUse, other: ToolUse): ToolUse {
  return { tokens: one.tokens + other.tokens, uses: one.uses + other.uses };
}

/** `settings`: a tool, or a member of the body, that asks for a search. */
export function searchTokens(settings: Json | undefined): number {
  return isObject(settings) && settings.search_context_size === 'high' ? LONG_SEARCH_TOKENS : SEARCH_TOKENS;
}

/** The number that the client set, if it is one that upstreams accept. */
export function clientUses(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Input beyond a prompt of so many tokens that the upstream may bill for such tools. */
export function broughtTokens({ tokens, uses }: ToolUse, promptTokens: number): number {
  const reread = uses * promptTokens + (tokens * Math.max(0, uses - 1)) / 2;
  return tokens === UNKNOWN_TOKENS ? tokens : Math.min(Math.ceil(tokens + REREAD_SHARE * reread), MOST_TOKENS);
}
