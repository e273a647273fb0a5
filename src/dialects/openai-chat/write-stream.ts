// A chat stream to the client: chunks pass with `model` as the client knows it. When the upstream breaks and another run
// takes over, its chunks go on under the first one's id, without a second role and without a word twice.

import { editMembers, isObject, type JsonDocument, type JsonObject, readAnswerJson } from '../../kit/json/json.ts';
import { withCost } from '../counts.ts';
import type {
  Continuation,
  ContinuedWriter,
  FinalUsage,
  RelayRequest,
  ReportedUsage,
  StreamEvent,
  StreamWriter,
  WriterOptions,
} from '../dialect.ts';
import { UNSEEN } from '../stream/bare-events.ts';
import { RepeatWriter } from '../stream/shape.ts';
import { writeSse } from '../stream/sse.ts';
import { Transcript } from '../stream/transcript.ts';
import { continueChat, continuePrefill, finishesOf, TEXT_SLOT } from './continue-stream.ts';
import { Extras } from './extras.ts';
import { hasNoChoice, isForeign } from './read-chunk.ts';
import { restateUsage, writeUsage } from './usage.ts';

export class ChatWriter implements StreamWriter {
  readonly #request: RelayRequest;
  readonly transcript: Transcript;
  /** Content sent beside text since the last text. */
  readonly #extras = new Extras();
  /** Choices whose finish the client has seen. */
  readonly #finished = new Set<number>();
  readonly repeats = new RepeatWriter(
    (marked) => this.#writeChunk(readAnswerJson(marked)),
    (slot, bytes, from, to, tokens) => {
      this.#extras.passWords(slot);
      this.transcript.note(slot, bytes, from, to, tokens);
    },
  );
  #held: StreamEvent[] = [];
  #model: string;
  #head: JsonObject | undefined;
  #isContinued = false;

  constructor(request: RelayRequest, options: WriterOptions) {
    this.#request = request;
    this.transcript = new Transcript(options);
    this.#model = request.model;
  }

  write(event: StreamEvent): string {
    const repeated = event.repeat && this.#head && this.repeats.write(event.repeat);
    if (repeated !== undefined) {
      for (const segment of event.segments) this.transcript.add(segment);
      for (const { slot } of event.segments) this.#extras.passWords(slot);
      return repeated;
    }
    // The client did not want to see the reasoning, but the answer counts as begun.
    if (event === UNSEEN) this.transcript.sent.hasOutput = true;
    if (!event.document) return '';
    if (event.kind === 'held') {
      // Only the last chunk with nothing but usage is sent.
      this.#held = [...this.#held.filter(isAnswer), event];
      return '';
    }
    this.#extras.add(event);
    if (isForeign(event.document.value)) return writeForeign(event.document, event.name, this.#model);
    for (const segment of event.segments) this.transcript.add(segment);
    for (const index of finishesOf(event)) this.#finished.add(index);
    return this.#writeChunk(event.document);
  }

  rename(model: string): void {
    this.#model = model;
    this.repeats.forget();
  }

  continue(how: Continuation): ContinuedWriter {
    this.#isContinued = true;
    this.repeats.forget();
    this.#held = [];
    const pass = (event: StreamEvent) => this.write(event);
    return how === 'prefill'
      ? continuePrefill(pass, this.transcript.onlyText(TEXT_SLOT) ?? '', this.#extras)
      : continueChat(pass, this.transcript.compare(), new Set(this.#finished), this.#extras);
  }

  /** Several choices cannot be continued by one beginning. */
  sentText(): string | undefined {
    return this.#request.choices === 1 ? this.transcript.onlyText(TEXT_SLOT) : undefined;
  }

  keepAlive(): string {
    return ': ping\n\n';
  }

  stopAtBound(): string {
    const { id, object, created } = this.#head ?? {};
    const open = Array.from(this.transcript.answers(), Number).filter((index) => !this.#finished.has(index));
    const choices = open.map((index) => ({ index, delta: {}, finish_reason: 'length' }));
    return writeSse(JSON.stringify({ id, object, created, model: this.#model, choices }));
  }

  end(final: FinalUsage): string {
    let frames = '';
    for (const chunk of this.#lastChunks(final)) frames += writeSse(chunk);
    return frames + writeSse('[DONE]');
  }

  error(body: Record<string, unknown>): string {
    return writeSse(JSON.stringify(body));
  }

  #writeChunk(document: JsonDocument): string {
    return writeSse(editMembers(document, this.#ownFields(document)));
  }

  /** Chunks of a later run get the id and time of the first. `usage`, even null, is sent only if the client requested it. */
  #ownFields({ value }: JsonDocument): JsonObject {
    this.#head ??= value;
    const fields: JsonObject = { model: this.#model };
    if (!this.#request.includeUsage && value.usage !== undefined) fields.usage = undefined;
    if (!this.#isContinued) return fields;
    return { ...fields, ...pick(value, this.#head, 'id'), ...pick(value, this.#head, 'created') };
  }

  /** Usage. A client that did not ask for it gets none, though we made the upstream report it. */
  #lastChunks({ usage: billed, cost, isOurs }: FinalUsage): string[] {
    const { includeUsage } = this.#request;
    const chunks: string[] = [];
    let hasUsage = false;
    for (const { document } of this.#held) {
      if (!document) continue;
      const { usage } = document.value;
      if (!includeUsage && hasNoChoice(document.value)) continue;
      const shown = includeUsage && isObject(usage) ? withCost(shownUsage(usage, billed, isOurs), cost) : undefined;
      hasUsage ||= shown !== undefined;
      const missing = Array.isArray(document.value.choices) ? {} : { choices: [] };
      chunks.push(editMembers(document, { ...this.#ownFields(document), ...missing, usage: shown }));
    }
    if (!includeUsage || hasUsage) return chunks;
    const { id, object, created } = this.#head ?? {};
    const usage = withCost(writeUsage(billed), cost);
    return [...chunks, JSON.stringify({ id, object, created, model: this.#model, choices: [], usage })];
  }
}

function shownUsage(usage: JsonObject, billed: ReportedUsage, isOurs: boolean): JsonObject {
  if (isOurs) return writeUsage(billed);
  return billed.isRestated ? restateUsage(usage, billed) : usage;
}

/** Nothing of it is ours but a model's name. */
function writeForeign(document: JsonDocument, name: string | undefined, model: string): string {
  return writeSse(typeof document.value.model === 'string' ? editMembers(document, { model }) : document.text, name);
}

function pick(from: JsonObject, head: JsonObject, name: string): JsonObject {
  return from[name] === undefined || head[name] === undefined ? {} : { [name]: head[name] };
}

function isAnswer({ document }: StreamEvent): boolean {
  return document !== undefined && !hasNoChoice(document.value);
}
