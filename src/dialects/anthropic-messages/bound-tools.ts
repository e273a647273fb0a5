// Limits how often the upstream may use its tools in a messages call. A search or fetch without a limit gets one, because
// the hold covers no more.

import type { JsonDocument, JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, setTo } from '../../kit/json/raw-edit.ts';
import { clientUses, DEFAULT_OPEN_USES, DEFAULT_USES } from '../input/tool-use.ts';
import { isSearch, type VendorTool } from '../input/vendor-tools.ts';

/** The tools that take the field. */
const TAKES_BOUND = /^web_(?:search|fetch)_/;

/** For an entry of `tools`: the limit sent to the upstream. Undefined if the tool takes none. */
export function usesOf({ type, max_uses: uses }: VendorTool): number | undefined {
  return TAKES_BOUND.test(type) ? (clientUses(uses) ?? defaultUses(type)) : undefined;
}

/** For a tool that the conversation defines: the gateway writes no limit into it. */
export function usesOfDefined({ type, max_uses: uses }: VendorTool): number | undefined {
  return TAKES_BOUND.test(type) ? clientUses(uses) : undefined;
}

function defaultUses(type: string): number {
  return isSearch(type) ? DEFAULT_USES : DEFAULT_OPEN_USES;
}

/** The same document if every tool has its bound. */
export function boundTools(document: JsonDocument): JsonDocument {
  return editMember(document, 'tools', editItems(document.value.tools, boundOf));
}

function boundOf({ type, max_uses: uses }: JsonObject): RawEdit | undefined {
  if (typeof type !== 'string' || !TAKES_BOUND.test(type) || clientUses(uses) !== undefined) return undefined;
  const most = defaultUses(type);
  return uses === undefined ? addUses(most) : editFields({ max_uses: setTo(most) });
}

/** The tool has at least a type, so another member follows. */
function addUses(most: number): RawEdit {
  return ({ text }) => `{"max_uses":${most},${text.slice(text.indexOf('{') + 1)}`;
}
