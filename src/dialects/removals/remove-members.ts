// Members of objects in a body that do not reach an upstream of the same format; the others keep their bytes.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { editFields, editItems, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import { foldName, isAsked, joinTwo, MAX_NAMED, NO_REMOVALS, type Removals } from './removals.ts';

type IsRemoved = (name: string, value: Json | undefined) => boolean;

/** Members that we read or write inside objects. As for fields, variants of these names are removed. */
const OWN_MEMBERS: readonly { outer: string; isVariant: IsRemoved }[] = [
  ownMembers('thinking', 'type', 'budget_tokens'),
  ownMembers('reasoning', 'effort', 'max_tokens', 'enabled'),
  ownMembers('stream_options', 'include_usage'),
  ownMembers('usage', 'include'),
];

function ownMembers(outer: string, ...own: readonly string[]): { outer: string; isVariant: IsRemoved } {
  const names = new Set(own);
  const folded = new Set(own.map(foldName));
  return { outer, isVariant: (name) => !names.has(name) && folded.has(foldName(name)) };
}

export function removeVariants(body: JsonObject): Removals {
  let left = NO_REMOVALS;
  for (const { outer, isVariant } of OWN_MEMBERS) left = joinTwo(left, removeMembers(body, outer, isVariant));
  return left;
}

/** Modes of reasoning have other prices; a bound that is no count cannot be compared with ours. */
export function removeReasoning(body: JsonObject): Removals {
  return removeMembers(body, 'reasoning', (name, value) =>
    name === 'max_tokens' ? !isCount(value) : foldName(name) === 'mode' && isAsked(value),
  );
}

function isCount(value: Json | undefined): boolean {
  return value === null || (typeof value === 'number' && value >= 0);
}

/** The strategy sets the fee of a search and how much it finds. */
export function removeSearchStrategy(body: JsonObject): Removals {
  return removeMembers(body, 'search_options', (name) => foldName(name) === 'searchstrategy');
}

/** Arguments of a chat template, which servers such as vLLM accept: those that turn thinking on and off. */
const PASSED_ARGUMENTS: ReadonlySet<string> = new Set([
  ...['enable_thinking', 'thinking', 'thinking_mode', 'reasoning_effort'],
  ...['preserve_thinking', 'clear_thinking', 'low_effort', 'enable_reasoning'],
]);
const WORD = /^[\w.-]{1,64}$/;

/**
 * A number of tokens is not a bound that the hold covers, and a template given as an argument can write a prompt of any
 * length.
 */
export function removeTemplateArguments(body: JsonObject): Removals {
  return removeMembers(
    body,
    'chat_template_kwargs',
    (name, value) => !PASSED_ARGUMENTS.has(name) || !isPlainArgument(value),
  );
}

function isPlainArgument(value: Json | undefined): boolean {
  return value === null || typeof value !== 'object' ? typeof value !== 'string' || WORD.test(value) : false;
}

/** Removes the members of one object for which `isRemoved` is true. Almost no request has one. */
function removeMembers(body: JsonObject, outer: string, isRemoved: IsRemoved): Removals {
  const members = body[outer];
  if (!isObject(members)) return NO_REMOVALS;
  let edits: [name: string, edit: RawEdit][] | undefined;
  for (const name in members) {
    if (!isRemoved(name, members[name])) continue;
    edits ??= [];
    edits.push([name, remove]);
  }
  if (!edits) return NO_REMOVALS;
  const names = edits.slice(0, MAX_NAMED).map(([name]) => `${outer}.${name}`);
  return { names, edits: { [outer]: editFields(Object.fromEntries(edits)) } };
}

const MANAGEMENT = 'context_management';

/**
 * A compaction makes the model read the whole conversation and write a summary beside the answer, which no hold covers. The
 * field is a list of edits in Responses, and has one in messages.
 */
export function removeCompaction({ [MANAGEMENT]: management }: JsonObject): Removals {
  const edits = isObject(management) ? management.edits : management;
  if (!Array.isArray(edits) || !edits.some(isCompaction)) return NO_REMOVALS;
  const others = editItems(edits, (edit) => (isCompaction(edit) ? remove : undefined));
  const edited = isObject(management) ? editFields({ edits: others }) : others;
  return { names: [MANAGEMENT], edits: { [MANAGEMENT]: edits.every(isCompaction) ? remove : edited } };
}

function isCompaction(edit: Json): boolean {
  return isObject(edit) && typeof edit.type === 'string' && edit.type.startsWith('compact');
}

/** Folded names of members that set the size of an image. */
const SIZES: ReadonlySet<string> = new Set(
  [
    ...['min_pixels', 'max_pixels', 'total_pixels', 'resized_height', 'resized_width'],
    ...['min_dynamic_patch', 'max_dynamic_patch'],
  ].map(foldName),
);

/**
 * Members beside an image that set how many tokens it becomes: the hold is for the image as its bytes show it. `field`: the list
 * of messages or items.
 */
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

/** An item may be an image and have others in it. */
function editItem(item: JsonObject, names: Set<string>): RawEdit | undefined {
  const places = PLACES.map((place) => [place, editParts(item[place], names)]);
  return editFields({ ...imageEdits(item, names), ...Object.fromEntries(places) });
}

function editParts(parts: Json | undefined, names: Set<string>): RawEdit | undefined {
  const edit = (part: JsonObject) => editFields(imageEdits(part, names));
  return isObject(parts) ? edit(parts) : editItems(parts, edit);
}

/** Adds what it removes to `names`. */
function imageEdits(part: JsonObject, names: Set<string>): Record<string, RawEdit | undefined> {
  if (!isImage(part)) return {};
  const { image_url: inner } = part;
  const edits = withoutSizes(part, names);
  if (isObject(inner)) edits.image_url = editFields(withoutSizes(inner, names));
  return edits;
}

function withoutSizes(members: JsonObject, names: Set<string>): Record<string, RawEdit | undefined> {
  const sizes = Object.keys(members).filter((name) => SIZES.has(foldName(name)));
  for (const name of sizes) names.add(name);
  return Object.fromEntries(sizes.map((name) => [name, remove]));
}
