// Google reads every field under two names, `inlineData` and `inline_data`, and a list of one also without its brackets.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { RawPlace } from '../../kit/json/raw-json.ts';
import { refuseField } from '../fields.ts';

export function member(object: JsonObject, name: string): Json | undefined {
  return object[name] ?? object[snakeName(name)] ?? undefined;
}

/** The same member in the text of the body. */
export function rawMember(place: RawPlace | undefined, name: string): RawPlace | undefined {
  return place?.at(name) ?? place?.at(snakeName(name));
}

/** The items of a list in the text. */
export function rawItems(list: RawPlace | undefined): RawPlace[] {
  return Array.from({ length: list?.count ?? 0 }, (_, at) => list?.at(at)).filter((item) => item !== undefined);
}

export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The name that the documentation uses. */
export function camelName(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function objectMember(object: JsonObject, name: string, at = name): JsonObject | undefined {
  const value = member(object, name);
  if (value === undefined) return undefined;
  return isObject(value) ? value : refuseField(at, `${at} must be an object.`);
}

/** The objects of a list; none if it is left out. */
export function objectsAt(value: Json | undefined, at: string): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (isObject(value)) return [value];
  if (!Array.isArray(value)) return refuseField(at, `${at} must be a list of objects.`);
  return value.map((item, index) =>
    isObject(item) ? item : refuseField(`${at}[${index}]`, `Every item of ${at} must be an object.`),
  );
}
