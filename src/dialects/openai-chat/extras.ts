// Content of chunks beside text: citations, signatures, probabilities, unknown fields. They cannot be compared like text, so they
// are counted by their place: a run that repeats an answer has as many of them after the same text.

import { isObject, type Json, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import type { Segment, StreamEvent } from '../dialect.ts';
import { isReasoning, readSegments, toolCalls } from './read-answer.ts';
import { contentMember, hasNoChoice } from './read-chunk.ts';

/** The key for all events without choices. */
const WHOLE_EVENTS = '';
/** Standard members of a choice, which are not extras. */
const FRAME: ReadonlySet<string> = new Set(['index', 'delta', 'message', 'finish_reason']);
/** Members of a delta with text, images or audio. */
const CONTENT: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'reasoning', 'reasoning_content', 'function_call', 'audio', 'images'],
]);
/** Members of a call that are compared with its text. */
const CALL: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function', 'custom']);

export class Extras {
  /** Since the last text of their choice. */
  readonly #counts: Map<string, number>;

  constructor(before?: ReadonlyMap<string, number>) {
    this.#counts = new Map(before);
  }

  /** The client was sent this. */
  add({ document, segments }: StreamEvent): void {
    for (const { slot } of segments) this.passWords(slot);
    if (!document) return;
    if (hasNoChoice(document.value)) this.#grow(WHOLE_EVENTS, 1);
    for (const choice of choicesOf(document.value)) {
      for (const [name, value] of extrasOf(choice)) this.#grow(`${indexOf(choice)}/${name}`, sizeOf(value));
    }
  }

  /** Text of this slot was sent: extras before it are not sent again after it. */
  passWords(slot: string): void {
    const counts = this.#counts;
    if (counts.size === 0) return;
    const choice = slot.slice(0, slot.indexOf('/') + 1);
    for (const place of counts.keys()) if (place === WHOLE_EVENTS || place.startsWith(choice)) counts.delete(place);
  }

  /** For an event without choices: true if the client has it; it is then removed from the known ones. */
  takeKnown(): boolean {
    return this.#rest(WHOLE_EVENTS, null) === undefined;
  }

  /** The choice without the extras that the client has, which are then removed from the known ones. */
  cut(choice: JsonObject): JsonObject {
    return mapExtras(choice, (name, value) => this.#rest(`${indexOf(choice)}/${name}`, value));
  }

  copy(): Extras {
    return new Extras(this.#counts);
  }

  #grow(place: string, by: number): void {
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + by);
  }

  /** The rest of it; undefined if nothing is left. */
  #rest(place: string, value: Json): Json | undefined {
    const known = this.#counts.get(place) ?? 0;
    if (known === 0) return value;
    const size = sizeOf(value);
    this.#counts.set(place, Math.max(0, known - size));
    return Array.isArray(value) && known < size ? value.slice(known) : undefined;
  }
}

/** The choice without extras. */
export function withoutExtras(choice: JsonObject): JsonObject {
  return mapExtras(choice, () => undefined);
}

export function hasExtras(choice: JsonObject): boolean {
  return extrasOf(choice).length > 0;
}

export function choicesOf({ choices }: JsonObject): JsonObject[] {
  return objectsOf(choices);
}

export function indexOf({ index }: JsonObject): number {
  return typeof index === 'number' ? index : 0;
}

function extrasOf(choice: JsonObject): [name: string, value: Json][] {
  const found: [string, Json][] = [];
  mapExtras(choice, (name, value) => {
    found.push([name, value]);
    return value;
  });
  return found;
}

/** `map` returns the rest of each extra. If nothing changes, the same choice is returned. */
function mapExtras(choice: JsonObject, map: (name: string, value: Json) => Json | undefined): JsonObject {
  const member = contentMember(choice);
  const said = choice[member];
  const delta = isObject(said) ? said : {};
  const segments = readSegments(delta, 0);
  // Members beside text, such as its probabilities, are sent or skipped with it.
  const frame = segments.length > 0 ? choice : mapMembers(choice, (name) => !FRAME.has(name), map);
  const kept = mapMembers(delta, (name) => isExtra(name, delta, segments), map);
  return kept === delta ? frame : { ...frame, [member]: kept };
}

function isExtra(name: string, delta: JsonObject, segments: readonly Segment[]): boolean {
  if (name === 'reasoning_details') return !segments.some(isReasoning);
  if (name === 'tool_calls') return segments.length === 0 && toolCalls(delta).some(hasMore);
  return !CONTENT.has(name);
}

/** Whether a call has more than its name and arguments. */
function hasMore(call: JsonObject): boolean {
  return Object.keys(call).some((name) => !CALL.has(name));
}

function mapMembers(
  object: JsonObject,
  isMapped: (name: string) => boolean,
  map: (name: string, value: Json) => Json | undefined,
): JsonObject {
  const next: JsonObject = {};
  let changed = false;
  for (const name of Object.keys(object)) {
    const value = object[name];
    const kept = value === undefined || isEmpty(value) || !isMapped(name) ? value : map(name, value);
    if (kept !== undefined) next[name] = kept;
    changed ||= kept !== value;
  }
  return changed ? next : object;
}

function isEmpty(value: Json): boolean {
  if (typeof value !== 'object') return value === '';
  return value === null || Object.keys(value).length === 0;
}

function sizeOf(value: Json): number {
  return Array.isArray(value) ? value.length : 1;
}
