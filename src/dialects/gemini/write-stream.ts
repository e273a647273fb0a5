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
  Sent,
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

interface Frames {
  frame(json: string): string;
  /** After the last frame. */
  end(): string;
}

const SSE_FRAMES: Frames = { frame: (json) => writeSse(json), end: () => '' };

class ListFrames implements Frames {
  #isBegun = false;

  frame(json: string): string {
    const before = this.#isBegun ? ',\r\n' : '[';
    this.#isBegun = true;
    return before + json;
  }

  end(): string {
    return this.#isBegun ? '\r\n]' : '[]';
  }
}

export class GeminiWriter implements StreamWriter {
  readonly #transcript: Transcript;
  readonly #frames: Frames;
  #model: string;
  #held: StreamEvent | undefined;
  /** Members of the first chunk that all others have, too. */
  #head: JsonObject = {};
  /** As the upstream reported it last. */
  #usage: Json | undefined;

  constructor({ model, document }: RelayRequest, options: WriterOptions) {
    this.#model = model;
    this.#transcript = new Transcript(options);
    this.#frames = isList(document) ? new ListFrames() : SSE_FRAMES;
  }

  write(event: StreamEvent): string {
    const { document, kind, segments } = event;
    // The model has produced reasoning that the client hides: the answer has begun nevertheless.
    if (event === UNSEEN) this.#transcript.sent.hasOutput = true;
    if (!document) return '';
    this.#usage = document.value.usageMetadata ?? this.#usage;
    if (kind === 'held') {
      // Several chunks may have a reason: the last one counts.
      this.#held = event;
      return '';
    }
    for (const segment of segments) this.#transcript.add(segment);
    return this.#writeChunk(document, {});
  }

  rename(model: string): void {
    this.#model = model;
  }

  continue(how: Continuation): ContinuedWriter {
    this.#held = undefined;
    this.#usage = undefined;
    const transcript = this.#transcript;
    const comparison =
      how === 'prefill' ? compareContinued(TEXT_SLOT, transcript.onlyText(TEXT_SLOT) ?? '') : transcript.compare();
    return continueFresh((event) => this.write(event), comparison, FRESH_RUN);
  }

  sentText(): string | undefined {
    return this.#transcript.onlyText(TEXT_SLOT);
  }

  sent(): Sent {
    return this.#transcript.sent;
  }

  plainTokens(): number {
    return this.#transcript.plainTokens();
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
    return this.#writeChunk(this.#held?.document ?? chunkOf(EMPTY_CONTENT), { usageMetadata }) + this.#frames.end();
  }

  error(body: Record<string, unknown>): string {
    return this.#frames.frame(JSON.stringify(body)) + this.#frames.end();
  }

  #writeChunk(document: JsonDocument, fields: JsonObject): string {
    const { responseId } = document.value;
    if (responseId !== undefined) this.#head.responseId ??= responseId;
    const own = { ...this.#head, modelVersion: this.#model, usageMetadata: undefined, ...fields };
    return this.#frames.frame(editMembers(document, own));
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
