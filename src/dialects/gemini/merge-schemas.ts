// Several schemas as one, for a format without `allOf` that requires an object as a tool's parameters.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

/** A schema that requires all of them: for each keyword the first value counts; properties and required names are joined. */
export function mergeAll(schemas: readonly JsonObject[]): JsonObject {
  return merge(schemas, (duties) => [...new Set(duties.flat())]);
}

/** A schema that each of them satisfies: the properties of all, the required names that all share. */
export function mergeAny(schemas: readonly JsonObject[]): JsonObject {
  return merge(schemas, (duties) => duties.reduce(inBoth, duties[0] ?? []));
}

function inBoth(one: Json[], other: Json[]): Json[] {
  const others = new Set(other);
  return one.filter((name) => others.has(name));
}

function merge(schemas: readonly JsonObject[], joinDuties: (duties: Json[][]) => Json[]): JsonObject {
  // The last of equal members wins: here that of the first schema.
  const last = schemas.toReversed();
  const members = Object.fromEntries(last.flatMap(Object.entries));
  // Many may share the properties and required names of their parent: these are merged once.
  const shared = [...new Set(schemas.map(({ properties }) => properties))].toReversed();
  const named = shared.flatMap((properties) => (isObject(properties) ? Object.entries(properties) : []));
  const duties = [...new Set(schemas.map(({ required }) => required))];
  const required = joinDuties(duties.map((names) => (Array.isArray(names) ? names : [])));
  return {
    ...members,
    ...(members.properties === undefined ? {} : { properties: Object.fromEntries(named) }),
    required: required.length > 0 ? required : undefined,
  };
}
