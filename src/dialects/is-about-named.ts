// Whether a 404 of an upstream is about something that the request names by its id, such as a file of another account. Both the
// message and the request are checked, because an unknown model or path has the same status.

import { isObject, type Json, type JsonObject } from '../kit/json/json.ts';

/** Words of error messages for a thing, and the fields that name one. */
const NAMED: readonly (readonly [words: RegExp, fields: readonly string[]])[] = [
  [/\bfiles?(_ids?)?\b/i, ['file_id', 'file_ids']],
  [/\bvector[ _]stores?\b/i, ['vector_store_ids']],
  [/\bcontainers?\b/i, ['container']],
  [/\bskills?\b/i, ['skill_id']],
  [/\bitem with id\b/i, ['id']],
];
/** How messages about a model begin, and llama.cpp's about a path. Only the beginning counts: the rest may quote the client. */
const OF_A_ROUTE = /^(?:[Tt]he )?[Mm]odels?\b|^File Not Found$/;

export function isAboutNamed(message: string, request: JsonObject): boolean {
  if (OF_A_ROUTE.test(message)) return false;
  const fields = NAMED.flatMap(([words, names]) => (words.test(message) ? names : []));
  return fields.length > 0 && holdsOne(request, fields);
}

function holdsOne(value: Json | undefined, fields: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => holdsOne(item, fields));
  if (!isObject(value)) return false;
  if (fields.some((field) => isName(value, field))) return true;
  return Object.keys(value).some((name) => holdsOne(value[name], fields));
}

/** An id, a list of them, or an object with one; a schema may have a property of the same name, which is none. */
function isName(object: JsonObject, field: string): boolean {
  const value = object[field];
  if (typeof value === 'string') return true;
  if (Array.isArray(value)) return value.some((item) => typeof item === 'string');
  return isObject(value) && typeof value.id === 'string';
}
