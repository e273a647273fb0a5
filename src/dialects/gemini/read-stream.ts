// Reads a Gemini stream chunk by chunk. Each part becomes an event of its own, so that another run can be compared with it;
// the reason why the answer ended waits for the bill. Every event keeps its JSON text.

import {
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  objectsOf,
  tryReadAnswerJson,
} from '../../kit/json/json.ts';
import { editMember } from '../../kit/json/raw-edit.ts';
import { openRaw, RawJson, type RawPlace, type RawValue, writeJson } from '../../kit/json/raw-json.ts';
import { checkReport } from '../counts.ts';
import { addOutput, NO_OUTPUT, type StreamEvent, type StreamFacts, type StreamReader } from '../dialect.ts';
import { BROKEN, DONE, GAVE_UP } from '../stream/bare-events.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { HostedCalls } from './hosted-tools.ts';
import { rawItems } from './member.ts';
import {
  BlockCounter,
  candidateOf,
  EMPTY_PART,
  isChunk,
  isEmpty,
  isFailure,
  outputOf,
  partsIn,
  readFinish,
  readUsage,
  reasonOf,
} from './read-answer.ts';

/** Google's streams have no end mark, but those of some proxies have. */
const END_MARK = '[DONE]';

export class GeminiReader implements StreamReader {
  readonly #blocks = new BlockCounter();
  #usage: Json | undefined;
  #output = NO_OUTPUT;
  readonly #calls = new HostedCalls();
  #reason: string | undefined;

  read({ data = '' }: SseEvent): StreamEvent[] {
    if (data === END_MARK) return [DONE];
    if (data.startsWith('['))
      return rawItems(openRaw(data)).flatMap(({ text }) => this.read({ event: undefined, data: text }));
    const document = tryReadAnswerJson(data);
    if (!document || !isChunk(document.value)) return [BROKEN];
    const { value } = document;
    this.#usage = value.usageMetadata ?? this.#usage;
    const candidate = candidateOf(value);
    if (candidate) this.#calls.add(candidate);
    const all = partsIn(candidate ?? {});
    const parts = all.filter((part) => !isEmpty(part));
    const reason = reasonOf(value);
    this.#reason = reason ?? this.#reason;
    // Most chunks have one part and no reason: they keep their text.
    if (all.length === 1 && parts[0] && reason === undefined) return [this.#event(document, parts[0])];
    // The text has the empty parts, too.
    const chunkOf = (part: JsonObject) => withPart(document, (places) => rawOf(places?.at(all.indexOf(part))));
    const events = parts.map((part) => this.#event(chunkOf(part), part));
    // An empty chunk shows the client that its answer has begun.
    if (reason === undefined && parts.length === 0) return [this.#event(document, EMPTY_PART)];
    if (reason === undefined) return events;
    if (isFailure(reason) && !this.#output.hasContent) return [GAVE_UP];
    const last = candidate ? withPart(document, () => EMPTY_PART, true) : document;
    return [...events, { kind: 'held', name: undefined, document: last, segments: [] }];
  }

  facts(): StreamFacts {
    const finished = this.isFinished();
    const usage = checkReport(readUsage(this.#usage, this.#output.hasContent), this.#output, finished);
    const finish = this.#reason === undefined ? 'other' : readFinish(this.#reason);
    return { usage, output: { ...this.#output, ...this.#calls.facts() }, finish, finished };
  }

  isFinished(): boolean {
    return this.#reason !== undefined;
  }

  #event(document: StreamEvent['document'], part: JsonObject): StreamEvent {
    const segments = this.#blocks.segmentsOf(part);
    this.#output = addOutput(this.#output, outputOf(segments));
    return { kind: segments.length > 0 ? 'output' : 'other', name: undefined, document, segments };
  }
}

const ENDINGS: ReadonlySet<string> = new Set(['finishReason', 'finishMessage']);

/** The chunk of a single text with another text. */
export function chunkWithText(document: JsonDocument, text: string): JsonDocument {
  return withPart(document, (parts) => {
    const part = rawItems(parts).find((one) => one.at('text'));
    return part ? new RawJson(part.edit(new Map([['text', JSON.stringify(text)]]))) : { text };
  });
}

/** The chunk with one of its parts. `isLast`: it has the reason why the answer ended, too. */
function withPart(
  document: JsonDocument,
  partOf: (parts: RawPlace | undefined) => RawValue,
  isLast = false,
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

/** A chunk of a stream has the form of a whole answer. */
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
    parts.push(...rawItems(rawPartsIn(document)).map((part) => new RawJson(part.text)));
    const { content: __, ...candidate } = candidateOf(document.value) ?? {};
    end = { ...end, ...candidate };
  }
  if (reasonOf({ ...head, candidates: [end] }) === undefined) return undefined;
  return { ...head, candidates: [{ content: { parts, role: 'model' }, ...end }] };
}

function rawPartsIn({ value, text }: JsonDocument): RawPlace | undefined {
  const candidates = Array.isArray(value.candidates) ? value.candidates : [];
  const index = candidates.findIndex((one) => isObject(one) && (one.index ?? 0) === 0);
  return openRaw(text).at('candidates')?.at(index)?.at('content')?.at('parts');
}
