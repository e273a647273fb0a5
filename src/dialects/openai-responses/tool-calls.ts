// Tools that the upstream runs in a Responses call, and how often. One field bounds all of them; where the client left it out
// it is written, because the hold covers no more.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { addUse, clientUses, DEFAULT_USES, NO_USE, type ToolUse } from '../input/tool-use.ts';
import { hasVendorTool, vendorToolUse } from '../input/vendor-tools.ts';

/** A search for tools finds only those of the request. */
const CLIENTS_TOOLS: ReadonlySet<string> = new Set([
  ...['function', 'custom', 'namespace', 'local_shell', 'shell', 'apply_patch', 'tool_search'],
  ...['computer', 'computer_use_preview'],
]);

/** A shell is the client's own machine, or a container of the vendor. */
export function isClients(type: string, { environment }: JsonObject): boolean {
  return CLIENTS_TOOLS.has(type) && !(isObject(environment) && environment.type !== 'local');
}

/** Tools that items of the input bring. */
export function toolsIn(items: readonly Json[]): Json[] {
  const found: Json[] = [];
  for (const item of items) {
    if (isObject(item) && Array.isArray(item.tools)) for (const tool of item.tools) found.push(tool);
  }
  return found;
}

/** `later`: tools that the input brings. */
export function vendorUse({ tools, max_tool_calls: calls }: JsonObject, later: Json[]): ToolUse {
  const uses = clientUses(calls) ?? DEFAULT_USES;
  const usesOf = () => uses;
  const { tokens } = addUse(vendorToolUse(tools, isClients, usesOf), vendorToolUse(later, isClients, usesOf));
  return tokens === 0 ? NO_USE : { tokens, uses };
}

/** The bound to write; undefined if the request has one, or needs none. */
export function missingBound({ tools, input, max_tool_calls: calls }: JsonObject): number | undefined {
  if (clientUses(calls) !== undefined) return undefined;
  const isOffered =
    hasVendorTool(tools, isClients) || (Array.isArray(input) && hasVendorTool(toolsIn(input), isClients));
  return isOffered ? DEFAULT_USES : undefined;
}
