// Members beside an image that set how many tokens it becomes. The hold is for the image as its bytes show it, so they do not
// reach the upstream.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import { foldName } from './fold-name.ts';
import { NO_REMOVALS, type Removals } from './removals.ts';

/** Folded. */
const SIZES: ReadonlySet<string> = new Set(
  [
    ...['min_pixels', 'max_pixels', 'total_pixels', 'resized_height', 'resized_width'],
    ...['min_dynamic_patch', 'max_dynamic_patch'],
  ].map(foldName),
);
/** As many as a header holds. */
const MAX_NAMED = 50;

/** `field`: the list of messages or items. */
export function removePixels(body: JsonObject, field: 'messages' | 'input'): Removals {
  const list = body[field];
  if (!Array.isArray(list)) return NO_REMOVALS;
  const names: string[] = [];
  for (const item of list) noteSizes(item, names);
  if (names.length === 0) return NO_REMOVALS;
  return { names: [...new Set(names)].slice(0, MAX_NAMED), edits: { [field]: editItems(list, editItem) } };
}

/** Places of parts in a message, and in the output of a tool. */
const PLACES = ['content', 'output'] as const;

function noteSizes(item: Json, names: string[]): void {
  if (!isObject(item)) return;
  noteOfPart(item, names);
  for (const place of PLACES) {
    const parts = item[place];
    if (Array.isArray(parts)) for (const part of parts) noteOfPart(part, names);
    else noteOfPart(parts, names);
  }
}

function noteOfPart(part: Json | undefined, names: string[]): void {
  if (!isImage(part)) return;
  const inner = part.image_url;
  names.push(...namesIn(part));
  if (isObject(inner)) names.push(...namesIn(inner));
}

function isImage(part: Json | undefined): part is JsonObject {
  return isObject(part) && 'image_url' in part;
}

function namesIn(members: JsonObject): string[] {
  return Object.keys(members).filter((name) => SIZES.has(foldName(name)));
}

function editItem(item: JsonObject): RawEdit | undefined {
  if (isImage(item)) return editImage(item);
  return editFields(Object.fromEntries(PLACES.map((place) => [place, editParts(item[place])])));
}

function editParts(parts: Json | undefined): RawEdit | undefined {
  return isObject(parts) ? editImage(parts) : editItems(parts, editImage);
}

function editImage(part: JsonObject): RawEdit | undefined {
  if (!isImage(part)) return undefined;
  const { image_url: inner } = part;
  const edits = withoutNames(namesIn(part));
  if (isObject(inner)) edits.image_url = editFields(withoutNames(namesIn(inner)));
  return editFields(edits);
}

function withoutNames(names: readonly string[]): Record<string, RawEdit | undefined> {
  return Object.fromEntries(names.map((name) => [name, remove]));
}
