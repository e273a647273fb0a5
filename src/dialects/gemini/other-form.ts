// A whole answer as a stream, and a stream as a whole answer: a chunk has the form of an answer.

import { isObject, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { openRaw, RawJson, type RawValue } from '../../kit/json/raw-json.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { candidateOf, isChunk, reasonOf } from './read-candidate.ts';

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
