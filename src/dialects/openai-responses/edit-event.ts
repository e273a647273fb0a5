// Edits below the top level of an event that leave every other byte as it came. Each is a document again, for the next edit.

import { type JsonDocument, readAnswerJson } from '../../kit/json/json.ts';
import { editMember } from '../../kit/json/raw-edit.ts';
import { openMember } from '../../kit/json/raw-json.ts';

/** The document with a member that is an object edited. */
export function editInside(document: JsonDocument, name: string, edit: (inner: JsonDocument) => string): JsonDocument {
  const before = openMember(document, name)?.text;
  if (!before?.startsWith('{')) return document;
  const after = edit(readAnswerJson(before));
  return after === before ? document : editMember(document, name, () => after);
}

/** The document with the objects of a list edited. */
export function editList(document: JsonDocument, name: string, edit: (item: JsonDocument) => string): JsonDocument {
  const list = document.value[name];
  const place = openMember(document, name);
  if (!Array.isArray(list) || !place) return document;
  let isChanged = false;
  const texts = list.map((_, index) => {
    const before = place.at(index)?.text ?? 'null';
    const after = before.startsWith('{') ? edit(readAnswerJson(before)) : before;
    isChanged ||= after !== before;
    return after;
  });
  return isChanged ? editMember(document, name, () => `[${texts.join(',')}]`) : document;
}
