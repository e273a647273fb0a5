// Schemas that are strict in this format, and that others would refuse as such: there a strict object requires all of its
// properties. An object that is not closed is right in neither, and goes as it is.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { someSchema } from '../../translate/schemas/nested-schemas.ts';

const REFUSED = ['allOf', 'default'];

export function isStrictElsewhere(schema: Json | undefined): boolean {
  return !someSchema(schema, (one) => hasOptional(one) || REFUSED.some((name) => one[name] !== undefined));
}

function hasOptional({ additionalProperties, properties, required }: JsonObject): boolean {
  if (additionalProperties !== false || !isObject(properties)) return false;
  const names = new Set(Array.isArray(required) ? required : []);
  return Object.keys(properties).some((name) => !names.has(name));
}
