// Parts of a request that are removed before it is sent in the client's own format, because the upstream would charge for them
// and the client is not billed: work beside the answer, and tools with a fee. They are reported as dropped; all other bytes stay.

import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { editMember, inTurn, type RawEdit } from '../../kit/json/raw-edit.ts';

export interface Removals {
  /** By the client's own names; a tool by its type. */
  names: readonly string[];
  /** Removed members of the body. */
  edits: Readonly<Record<string, RawEdit | undefined>>;
}

export const NO_REMOVALS: Removals = { names: [], edits: {} };
/** As many names as the header holds. */
export const MAX_NAMED = 50;

/** Two parts that edit the same member do so in turn: one that removes items of a list comes after those that edit items. */
export function joinRemovals(...parts: readonly Removals[]): Removals {
  return parts.reduce(joinTwo, NO_REMOVALS);
}

export function joinTwo(one: Removals, other: Removals): Removals {
  if (one === NO_REMOVALS) return other;
  if (other === NO_REMOVALS) return one;
  const edits = { ...one.edits };
  for (const [name, edit] of Object.entries(other.edits)) edits[name] = inTurn(edits[name], edit);
  return { names: [...one.names, ...other.names], edits };
}

/** Whether a setting is set. An empty object may stand for its defaults; an empty list means nothing. */
export function isAsked(value: Json | undefined): boolean {
  const isSet = value !== undefined && value !== null && value !== false;
  return isSet && !(Array.isArray(value) && value.length === 0);
}

/** The same document if nothing is removed. */
export function applyRemovals(document: JsonDocument, left: Removals): JsonDocument {
  if (left === NO_REMOVALS) return document;
  return Object.entries(left.edits).reduce((kept, [name, edit]) => editMember(kept, name, edit), document);
}

/**
 * The same text for all spellings of a name that a lenient upstream takes for one: Go and .NET ignore case; protobuf and others
 * take `maxTokens` for `max_tokens`. Unicode has letters that only one direction of case mapping unifies: the long s (U+017F)
 * becomes S in upper case, the Kelvin sign (U+212A) becomes k in lower case. So both are applied.
 */
export function foldName(name: string): string {
  return name.toUpperCase().toLowerCase().replace(SEPARATORS, '');
}

const SEPARATORS = /[_-]/g;
