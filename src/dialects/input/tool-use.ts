// How much input tools that the upstream runs may bring, by how often they may be used.

import { isObject, type Json } from '../../kit/json/json.ts';
import { addCalls, type ToolCalls } from '../../kit/prices.ts';
import type { PricedTool } from '../../vendors/tools.ts';

/** Tokens that a web search returns, about ten extracts. A vendor with a fixed size bills as much for each. */
const SEARCH_TOKENS = 8_000;
const LONG_SEARCH_TOKENS = 16_000;

/** Files, programs and servers may bring as much as the model's context takes. */
export const UNKNOWN_TOKENS = Number.POSITIVE_INFINITY;

/**
 * How often a search may be made where the client sets no number, which is then written into the request. Codex offers a
 * search in every call and seldom has one made: a hold for many would shut small wallets out.
 */
export const DEFAULT_USES = 5;
/** The same for a tool with results of unknown size: each use holds a whole context, so a small wallet pays for one. */
export const DEFAULT_OPEN_USES = 1;
/** Uses that are held for all tools together whose use no field of the request limits, such as MCP servers. */
const UNLIMITED_USES = 5;

/** Each search has the upstream read all that came before it again, most of it from its cache, at about a tenth of the price. */
const REREAD_SHARE = 0.1;
/** No wallet can hold more than this. */
const MAX_TOKENS = 1_000_000_000;

/** The most that tools of the upstream can use in one call. */
export interface ToolUse {
  /** Tokens of all their results; infinite if unknown. */
  tokens: number;
  /** The uses of tools with a limit. */
  uses: number;
  /** There are tools whose use nothing limits. */
  isUnlimited: boolean;
  /** How often each of those may be called that can have a price. */
  calls?: ToolCalls | undefined;
}

export const NO_USE: ToolUse = { tokens: 0, uses: 0, isUnlimited: false };

/** `tokens`: of each result. */
export function useOf(tool: PricedTool | undefined, uses: number, tokens: number): ToolUse {
  return { tokens: uses * tokens, uses, isUnlimited: false, calls: tool && { [tool]: uses } };
}

export function unlimitedUse(tool: PricedTool | undefined): ToolUse {
  return { tokens: UNKNOWN_TOKENS, uses: 0, isUnlimited: true, calls: tool && { [tool]: UNLIMITED_USES } };
}

export function addUse(one: ToolUse, other: ToolUse): ToolUse {
  return {
    tokens: one.tokens + other.tokens,
    uses: one.uses + other.uses,
    isUnlimited: one.isUnlimited || other.isUnlimited,
    calls: addCalls(one.calls, other.calls),
  };
}

/** The sum over all tools. */
export function allUses({ uses, isUnlimited }: ToolUse): number {
  return isUnlimited ? uses + UNLIMITED_USES : uses;
}

/** `settings`: a tool, or a member of the body, that asks for a search. */
export function searchTokens(settings: Json | undefined): number {
  return isObject(settings) && settings.search_context_size === 'high' ? LONG_SEARCH_TOKENS : SEARCH_TOKENS;
}

/** The number that the client set, if it is one that upstreams accept. */
export function clientUses(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Input beyond a prompt of so many tokens that the upstream may bill for such tools. After a result of unknown size, each
 * pass of the model reads up to a whole context at the full price: an MCP server is the client's, and caches nothing.
 */
export function tokensAddedByTools(use: ToolUse, prompt: number, context: number): number {
  const { tokens } = use;
  const uses = allUses(use);
  const reread = uses * prompt + (tokens * Math.max(0, uses - 1)) / 2;
  const addedInput = tokens === UNKNOWN_TOKENS ? uses * context : Math.ceil(tokens + REREAD_SHARE * reread);
  return Math.min(addedInput, MAX_TOKENS);
}

/** Pages and files are longer than results of programs and servers. */
const FINDS = /search|fetch/;
const TYPICAL_FOUND_TOKENS = 8_000;
const TYPICAL_RESULT_TOKENS = 2_000;

/** About how much input one use that an answer shows has added. `kind`: the type of the call, or the tool's name. */
export function typicalTokens(kind: string): number {
  return FINDS.test(kind) ? TYPICAL_FOUND_TOKENS : TYPICAL_RESULT_TOKENS;
}
