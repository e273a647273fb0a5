// A message stream to the client. It keeps the grammar: one start, blocks opened and closed in order, one end; also when a
// second or third upstream run continues what the first one began.

import { editMembers, isObject, type JsonDocument, readAnswerJson } from '../../kit/json/json.ts';
import type {
  Continuation,
  ContinuedWriter,
  FinalUsage,
  RelayRequest,
  RepeatedFrames,
  Sent,
  StreamEvent,
  StreamWriter,
  WriterOptions,
} from '../dialect.ts';
import { RepeatWriter, type Shape } from '../stream/shape.ts';
import { writeSse } from '../stream/sse.ts';
import { Transcript } from '../stream/transcript.ts';
import { withCost } from '../with-cost.ts';
import { blockType, continueMessage, continuePrefill, indexOf, type SentBlock, stopEvent } from './continue-stream.ts';
import { mergeUsage, writeUsage } from './usage.ts';

export function createStreamWriter(request: RelayRequest, options: WriterOptions): StreamWriter {
  return new MessageWriter(request.model, options);
}

class MessageWriter implements StreamWriter, RepeatedFrames {
  readonly #transcript: Transcript;
  readonly #blocks = new Map<number, SentBlock>();
  readonly #repeats = new RepeatWriter(writeDelta);
  #held: StreamEvent[] = [];
  #model: string;

  constructor(model: string, options: WriterOptions) {
    this.#model = model;
    this.#transcript = new Transcript(options);
  }

  write(event: StreamEvent): string {
    const repeated = event.repeat && this.#repeats.write(event.repeat);
    if (repeated !== undefined) {
      for (const segment of event.segments) this.#transcript.add(segment);
      return repeated;
    }
    const { document, name, kind } = event;
    if (!document) return '';
    if (kind === 'held') {
      this.#held.push(event);
      return '';
    }
    for (const segment of event.segments) this.#transcript.add(segment);
    noteBlock(this.#blocks, event, document);
    return writeSse(name === 'message_start' ? renamed(document, this.#model) : document.text, name);
  }

  get repeats(): RepeatedFrames {
    return this;
  }

  partsOf(shape: Shape): readonly string[] | undefined {
    return this.#repeats.partsOf(shape);
  }

  note(slot: string, bytes: Uint8Array, from: number, to: number, tokens: number): void {
    this.#transcript.note(slot, bytes, from, to, tokens);
  }

  rename(model: string): void {
    this.#model = model;
  }

  continue(how: Continuation): ContinuedWriter {
    this.#held = [];
    const pass = (event: StreamEvent) => this.write(event);
    return how === 'prefill'
      ? continuePrefill(pass, this.#blocks.get(0)?.closed === false, this.#transcript.onlyText(TEXT_SLOT) ?? '')
      : continueMessage(pass, this.#blocks, this.#transcript.compare());
  }

  sentText(): string | undefined {
    const isText = this.#blocks.size === 1 && this.#blocks.get(0)?.type === 'text';
    return isText ? this.#transcript.onlyText(TEXT_SLOT) : undefined;
  }

  sent(): Sent {
    return this.#transcript.sent;
  }

  plainTokens(): number {
    return this.#transcript.plainTokens();
  }

  keepAlive(): string {
    return writeSse('{"type":"ping"}', 'ping');
  }

  stopAtBound(): string {
    const delta = { stop_reason: 'max_tokens', stop_sequence: null };
    const document = readAnswerJson(JSON.stringify({ type: 'message_delta', delta, usage: {} }));
    this.#held = [{ kind: 'held', name: 'message_delta', document, segments: [] }];
    return '';
  }

  end(final: FinalUsage): string {
    const open = [...this.#blocks].filter(([, { closed }]) => !closed).map(([index]) => this.write(stopEvent(index)));
    return open.join('') + lastEvent(this.#held, final) + writeSse('{"type":"message_stop"}', 'message_stop');
  }

  error(body: Record<string, unknown>): string {
    return writeSse(JSON.stringify(body), 'error');
  }
}

/** The text of the first block: the only content that a prefill can continue. */
const TEXT_SLOT = '0/0/text';

function writeDelta(delta: string): string {
  return writeSse(delta, 'content_block_delta');
}

function noteBlock(blocks: Map<number, SentBlock>, { name, segments }: StreamEvent, document: JsonDocument): void {
  const index = indexOf(document);
  const seen = blocks.get(index) ?? { type: '', closed: false, extras: 0 };
  if (name === 'content_block_start') blocks.set(index, { ...seen, type: blockType(document) });
  if (name === 'content_block_stop') blocks.set(index, { ...seen, closed: true });
  if (name === 'content_block_delta' && segments.length === 0) blocks.set(index, { ...seen, extras: seen.extras + 1 });
}

/** The stop with its reason, and the last usage with the cost; clients fail on a stop without usage. */
function lastEvent([stop, ...more]: readonly StreamEvent[], { usage: billed, cost, isOurs }: FinalUsage): string {
  if (!stop?.document) return '';
  const { usage: first } = stop.document.value;
  const reported = more.reduce(
    (usage, { document }) => mergeUsage(usage, document?.value.usage),
    isObject(first) ? first : {},
  );
  const usage = isOurs || Object.keys(reported).length === 0 ? writeUsage(billed) : reported;
  const shown = withCost(usage, cost);
  return writeSse(editMembers(stop.document, { usage: shown }), stop.name);
}

function renamed(document: JsonDocument, model: string): string {
  const { message } = document.value;
  return isObject(message) ? editMembers(document, { message: { ...message, model } }) : document.text;
}
