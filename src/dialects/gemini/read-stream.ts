// Reads a Gemini stream chunk by chunk. Each part becomes an event of its own, so that another run can be compared with it;
// the reason why the answer ended waits for the bill.

import {
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  readAnswerJson,
  tryReadAnswerJson,
} from '../../kit/json/json.ts';
import { checkReport } from '../counts.ts';
import { addOutput, NO_OUTPUT, type StreamEvent, type StreamFacts, type StreamReader } from '../dialect.ts';
import { BROKEN } from '../stream/bare-events.ts';
import type { SseEvent } from '../stream/sse.ts';
import { BlockCounter, candidateOf, EMPTY_PART, outputOf, partsOf, readFinish, reasonOf } from './read-candidate.ts';
import { readUsage } from './read-usage.ts';

export function createStreamReader(): StreamReader {
  return new GeminiReader();
}

class GeminiReader implements StreamReader {
  readonly #blocks = new BlockCounter();
  #usage: Json | undefined;
  #output = NO_OUTPUT;
  #reason: string | undefined;

  read({ data = '' }: SseEvent): StreamEvent[] {
    const document = tryReadAnswerJson(data);
    if (!document || isObject(document.value.error)) return [BROKEN];
    const { value } = document;
    this.#usage = value.usageMetadata ?? this.#usage;
    const candidate = candidateOf(value);
    const parts = partsOf(candidate ?? {});
    const reason = reasonOf(value);
    this.#reason = reason ?? this.#reason;
    // Most chunks have one part and no reason: they keep their text.
    if (parts.length === 1 && reason === undefined) return [this.#event(document, parts[0] ?? {})];
    const events = parts.map((part) => this.#event(chunkWith(value, candidate ?? {}, [part], undefined), part));
    // A chunk that says nothing shows the client that its answer has begun.
    if (reason === undefined) return parts.length > 0 ? events : [nothingSaid(document)];
    const last = candidate ? chunkWith(value, candidate, [EMPTY_PART], candidate.finishReason) : document;
    return [...events, { kind: 'held', name: undefined, document: last, segments: [] }];
  }

  end(): StreamEvent[] {
    return [];
  }

  facts(): StreamFacts {
    const finished = this.isFinished();
    const usage = checkReport(readUsage(this.#usage, this.#output.hasContent), this.#output, finished);
    const finish = this.#reason === undefined ? 'other' : readFinish(this.#reason);
    return { usage, output: this.#output, finish, finished };
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

function nothingSaid(document: JsonDocument): StreamEvent {
  return { kind: 'other', name: undefined, document, segments: [] };
}

/** The chunk with other parts in place of its own. */
export function chunkWith(
  { usageMetadata: _, ...chunk }: JsonObject,
  { finishReason: __, ...candidate }: JsonObject,
  parts: JsonObject[],
  finishReason: Json | undefined,
) {
  const content = { ...(isObject(candidate.content) ? candidate.content : { role: 'model' }), parts };
  const candidates = [{ ...candidate, content, ...(finishReason === undefined ? {} : { finishReason }) }];
  return readAnswerJson(JSON.stringify({ ...chunk, candidates }));
}
