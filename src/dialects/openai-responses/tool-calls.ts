// Tools that the upstream runs in a Responses call, and how often. One field bounds all of them; where the client left it out
// it is written, because the hold covers no more.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { addUse, clientUses, DEFAULT_OPEN_USES, DEFAULT_USES, type ToolUse } from '../input/tool-use.ts';
import { hasVendorTool, type IsClients, isSearch, type VendorTool, vendorToolUse } from '../input/vendor-tools.ts';

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
export function vendorUse(body: JsonObject, later: Json[]): ToolUse {
  const calls = clientUses(body.max_tool_calls) ?? defaultCalls(body.tools, later);
  // The vendor's bound is for its built-in tools: calls to other servers may not count.
  const usesOf = ({ type }: VendorTool) => (type === 'mcp' ? undefined : calls);
  const use = addUse(vendorToolUse(body.tools, isClients, usesOf), vendorToolUse(later, isClients, usesOf));
  // One number limits all of them together.
  return { ...use, uses: Math.min(use.uses, calls) };
}

/** The bound to write; undefined if the request has one, or needs none. */
export function missingBound({ tools, input, max_tool_calls: calls }: JsonObject): number | undefined {
  if (clientUses(calls) !== undefined) return undefined;
  const later = Array.isArray(input) ? toolsIn(input) : [];
  const isOffered = hasVendorTool(tools, isClients) || hasVendorTool(later, isClients);
  return isOffered ? defaultCalls(tools, later) : undefined;
}

function defaultCalls(tools: Json | undefined, later: Json[]): number {
  const isOpen = hasVendorTool(tools, isClientsOrSearch) || hasVendorTool(later, isClientsOrSearch);
  return isOpen ? DEFAULT_OPEN_USES : DEFAULT_USES;
}

const isClientsOrSearch: IsClients = (type, tool) => isSearch(type) || isClients(type, tool);
