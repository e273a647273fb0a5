// Where a reference inside a schema leads. References to elsewhere lead nowhere.

import { isObject, type Json } from '../../kit/json/json.ts';

/** `#`, or a JSON pointer such as `#/$defs/node`. */
export function resolveReference(root: Json, reference: string): Json | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let found: Json | undefined = root;
  for (const step of reference.split('/').slice(1)) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
