// Where a reference inside a schema leads. References to elsewhere lead nowhere.

import { isObject, type Json } from './json.ts';

/** `#`, or a JSON pointer such as `#/$defs/node`. */
export function resolveReference(root: Json, reference: string): Json | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let found: Json | undefined = root;
  // Step by step: one that leads nowhere is left at once, however long it is.
  for (let at = 1; at < reference.length && found !== undefined; ) {
    const next = reference.indexOf('/', at + 1);
    const end = next === -1 ? reference.length : next;
    found = memberAt(
      found,
      decode(reference.slice(at + 1, end))
        .replaceAll('~1', '/')
        .replaceAll('~0', '~'),
    );
    at = end;
  }
  return found;
}

function memberAt(value: Json, name: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
