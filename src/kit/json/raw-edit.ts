// Edits deep inside a JSON document. Edits are decided by its values and made in its text, so that everything else keeps its
// bytes and nothing is parsed again.

import { isObject, type Json, type JsonDocument, type JsonObject } from './json.ts';
import { openRaw, type RawPlace } from './raw-json.ts';
import type { Span } from './spans.ts';

/** The new value; undefined to leave it out. */
export type RawEdit = (raw: RawPlace) => string | undefined;

export const remove: RawEdit = () => undefined;

export function setTo(value: Json): RawEdit {
  return () => JSON.stringify(value);
}

/** Applies both edits to one value; the second gets the result of the first. */
export function inTurn(first: RawEdit | undefined, second: RawEdit | undefined): RawEdit | undefined {
  if (!first || !second) return first ?? second;
  return (raw) => {
    const text = first(raw);
    return text === undefined ? undefined : second(openRaw(text));
  };
}

/** Undefined if no item is edited. */
export function editItems(
  list: Json | undefined,
  editOf: (item: JsonObject) => RawEdit | undefined,
): RawEdit | undefined {
  if (!Array.isArray(list)) return undefined;
  return editAll(list.map((item, index) => [index, isObject(item) ? editOf(item) : undefined]));
}

/** Undefined if no member is edited. */
export function editFields(edits: Record<string, RawEdit | undefined>): RawEdit | undefined {
  return editAll(Object.entries(edits));
}

function editAll(edits: [name: string | number, edit: RawEdit | undefined][]): RawEdit | undefined {
  if (edits.every(([, edit]) => edit === undefined)) return undefined;
  return (raw) => {
    const texts = new Map<string | number, string | undefined>();
    for (const [name, edit] of edits) {
      const place = edit && raw.at(name);
      if (place) texts.set(name, edit(place));
    }
    return raw.edit(texts);
  };
}

/** The document with a top-level member edited, or without it; the same one if there is no edit. */
export function editMember(document: JsonDocument, name: string, edit: RawEdit | undefined): JsonDocument {
  if (!edit) return document;
  const span = document.spans.get(name);
  if (!span) return document;
  const raw = edit(openRaw(document.text.slice(span.valueStart, span.valueEnd)));
  if (raw === undefined) return withoutMember(document, name, span);
  const text = document.text.slice(0, span.valueStart) + raw + document.text.slice(span.valueEnd);
  const grown = text.length - document.text.length;
  let value: JsonObject | undefined;
  return {
    text,
    spans: document.spans.moved(text, (place) => (place < span.valueEnd ? place : place + grown)),
    get value() {
      value ??= { ...document.value, [name]: JSON.parse(raw) as Json };
      return value;
    },
  };
}

/** One of the two commas around it is removed, too. */
function withoutMember(document: JsonDocument, name: string, { start, valueEnd }: Span): JsonDocument {
  const others = document.spans.list().filter((other) => other.name !== name);
  const next = others.find((other) => other.start > start)?.start;
  const last = others.at(-1)?.valueEnd;
  const from = next === undefined ? (last ?? start) : start;
  const to = next ?? valueEnd;
  const text = document.text.slice(0, from) + document.text.slice(to);
  const { [name]: _, ...rest } = document.value;
  return {
    text,
    spans: document.spans.moved(text, (place) => (place < to ? place : place - (to - from)), name),
    value: rest,
  };
}
