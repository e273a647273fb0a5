// Tools that the upstream runs itself: what they find or compute becomes input that no text of the request tells of.

import { isObject, type Json, type JsonObject } from '../kit/json.ts';

/**
 * What a search of the web mostly brings: about ten extracts. It can be more, but Codex offers a
 * search in every call and seldom has one made: a hold up to the model's context would shut small wallets out.
 */
export const SEARCH_TOKENS = 8_000;

/** Files, programs and servers of anybody may bring as much as the model's context takes. */
export const UNKNOWN_TOKENS = Number.POSITIVE_INFINITY;

const SEARCH = /^(?:\w+:)?web_search/;

/** A tool without a type is the client's; one of a type that nobody here knows may be anybody's. */
export function vendorToolTokens(
  tools: Json | undefined,
  isClients: (type: string, tool: JsonObject) => boolean,
): number {
  if (!Array.isArray(tools)) return 0;
  let tokens = 0;
  for (const tool of tools) {
    if (!isObject(tool) || typeof tool.type !== 'string' || isClients(tool.type, tool)) continue;
    tokens += SEARCH.test(tool.type) ? SEARCH_TOKENS : UNKNOWN_TOKENS;
  }
  return tokens;
}
