// Members beside an image that set how many tokens it becomes. The hold is for the image as its bytes show it, so they do not
// reach the upstream.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import { foldName } from './fold-name.ts';
import { MAX_NAMED, NO_REMOVALS, type Removals } from './removals.ts';

/** Folded. */
const SIZES: ReadonlySet<string> = new Set(
  [
    ...['min_pixels', 'max_pixels', 'total_pixels', 'resized_height', 'resized_width'],
    ...['min_dynamic_patch', 'max_dynamic_patch'],
  ].map(foldName),
);

/** `field`: the list of messages or items. */
export function removePixels(body: JsonObject, field: 'messages' | 'input'): Removals {
  const list = body[field];
  // Checked first, because most requests have no image.
  if (!Array.isArray(list) || !list.some(hasImage)) return NO_REMOVALS;
  const names = new Set<string>();
  const edit = editItems(list, (item) => editItem(item, names));
  return edit ? { names: [...names].slice(0, MAX_NAMED), edits: { [field]: edit } } : NO_REMOVALS;
}

/** Places of parts in a message, and in the output of a tool. */
const PLACES = ['content', 'output'] as const;

function hasImage(item: Json): boolean {
  if (!isObject(item)) return false;
  if (isImage(item)) return true;
  return PLACES.some((place) => {
    const parts = item[place];
    return Array.isArray(parts) ? parts.some(isImage) : isImage(parts);
  });
}

function isImage(part: Json | undefined): boolean {
  return isObject(part) && 'image_url' in part;
}

function editItem(item: JsonObject, names: Set<string>): RawEdit | undefined {
  if (isImage(item)) return editImage(item, names);
  return editFields(Object.fromEntries(PLACES.map((place) => [place, editParts(item[place], names)])));
}

function editParts(parts: Json | undefined, names: Set<string>): RawEdit | undefined {
  return isObject(parts) ? editImage(parts, names) : editItems(parts, (part) => editImage(part, names));
}

/** Adds what it removes to `names`. */
function editImage(part: JsonObject, names: Set<string>): RawEdit | undefined {
  if (!isImage(part)) return undefined;
  const { image_url: inner } = part;
  const edits = withoutSizes(part, names);
  if (isObject(inner)) edits.image_url = editFields(withoutSizes(inner, names));
  return editFields(edits);
}

function withoutSizes(members: JsonObject, names: Set<string>): Record<string, RawEdit | undefined> {
  const sizes = Object.keys(members).filter((name) => SIZES.has(foldName(name)));
  for (const name of sizes) names.add(name);
  return Object.fromEntries(sizes.map((name) => [name, remove]));
}
