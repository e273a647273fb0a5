// Edits deep inside a JSON document: decided by its values, made in its text. What is not edited keeps its bytes, and nothing
// is parsed again.

import { isObject, type Json, type JsonDocument, type JsonObject, type Span } from './json.ts';
import { openRaw, type RawPlace } from './raw-json.ts';

/** What a value becomes; undefined if it is left out. */
export type RawEdit = (raw: RawPlace) => string | undefined;

export const leaveOut: RawEdit = () => undefined;

export function setTo(value: Json): RawEdit {
  return () => JSON.stringify(value);
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
  const span = document.spans.get(name);
  if (!edit || !span) return document;
  const { text } = document;
  const raw = edit(openRaw(text.slice(span.valueStart, span.valueEnd)));
  if (raw === undefined) return withoutMember(document, name, span);
  const grown = raw.length - (span.valueEnd - span.valueStart);
  let value: JsonObject | undefined;
  return {
    text: text.slice(0, span.valueStart) + raw + text.slice(span.valueEnd),
    spans: new Map(Array.from(document.spans, ([one, other]) => [one, moved(other, span, grown)])),
    get value() {
      value ??= { ...document.value, [name]: JSON.parse(raw) as Json };
      return value;
    },
  };
}

/** One of the two commas around it goes, too. */
function withoutMember({ text, spans, value }: JsonDocument, name: string, { start, valueEnd }: Span): JsonDocument {
  const others = [...spans.values()].filter((other) => other.name !== name);
  const next = others.find((other) => other.start > start)?.start;
  const last = others.at(-1)?.valueEnd;
  const from = next === undefined ? (last ?? start) : start;
  const gone = (next ?? valueEnd) - from;
  const shifted = (span: Span): Span =>
    span.start < start
      ? span
      : { ...span, start: span.start - gone, valueStart: span.valueStart - gone, valueEnd: span.valueEnd - gone };
  const { [name]: _, ...rest } = value;
  return {
    text: text.slice(0, from) + text.slice(from + gone),
    spans: new Map(others.map((span) => [span.name, shifted(span)])),
    value: rest,
  };
}

function moved(span: Span, edited: Span, grown: number): Span {
  const { name, start, valueStart, valueEnd } = span;
  if (start < edited.start) return span;
  const isEdited = start === edited.start;
  return {
    name,
    start: isEdited ? start : start + grown,
    valueStart: isEdited ? valueStart : valueStart + grown,
    valueEnd: valueEnd + grown,
  };
}
