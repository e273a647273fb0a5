// What stays behind where the client's own text goes through, because the upstream would ask us for what nobody is billed:
// work beside the answer, and tools with a fee of their own. It is reported as dropped, and everything else keeps its bytes.

import type { Json, JsonDocument } from '../../kit/json/json.ts';
import { editMember, inTurn, type RawEdit } from '../../kit/json/raw-edit.ts';

export interface LeftBehind {
  /** By the client's own names; a tool by its type. */
  names: readonly string[];
  /** Of members of the body. */
  edits: Readonly<Record<string, RawEdit | undefined>>;
}

export const NOTHING_LEFT: LeftBehind = { names: [], edits: {} };

/** Two parts that edit the same member do so in turn: one that removes items of a list comes after those that edit items. */
export function joinLeft(...parts: readonly LeftBehind[]): LeftBehind {
  return parts.reduce(joinTwo, NOTHING_LEFT);
}

export function joinTwo(one: LeftBehind, other: LeftBehind): LeftBehind {
  if (one === NOTHING_LEFT) return other;
  if (other === NOTHING_LEFT) return one;
  const edits = { ...one.edits };
  for (const [name, edit] of Object.entries(other.edits)) edits[name] = inTurn(edits[name], edit);
  return { names: [...one.names, ...other.names], edits };
}

/** Whether a setting asks for something: an empty object may mean all that it could say, an empty list means nothing. */
export function isAsked(value: Json | undefined): boolean {
  const isSet = value !== undefined && value !== null && value !== false;
  return isSet && !(Array.isArray(value) && value.length === 0);
}

/** The same document if nothing stays behind. */
export function withoutLeft(document: JsonDocument, left: LeftBehind): JsonDocument {
  if (left === NOTHING_LEFT) return document;
  return Object.entries(left.edits).reduce((kept, [name, edit]) => editMember(kept, name, edit), document);
}
