// Tools that the upstream runs itself: their results become input that is not in the request. Tools that use another model are
// refused, because only the requested model is billed. Where the only tools are those of another vendor, they are refused, too.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { toolOfType } from '../../vendors/tools.ts';
import { refuseField } from '../fields.ts';
import { isMeaningful } from '../removals/priced-fields.ts';
import { addUse, NO_USE, searchTokens, type ToolUse, UNKNOWN_TOKENS, unlimitedUse, useOf } from './tool-use.ts';

const SEARCH = /^(?:\w+:)?web_search/;
const IMAGES = /^(?:\w+:)?image_generation/;
/** These ask other models even where they name none. */
const OTHER_MODELS = /^(?:\w+:)?(?:advisor|fusion)/;

export type IsClients = (type: string, tool: JsonObject) => boolean;

/** `usesOf`: how often the upstream may use one of them; undefined if nothing limits it. */
export function vendorToolUse(
  tools: Json | undefined,
  isClients: IsClients,
  usesOf: (tool: VendorTool) => number | undefined,
): ToolUse {
  let use = NO_USE;
  if (!Array.isArray(tools)) return use;
  for (const tool of tools) {
    // Tools that make images are removed.
    if (!isVendors(tool, isClients) || makesImages(tool.type)) continue;
    const uses = usesOf(tool);
    const tokens = isSearch(tool.type) ? searchTokens(tool) : UNKNOWN_TOKENS;
    if (uses === undefined) use = addUse(use, unlimitedUse(toolOfType(tool.type)));
    else if (uses > 0) use = addUse(use, useOf(toolOfType(tool.type), uses, tokens));
  }
  return use;
}

/** A search of the web, whose results have a known size. */
export function isSearch(type: string): boolean {
  return SEARCH.test(type);
}

/** Whether the upstream may run one of them. */
export function hasVendorTool(tools: Json | undefined, isClients: IsClients): boolean {
  return Array.isArray(tools) && tools.some((tool) => isVendors(tool, isClients) && !makesImages(tool.type));
}

/** It has an image model work, whether it names one or not. */
export function makesImages(type: string): boolean {
  return IMAGES.test(type);
}

/** Throws a fault that names the place. `at`: the place of the list. */
export function refuseModelsOf(tools: Json | undefined, at: string, isClients: IsClients): void {
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    // The place is written only for these, because most tools are the client's.
    if (isVendors(tool, isClients)) refuseModelOf(tool, `${at}[${index}]`, isClients);
  }
}

/** The same for one tool at the place `at`. */
export function refuseModelOf(tool: Json, at: string, isClients: IsClients): void {
  const place = isVendors(tool, isClients) ? otherModelAt(tool) : undefined;
  if (place === undefined) return;
  const param = `${at}${place}`;
  refuseField(param, `A tool cannot use another model than the one of the request. Remove ${param}.`);
}

/**
 * A request whose only tools are those of another vendor depends on them, for example on a search: without them, the model
 * would invent results.
 */
export function refuseOnlyTool(type: string, at: string): never {
  refuseField(
    at,
    `This model has no tool ${type}, and the request has no other tool to call. Remove ${at}, or use another model.`,
  );
}

function otherModelAt({ type, model, parameters }: VendorTool): string | undefined {
  if (isMeaningful(model)) return '.model';
  if (isObject(parameters) && isMeaningful(parameters.model)) return '.parameters.model';
  return OTHER_MODELS.test(type) ? '' : undefined;
}

export type VendorTool = JsonObject & { type: string };

/** A tool without a type is the client's; one of an unknown type may be the vendor's. */
function isVendors(tool: Json | undefined, isClients: IsClients): tool is VendorTool {
  return isObject(tool) && typeof tool.type === 'string' && !isClients(tool.type, tool);
}
