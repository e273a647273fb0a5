// Reads a Gemini stream chunk by chunk. Each part becomes an event of its own, so that another run can be compared with it;
// the reason why the answer ended waits for the bill.

import { type Json, type JsonDocument, type JsonObject, tryReadAnswerJson } from '../../kit/json/json.ts';
import { openRaw, type RawPlace } from '../../kit/json/raw-json.ts';
import { checkReport } from '../counts.ts';
import { addOutput, NO_OUTPUT, type StreamEvent, type StreamFacts, type StreamReader } from '../dialect.ts';
import { BROKEN, DONE, GAVE_UP } from '../stream/bare-events.ts';
import type { SseEvent } from '../stream/sse.ts';
import { chunkOfPart, lastChunk } from './chunks.ts';
import { HostedCalls } from './hosted-tools.ts';
import {
  BlockCounter,
  candidateOf,
  isChunk,
  isEmpty,
  isFailure,
  outputOf,
  partsIn,
  readFinish,
  reasonOf,
} from './read-answer.ts';
import { readUsage } from './usage.ts';

/** Google's streams have no end mark, but those of some proxies have. */
const END_MARK = '[DONE]';

export function createStreamReader(): StreamReader {
  return new GeminiReader();
}

class GeminiReader implements StreamReader {
  readonly #blocks = new BlockCounter();
  #usage: Json | undefined;
  #output = NO_OUTPUT;
  readonly #calls = new HostedCalls();
  #reason: string | undefined;

  read({ data = '' }: SseEvent): StreamEvent[] {
    if (data === END_MARK) return [DONE];
    if (data.startsWith('[')) return this.#readList(openRaw(data));
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
    const events = parts.map((part) => this.#event(chunkOfPart(document, all.indexOf(part)), part));
    // An empty chunk shows the client that its answer has begun.
    if (reason === undefined) return parts.length > 0 ? events : [emptyEvent(document)];
    if (isFailure(reason) && !this.#output.hasContent) return [GAVE_UP];
    const last = candidate ? lastChunk(document) : document;
    return [...events, { kind: 'held', name: undefined, document: last, segments: [] }];
  }

  #readList(list: RawPlace): StreamEvent[] {
    return Array.from({ length: list.count }, (_, at) => list.at(at)?.text).flatMap((data) =>
      this.read({ event: undefined, data }),
    );
  }

  end(): StreamEvent[] {
    return [];
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

function emptyEvent(document: JsonDocument): StreamEvent {
  return { kind: 'other', name: undefined, document, segments: [] };
}
