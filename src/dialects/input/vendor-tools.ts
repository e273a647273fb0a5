// Tools that the upstream runs itself: what they find or compute becomes input that no text of the request tells of. Those
// that have another model work are refused, because only the one that was asked for is billed; so are those that another
// vendor's model would have to do without, if there is nothing else to call.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { refuseField } from '../fields.ts';
import { saysSomething } from '../left-behind/priced-fields.ts';

/**
 * What a search of the web mostly brings: about ten extracts. It can be more, but Codex offers a
 * search in every call and seldom has one made: a hold up to the model's context would shut small wallets out.
 */
export const SEARCH_TOKENS = 8_000;

/** Files, programs and servers of anybody may bring as much as the model's context takes. */
export const UNKNOWN_TOKENS = Number.POSITIVE_INFINITY;

const SEARCH = /^(?:\w+:)?web_search/;
const IMAGES = /^(?:\w+:)?image_generation/;
/** These ask other models even where they name none. */
const OTHER_MODELS = /^(?:\w+:)?(?:advisor|fusion)/;

export type IsClients = (type: string, tool: JsonObject) => boolean;

export function vendorToolTokens(tools: Json | undefined, isClients: IsClients): number {
  let tokens = 0;
  if (!Array.isArray(tools)) return tokens;
  for (const tool of tools) if (isVendors(tool, isClients)) tokens += broughtBy(tool.type);
  return tokens;
}

function broughtBy(type: string): number {
  // It stays behind.
  if (makesImages(type)) return 0;
  return SEARCH.test(type) ? SEARCH_TOKENS : UNKNOWN_TOKENS;
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
