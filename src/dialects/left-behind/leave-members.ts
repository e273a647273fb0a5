// Members of objects in a body that do not reach an upstream of the same format; the others keep their bytes.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, leaveOut, type RawEdit } from '../../kit/json/raw-edit.ts';
import { foldName } from './fold-name.ts';
import { isAsked, type LeftBehind, NOTHING_LEFT } from './left-behind.ts';

interface OwnMembers {
  outer: string;
  names: ReadonlySet<string>;
  folded: ReadonlySet<string>;
}

/** What we read or write inside objects. As for fields, variants of these names are removed. */
const OWN_MEMBERS: readonly OwnMembers[] = [
  ownMembers('thinking', 'type', 'budget_tokens'),
  ownMembers('reasoning', 'effort', 'max_tokens', 'enabled'),
  ownMembers('stream_options', 'include_usage'),
  ownMembers('usage', 'include'),
];

function ownMembers(outer: string, ...names: readonly string[]): OwnMembers {
  return { outer, names: new Set(names), folded: new Set(names.map(foldName)) };
}

export function leaveVariants(body: JsonObject): LeftBehind {
  let left = NOTHING_LEFT;
  for (const own of OWN_MEMBERS) {
    const members = body[own.outer];
    if (isObject(members) && hasVariant(own, members)) left = leaveVariantsOf(own, members, left);
  }
  return left;
}

function leaveVariantsOf(own: OwnMembers, members: JsonObject, before: LeftBehind): LeftBehind {
  return leaveMembers(before, own.outer, members, (name) => isVariant(own, name));
}

/** Almost no request has one: nothing is made for the others. */
function hasVariant(own: OwnMembers, members: JsonObject): boolean {
  for (const name in members) if (isVariant(own, name)) return true;
  return false;
}

function isVariant({ names, folded }: OwnMembers, name: string): boolean {
  return !names.has(name) && folded.has(foldName(name));
}

/** Modes of reasoning have other prices; a bound that is no count cannot be compared with ours. */
export function leaveReasoning({ reasoning }: JsonObject): LeftBehind {
  if (!isObject(reasoning)) return NOTHING_LEFT;
  return leaveMembers(NOTHING_LEFT, 'reasoning', reasoning, (name, value) =>
    name === 'max_tokens' ? !isCount(value) : foldName(name) === 'mode' && isAsked(value),
  );
}

function isCount(value: Json | undefined): boolean {
  return value === null || (typeof value === 'number' && value >= 0);
}

/** The strategy sets the fee of a search and how much it finds. */
export function leaveSearchStrategy({ search_options: options }: JsonObject): LeftBehind {
  if (!isObject(options)) return NOTHING_LEFT;
  return leaveMembers(NOTHING_LEFT, 'search_options', options, (name) => foldName(name) === 'searchstrategy');
}

/** As many as a header holds. */
const MAX_NAMED = 50;

/** What was left before, and those members of one object for which `isLeft` is true. */
export function leaveMembers(
  before: LeftBehind,
  outer: string,
  members: JsonObject,
  isLeft: (name: string, value: Json | undefined) => boolean,
): LeftBehind {
  const found = Object.keys(members).filter((name) => isLeft(name, members[name]));
  if (found.length === 0) return before;
  const edits = found.map((name): [string, RawEdit] => [name, leaveOut]);
  return {
    names: [...before.names, ...found.slice(0, MAX_NAMED).map((name) => `${outer}.${name}`)],
    edits: { ...before.edits, [outer]: editFields(Object.fromEntries(edits)) },
  };
}
