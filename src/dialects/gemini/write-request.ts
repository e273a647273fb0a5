// The body for an upstream of the same format: the client's own text with our output bound, and without what came from the URL.

import { editMembers, isObject, type JsonDocument, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import { editFields, editItems, editMember, type RawEdit, remove } from '../../kit/json/raw-edit.ts';
import { RawJson, writeJson } from '../../kit/json/raw-json.ts';
import type { RelayRequest, UpstreamFields } from '../dialect.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { rawItems, snakeName } from './member.ts';
import { isEmpty } from './read-answer.ts';

const CONFIG = 'generationConfig';
const BOUND = 'maxOutputTokens';
const FROM_URL = { model: undefined, stream: undefined, alt: undefined };

export function writeRequest(
  { document }: RelayRequest,
  { maxOutputTokens: bound }: UpstreamFields,
  removed?: readonly string[],
  prefill?: string,
): string {
  const kept = withoutEmpty(document);
  const sent = prefill === undefined ? kept : editMember(kept, 'contents', append(prefill));
  const name = [CONFIG, snakeName(CONFIG)].find((one) => isObject(sent.value[one]));
  const own = name === undefined ? { ...FROM_URL, [CONFIG]: { [BOUND]: bound } } : FROM_URL;
  const bounded = name === undefined ? sent : editMember(sent, name, setBound(bound));
  return editMembers(bounded, withoutFields(own, removed));
}

/** Appends the answer so far as a turn of the model, without white space at its end. */
function append(prefill: string): RawEdit {
  const begun = { role: 'model', parts: [{ text: prefill.trimEnd() }] };
  return (contents) => {
    const isList = contents.text.trimStart().startsWith('[');
    const turns = isList ? rawItems(contents) : [contents];
    return writeJson([...turns.map((turn) => new RawJson(turn.text)), begun]);
  };
}

function setBound(bound: number): RawEdit {
  return (raw) => {
    const rest = raw.edit(
      new Map([
        [BOUND, undefined],
        [snakeName(BOUND), undefined],
      ]),
    );
    return `{"${BOUND}":${bound}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
  };
}

/** Streams end with an empty part, which clients keep in their history. Vertex refuses a request with one. */
function withoutEmpty(document: JsonDocument): JsonDocument {
  return editMember(document, 'contents', editItems(document.value.contents, editContent));
}

function editContent({ parts }: JsonObject): RawEdit | undefined {
  const empty = objectsOf(parts).filter(isEmpty).length;
  if (empty === 0 || !Array.isArray(parts)) return undefined;
  if (empty === parts.length) return remove;
  return editFields({ parts: editItems(parts, (part) => (isEmpty(part) ? remove : undefined)) });
}
