// Several schemas as one, for a format that has no word for `allOf` and wants an object wherever a tool's parameters stand.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';

/** What must hold to all of them: the first that says something decides, names and duties are those of all. */
export function mergeAll(schemas: readonly JsonObject[]): JsonObject {
  return merge(schemas, (one, other) => [...new Set([...one, ...other])]);
}

/** What must hold to one of them: the names of all, the duties that all share. */
export function mergeAny(schemas: readonly JsonObject[]): JsonObject {
  return merge(schemas, (one, other) => one.filter((name) => other.includes(name)));
}

function merge(schemas: readonly JsonObject[], joinDuties: (one: Json[], other: Json[]) => Json[]): JsonObject {
  // What stands last in a list of members wins: here that is the first schema.
  const last = schemas.toReversed();
  const members = Object.fromEntries(last.flatMap(Object.entries));
  const named = last.flatMap(({ properties }) => (isObject(properties) ? Object.entries(properties) : []));
  const duties = schemas.map(({ required }) => (Array.isArray(required) ? required : []));
  const required = duties.length > 0 ? duties.reduce(joinDuties) : [];
  return {
    ...members,
    ...(members.properties === undefined ? {} : { properties: Object.fromEntries(named) }),
    required: required.length > 0 ? required : undefined,
  };
}
