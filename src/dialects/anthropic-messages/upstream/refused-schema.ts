// Schemas that the vendor refuses for an answer, whatever is left out of them. It takes them for a tool.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { someSchema } from '../../translate/nested-schemas.ts';
import { resolveReference } from '../../translate/resolve-reference.ts';

/** So many references one inside the other are followed: who has more may as well reach itself. */
const MOST_INSIDE = 64;

export function isRefused(root: Json): boolean {
  return someSchema(root, joinsReference) || reachesItself(root);
}

/** One alone is put in place; see `supportedSchema`. */
function joinsReference({ allOf }: JsonObject): boolean {
  return Array.isArray(allOf) && allOf.length > 1 && allOf.some((one) => isObject(one) && one.$ref !== undefined);
}

function reachesItself(root: Json): boolean {
  /** Each is walked once, however many references lead there. */
  const clear = new Set<Json>();

  function leadsBack(schema: Json, path: readonly Json[]): boolean {
    return someSchema(schema, ({ $ref: reference }) => {
      const found = typeof reference === 'string' ? resolveReference(root, reference) : undefined;
      if (!isObject(found) || clear.has(found)) return false;
      if (path.includes(found) || path.length > MOST_INSIDE || leadsBack(found, [...path, found])) return true;
      clear.add(found);
      return false;
    });
  }

  return leadsBack(root, [root]);
}
