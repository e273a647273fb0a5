// A Gemini stream to the client, as server-sent events or as one JSON list. All chunks name the model as the client knows it;
// the last one has the usage with the cost.

import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  readAnswerJson,
} from '../../kit/json/json.ts';
import { withCost } from '../counts.ts';
import type {
  Continuation,
  ContinuedWriter,
  FinalUsage,
  RelayRequest,
  StreamEvent,
  StreamWriter,
  WriterOptions,
} from '../dialect.ts';
import { UNSEEN } from '../stream/bare-events.ts';
import { compareContinued, continueFresh, type FreshRun } from '../stream/continue-fresh.ts';
import { writeSse } from '../stream/sse.ts';
import { Transcript } from '../stream/transcript.ts';
import { EMPTY_PART, TEXT_SLOT, writeUsage } from './read-answer.ts';
import { isList } from './read-request.ts';
import { chunkWithText } from './read-stream.ts';

export class GeminiWriter implements StreamWriter {
  readonly transcript: Transcript;
  /** Undefined for server-sent events; else what comes before the next item of the list. */
  #before: '[' | ',\r\n' | undefined;
  #model: string;
  #held: StreamEvent | undefined;
  /** Members of the first chunk that all others have, too. */
  #head: JsonObject = {};
  /** As the upstream reported it last. */
  #usage: Json | undefined;

  constructor({ model, document }: RelayRequest, options: WriterOptions) {
    this.#model = model;
    this.transcript = new Transcript(options);
    this.#before = isList(document) ? '[' : undefined;
  }

  write(event: StreamEvent): string {
    const { document, kind, segments } = event;
    // The model has produced reasoning that the client hides: the answer has begun nevertheless.
    if (event === UNSEEN) this.transcript.sent.hasOutput = true;
    if (!document) return '';
    this.#usage = document.value.usageMetadata ?? this.#usage;
    if (kind === 'held') {
      // Several chunks may have a reason: the last one counts.
      this.#held = event;
      return '';
    }
    for (const segment of segments) this.transcript.add(segment);
    return this.#writeChunk(document, {});
  }

  rename(model: string): void {
    this.#model = model;
  }

  continue(how: Continuation): ContinuedWriter {
    this.#held = undefined;
    this.#usage = undefined;
    const transcript = this.transcript;
    const comparison =
      how === 'prefill' ? compareContinued(TEXT_SLOT, transcript.onlyText(TEXT_SLOT) ?? '') : transcript.compare();
    return continueFresh((event) => this.write(event), comparison, FRESH_RUN);
  }

  sentText(): string | undefined {
    return this.transcript.onlyText(TEXT_SLOT);
  }

  /** An empty chunk, because Google's own libraries fail on comments. */
  keepAlive(): string {
    return this.#writeChunk(chunkOf(EMPTY_CONTENT), {});
  }

  stopAtBound(): string {
    const document = chunkOf({ ...EMPTY_CONTENT, finishReason: 'MAX_TOKENS' });
    this.#held = { kind: 'held', name: undefined, document, segments: [] };
    return '';
  }

  end({ usage, cost, isOurs }: FinalUsage): string {
    const reported = isOurs || usage.isRestated ? undefined : this.#usage;
    const usageMetadata = withCost(isObject(reported) ? reported : writeUsage(usage), cost);
    return this.#writeChunk(this.#held?.document ?? chunkOf(EMPTY_CONTENT), { usageMetadata }) + this.#endFrames();
  }

  error(body: Record<string, unknown>): string {
    return this.#frame(JSON.stringify(body)) + this.#endFrames();
  }

  #writeChunk(document: JsonDocument, fields: JsonObject): string {
    const { responseId } = document.value;
    if (responseId !== undefined) this.#head.responseId ??= responseId;
    const own = { ...this.#head, modelVersion: this.#model, usageMetadata: undefined, ...fields };
    return this.#frame(editMembers(document, own));
  }

  #frame(json: string): string {
    if (this.#before === undefined) return writeSse(json);
    const frame = this.#before + json;
    this.#before = ',\r\n';
    return frame;
  }

  /** A frame was written before. */
  #endFrames(): string {
    return this.#before === undefined ? '' : '\r\n]';
  }
}

const EMPTY_CONTENT: JsonObject = { content: { parts: [EMPTY_PART], role: 'model' }, index: 0 };

function chunkOf(candidate: JsonObject): JsonDocument {
  return readAnswerJson(JSON.stringify({ candidates: [candidate] }));
}

/** No text is sent twice, and a call either was sent whole or is new: each event has one part. */
const FRESH_RUN: FreshRun = {
  classify(event) {
    if (event.kind === 'held') return 'next';
    // A signature without words was sent with the words before it.
    return event.segments.length > 0 ? 'open' : 'aside';
  },
  cut(event, document, texts) {
    const { segments } = event;
    if (segments.every(({ slot, text }) => texts.get(slot) === text)) return event;
    if (segments.every(({ slot }) => texts.get(slot) === '')) return '';
    const [segment] = segments;
    if (!segment || segments.length > 1) return 'mismatch';
    const text = texts.get(segment.slot) ?? '';
    return { ...event, document: chunkWithText(document, text), segments: [{ ...segment, text }] };
  },
};
