// Members of objects in a body that do not reach an upstream of the same format; the others keep their bytes.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import { foldName } from './fold-name.ts';
import { isAsked, NO_REMOVALS, type Removals } from './removals.ts';

interface OwnMembers {
  outer: string;
  names: ReadonlySet<string>;
  folded: ReadonlySet<string>;
}

/** Members that we read or write inside objects. As for fields, variants of these names are removed. */
const OWN_MEMBERS: readonly OwnMembers[] = [
  ownMembers('thinking', 'type', 'budget_tokens'),
  ownMembers('reasoning', 'effort', 'max_tokens', 'enabled'),
  ownMembers('stream_options', 'include_usage'),
  ownMembers('usage', 'include'),
];

function ownMembers(outer: string, ...names: readonly string[]): OwnMembers {
  return { outer, names: new Set(names), folded: new Set(names.map(foldName)) };
}

export function removeVariants(body: JsonObject): Removals {
  let left = NO_REMOVALS;
  for (const own of OWN_MEMBERS) {
    const members = body[own.outer];
    if (isObject(members) && hasVariant(own, members)) left = removeVariantsOf(own, members, left);
  }
  return left;
}

function removeVariantsOf(own: OwnMembers, members: JsonObject, before: Removals): Removals {
  return removeMembers(before, own.outer, members, (name) => isVariant(own, name));
}

/** Checked first, because almost no request has one. */
function hasVariant(own: OwnMembers, members: JsonObject): boolean {
  for (const name in members) if (isVariant(own, name)) return true;
  return false;
}

function isVariant({ names, folded }: OwnMembers, name: string): boolean {
  return !names.has(name) && folded.has(foldName(name));
}

/** Modes of reasoning have other prices; a bound that is no count cannot be compared with ours. */
export function removeReasoning({ reasoning }: JsonObject): Removals {
  if (!isObject(reasoning)) return NO_REMOVALS;
  return removeMembers(NO_REMOVALS, 'reasoning', reasoning, (name, value) =>
    name === 'max_tokens' ? !isCount(value) : foldName(name) === 'mode' && isAsked(value),
  );
}

function isCount(value: Json | undefined): boolean {
  return value === null || (typeof value === 'number' && value >= 0);
}

/** The strategy sets the fee of a search and how much it finds. */
export function removeSearchStrategy({ search_options: options }: JsonObject): Removals {
  if (!isObject(options)) return NO_REMOVALS;
  return removeMembers(NO_REMOVALS, 'search_options', options, (name) => foldName(name) === 'searchstrategy');
}

/** As many as a header holds. */
const MAX_NAMED = 50;

/** Adds the members of one object for which `isRemoved` is true. */
export function removeMembers(
  before: Removals,
  outer: string,
  members: JsonObject,
  isRemoved: (name: string, value: Json | undefined) => boolean,
): Removals {
  const found = Object.keys(members).filter((name) => isRemoved(name, members[name]));
  if (found.length === 0) return before;
  const edits = found.map((name): [string, RawEdit] => [name, remove]);
  return {
    names: [...before.names, ...found.slice(0, MAX_NAMED).map((name) => `${outer}.${name}`)],
    edits: { ...before.edits, [outer]: editFields(Object.fromEntries(edits)) },
  };
}
