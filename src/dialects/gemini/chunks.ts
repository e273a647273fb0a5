// A chunk taken apart: one for each of its parts, and one for its end. Everything keeps its own text.

import { isObject, type JsonDocument, type JsonObject, objectsOf, tryReadAnswerJson } from '../../kit/json/json.ts';
import { editMember } from '../../kit/json/raw-edit.ts';
import { openRaw, RawJson, type RawPlace, type RawValue, writeJson } from '../../kit/json/raw-json.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { candidateOf, EMPTY_PART, isChunk, reasonOf } from './read-answer.ts';

const ENDINGS: ReadonlySet<string> = new Set(['finishReason', 'finishMessage']);

/** The chunk with one of its parts. `index` counts all of them, empty ones too. */
export function chunkOfPart(document: JsonDocument, index: number): JsonDocument {
  return withPart(document, (parts) => rawOf(parts?.at(index)), false);
}

/** The chunk of a single text with another text. */
export function chunkWithText(document: JsonDocument, text: string): JsonDocument {
  return withPart(
    document,
    (parts) => {
      const index = Array.from({ length: parts?.count ?? 0 }).findIndex((_, at) => parts?.at(at)?.at('text'));
      const part = parts?.at(index);
      return part ? new RawJson(part.edit(new Map([['text', JSON.stringify(text)]]))) : { text };
    },
    false,
  );
}

/** Its end, with the reason. */
export function lastChunk(document: JsonDocument): JsonDocument {
  return withPart(document, () => EMPTY_PART, true);
}

function withPart(
  document: JsonDocument,
  partOf: (parts: RawPlace | undefined) => RawValue,
  isLast: boolean,
): JsonDocument {
  const candidate = candidateOf(document.value) ?? {};
  const index = objectsOf(document.value.candidates).indexOf(candidate);
  const { content } = candidate;
  const role = isObject(content) && typeof content.role === 'string' ? content.role : 'model';
  return editMember(document, 'candidates', (candidates) => {
    const raw = candidates.at(index);
    const written: { [name: string]: RawValue } = {
      content: { parts: [partOf(raw?.at('content')?.at('parts'))], role },
    };
    for (const name of Object.keys(candidate)) {
      if (name !== 'content' && (isLast || !ENDINGS.has(name))) written[name] = rawOf(raw?.at(name));
    }
    return writeJson([written]);
  });
}

function rawOf(place: RawPlace | undefined): RawValue {
  return place ? new RawJson(place.text) : null;
}

export function writeAsStream({ text }: JsonDocument): string {
  return writeSse(text);
}

export function joinStream(events: readonly SseEvent[]): RawValue | undefined {
  const parts: RawJson[] = [];
  let head: JsonObject = {};
  let end: JsonObject = {};
  for (const { data = '' } of events) {
    const document = tryReadAnswerJson(data);
    if (!document || !isChunk(document.value)) return undefined;
    const { candidates: _, ...rest } = document.value;
    head = { ...head, ...rest };
    parts.push(...partsIn(document));
    const { content: __, ...candidate } = candidateOf(document.value) ?? {};
    end = { ...end, ...candidate };
  }
  if (reasonOf({ ...head, candidates: [end] }) === undefined) return undefined;
  return { ...head, candidates: [{ content: { parts, role: 'model' }, ...end }] };
}

function partsIn({ value, text }: JsonDocument): RawJson[] {
  const candidates = Array.isArray(value.candidates) ? value.candidates : [];
  const index = candidates.findIndex((one) => isObject(one) && (one.index ?? 0) === 0);
  const parts = openRaw(text).at('candidates')?.at(index)?.at('content')?.at('parts');
  return Array.from({ length: parts?.count ?? 0 }, (_, at) => new RawJson(parts?.at(at)?.text ?? '{}'));
}
