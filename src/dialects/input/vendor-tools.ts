// Tools that the upstream runs itself: what they find or compute becomes input that no text of the request tells of. Those
// that have another model work are refused, because only the one that was asked for is billed; so are those that another
// vendor's model would have to do without, if there is nothing else to call.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { refuseField } from '../fields.ts';
import { saysSomething } from '../left-behind/priced-fields.ts';

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
/** More is held by no wallet. */
const MOST_TOKENS = 1_000_000_000;

/** What tools of the upstream may do in one call. */
export interface ToolUse {
  /** Tokens of all their results; infinite if unknown. */
  tokens: number;
  uses: number;
}

export const NO_USE: ToolUse = { tokens: 0, uses: 0 };

const SEARCH = /^(?:\w+:)?web_search/;
const IMAGES = /^(?:\w+:)?image_generation/;
/** These ask other models even where they name none. */
const OTHER_MODELS = /^(?:\w+:)?(?:advisor|fusion)/;

export type IsClients = (type: string, tool: JsonObject) => boolean;

/** `usesOf`: how often the upstream may use one of them. */
export function vendorToolUse(
  tools: Json | undefined,
  isClients: IsClients,
  usesOf: (tool: JsonObject) => number,
): ToolUse {
  let use = NO_USE;
  if (!Array.isArray(tools)) return use;
  for (const tool of tools) {
    // What makes images stays behind.
    if (!isVendors(tool, isClients) || makesImages(tool.type)) continue;
    const uses = usesOf(tool);
    if (uses > 0) use = addUse(use, { tokens: uses * tokensPerUse(tool), uses });
  }
  return use;
}

function tokensPerUse(tool: VendorTool): number {
  return SEARCH.test(tool.type) ? searchTokens(tool) : UNKNOWN_TOKENS;
}

/** `settings`: a tool, or a member of the body, that asks for a search. */
export function searchTokens(settings: Json | undefined): number {
  return isObject(settings) && settings.search_context_size === 'high' ? LONG_SEARCH_TOKENS : SEARCH_TOKENS;
}

export function addUse(one: ToolUse, other: ToolUse): ToolUse {
  return { tokens: one.tokens + other.tokens, uses: one.uses + other.uses };
}

/** The number that the client set, if it is one that upstreams accept. */
export function setUses(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Input beyond a prompt of so many tokens that the upstream may bill for such tools. */
export function broughtTokens({ tokens, uses }: ToolUse, promptTokens: number): number {
  const reread = uses * promptTokens + (tokens * Math.max(0, uses - 1)) / 2;
  return tokens === UNKNOWN_TOKENS ? tokens : Math.min(Math.ceil(tokens + REREAD_SHARE * reread), MOST_TOKENS);
}

/** Whether the upstream may run one of them. */
export function hasVendorTool(tools: Json | undefined, isClients: IsClients): boolean {
  return Array.isArray(tools) && tools.some((tool) => isVendors(tool, isClients) && !makesImages(tool.type));
}

/** It has an image model work, whether it names one or not. */
export function makesImages(type: string): boolean {
  return IMAGES.test(type);
}

/** Throws a fault that names the place; the list stands at `at`. */
export function refuseModelsOf(tools: Json | undefined, at: string, isClients: IsClients): void {
  if (!Array.isArray(tools)) return;
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index];
    if (isVendors(tool, isClients)) refuseOtherModel(tool, `${at}[${index}]`);
  }
}

/** The same of one tool that stands at `at`. */
export function refuseModelOf(tool: Json, at: string, isClients: IsClients): void {
  if (isVendors(tool, isClients)) refuseOtherModel(tool, at);
}

function refuseOtherModel(tool: VendorTool, at: string): void {
  const place = otherModelAt(tool);
  if (place === undefined) return;
  const param = `${at}${place}`;
  refuseField(param, `Remove ${param}: a tool may have no other model work than the one that is asked for.`);
}

/**
 * A request in which only tools of another vendor may be called is made for what they do, such as a search: what a model
 * says without them would be made up, and read as found.
 */
export function refuseOnlyTool(type: string, at: string): never {
  refuseField(at, `Remove ${at} or choose another model: this one has no ${type}, and there is no other tool to call.`);
}

function otherModelAt({ type, model, parameters }: VendorTool): string | undefined {
  if (saysSomething(model)) return '.model';
  if (isObject(parameters) && saysSomething(parameters.model)) return '.parameters.model';
  return OTHER_MODELS.test(type) ? '' : undefined;
}

type VendorTool = JsonObject & { type: string };

/** A tool without a type is the client's; one of a type that nobody here knows may be anybody's. */
function isVendors(tool: Json | undefined, isClients: IsClients): tool is VendorTool {
  return isObject(tool) && typeof tool.type === 'string' && !isClients(tool.type, tool);
}
