// Where in a body an object stands, as faults name places: `messages[0].content[1]`.

import { isObject, type Json, type JsonObject } from './json.ts';

/** Undefined if it is not in there. */
export function placeIn(value: Json | undefined, sought: JsonObject, at = ''): string | undefined {
  if (value === sought) return at;
  if (Array.isArray(value)) return firstOf(value.keys(), (index) => placeIn(value[index], sought, `${at}[${index}]`));
  if (!isObject(value)) return undefined;
  const names = Object.keys(value).filter((name) => typeof value[name] !== 'string');
  return firstOf(names, (name) => placeIn(value[name], sought, at === '' ? name : `${at}.${name}`));
}

function firstOf<Key>(keys: Iterable<Key>, find: (key: Key) => string | undefined): string | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}
