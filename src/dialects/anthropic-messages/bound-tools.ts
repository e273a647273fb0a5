// How often the upstream may use its tools in a messages call. A search or a fetch without a bound gets one, because the hold
// covers no more.

import type { JsonDocument, JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, setTo } from '../../kit/json/raw-edit.ts';
import { clientUses, DEFAULT_USES } from '../input/tool-use.ts';

/** The tools that take the field. */
const TAKES_BOUND = /^web_(?:search|fetch)_/;

/** Of one of `tools`: as it is written for the upstream. */
export function usesOf({ max_uses: uses }: JsonObject): number {
  return clientUses(uses) ?? DEFAULT_USES;
}

/** Of a tool that the conversation defines, into which nothing is written. */
export function usesOfDefined({ max_uses: uses }: JsonObject): number {
  return clientUses(uses) ?? Number.POSITIVE_INFINITY;
}

/** The same document if every tool has its bound. */
export function boundTools(document: JsonDocument): JsonDocument {
  return editMember(document, 'tools', editItems(document.value.tools, boundOf));
}

function boundOf({ type, max_uses: uses }: JsonObject): RawEdit | undefined {
  if (typeof type !== 'string' || !TAKES_BOUND.test(type) || clientUses(uses) !== undefined) return undefined;
  return uses === undefined ? addUses : editFields({ max_uses: setTo(DEFAULT_USES) });
}

/** It has a type at least, so a member follows. */
const addUses: RawEdit = ({ text }) => `{"max_uses":${DEFAULT_USES},${text.slice(text.indexOf('{') + 1)}`;
