// Edits below the top level of an event that leave every other byte as it came. Each is a document again, for the next edit.

import { type JsonDocument, readAnswerJson } from '../../kit/json/json.ts';
import { openRaw } from '../../kit/json/raw-json.ts';

/** The JSON text of a member. */
export function rawMember({ text, spans }: JsonDocument, name: string): string | undefined {
  const span = spans.get(name);
  return span && text.slice(span.valueStart, span.valueEnd);
}

export function withRawMember(document: JsonDocument, name: string, raw: string): JsonDocument {
  const span = document.spans.get(name);
  if (!span || rawMember(document, name) === raw) return document;
  const { text } = document;
  return readAnswerJson(text.slice(0, span.valueStart) + raw + text.slice(span.valueEnd));
}

/** The document with a member that is an object edited. */
export function editInside(document: JsonDocument, name: string, edit: (inner: JsonDocument) => string): JsonDocument {
  const raw = rawMember(document, name);
  return raw?.startsWith('{') ? withRawMember(document, name, edit(readAnswerJson(raw))) : document;
}

/** The document with the objects of a list edited; an edit of undefined removes one. */
export function editList(
  document: JsonDocument,
  name: string,
  edit: (item: JsonDocument) => string | undefined,
): JsonDocument {
  const list = document.value[name];
  const raw = rawMember(document, name);
  if (!Array.isArray(list) || raw === undefined) return document;
  const place = openRaw(raw);
  let isChanged = false;
  const texts = list.flatMap((_, index) => {
    const before = place.at(index)?.text ?? 'null';
    const after = before.startsWith('{') ? edit(readAnswerJson(before)) : before;
    isChanged ||= after !== before;
    return after === undefined ? [] : [after];
  });
  return isChanged ? withRawMember(document, name, `[${texts.join(',')}]`) : document;
}
