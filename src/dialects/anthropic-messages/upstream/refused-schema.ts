// Schemas that the vendor refuses for an answer, whatever is left out of them. It takes them for a tool.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { someInside } from '../../translate/schemas/nested-schemas.ts';
import { resolveReference } from '../../translate/schemas/resolve-reference.ts';

/** So many references one inside the other are followed: who has more may as well reach itself. */
const MOST_INSIDE = 64;

export function isRefused(root: Json): boolean {
  /** Each is walked once, however many references lead there. */
  const walked = new Set<JsonObject>();
  /** Those that it is inside of now, or has come from by a reference: who leads there reaches itself. */
  const path = new Set<JsonObject>();

  function refuses(schema: Json | undefined, references: number): boolean {
    if (!isObject(schema) || walked.has(schema)) return false;
    if (path.has(schema) || references > MOST_INSIDE || joinsReference(schema)) return true;
    path.add(schema);
    const { $ref: reference } = schema;
    const isFound =
      someInside(schema, (one) => refuses(one, references)) ||
      (typeof reference === 'string' && refuses(resolveReference(root, reference), references + 1));
    path.delete(schema);
    walked.add(schema);
    return isFound;
  }

  return refuses(root, 0);
}

/** One alone is put in place; see `supportedSchema`. */
function joinsReference({ allOf }: JsonObject): boolean {
  return Array.isArray(allOf) && allOf.length > 1 && allOf.some((one) => isObject(one) && one.$ref !== undefined);
}
