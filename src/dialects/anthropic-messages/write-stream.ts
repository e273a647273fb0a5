// A message stream to the client. It keeps the grammar: one start, blocks opened and closed in order, one end; also when a
// second or third upstream run continues what the first one began.

import {
  editMembers,
  isObject,
  type JsonDocument,
  type JsonObject,
  readAnswerJson,
  readJsonObject,
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
import { type Comparison, continueFresh, createOverlap, type EventClass, type Pass } from '../stream/continue-fresh.ts';
import { RepeatWriter } from '../stream/shape.ts';
import { writeSse } from '../stream/sse.ts';
import { Transcript } from '../stream/transcript.ts';
import { mergeUsage, writeUsage } from './usage.ts';

export class MessageWriter implements StreamWriter {
  readonly transcript: Transcript;
  readonly #blocks = new Map<number, SentBlock>();
  readonly repeats = new RepeatWriter(
    (delta) => writeSse(delta, 'content_block_delta'),
    (slot, bytes, from, to, tokens) => this.transcript.note(slot, bytes, from, to, tokens),
  );
  #held: StreamEvent[] = [];
  #model: string;

  constructor({ model }: RelayRequest, options: WriterOptions) {
    this.#model = model;
    this.transcript = new Transcript(options);
  }

  write(event: StreamEvent): string {
    const repeated = event.repeat && this.repeats.write(event.repeat);
    if (repeated !== undefined) {
      for (const segment of event.segments) this.transcript.add(segment);
      return repeated;
    }
    const { document, name, kind } = event;
    if (!document) return '';
    if (kind === 'held') {
      this.#held.push(event);
      return '';
    }
    for (const segment of event.segments) this.transcript.add(segment);
    noteBlock(this.#blocks, event, document);
    return writeSse(name === 'message_start' ? renamed(document, this.#model) : document.text, name);
  }

  rename(model: string): void {
    this.#model = model;
  }

  continue(how: Continuation): ContinuedWriter {
    this.#held = [];
    const pass = (event: StreamEvent) => this.write(event);
    return how === 'prefill'
      ? continuePrefill(pass, this.#blocks.get(0)?.closed === false, this.transcript.onlyText(TEXT_SLOT) ?? '')
      : continueMessage(pass, this.#blocks, this.transcript.compare());
  }

  sentText(): string | undefined {
    const isText = this.#blocks.size === 1 && this.#blocks.get(0)?.type === 'text';
    return isText ? this.transcript.onlyText(TEXT_SLOT) : undefined;
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

interface SentBlock {
  type: string;
  closed: boolean;
  /** Deltas without a text to compare, such as signatures and citations. */
  extras: number;
}

type SentBlocks = ReadonlyMap<number, SentBlock>;

function continueMessage(pass: Pass, sent: SentBlocks, comparison: Comparison): ContinuedWriter {
  const blocks = new Map(Array.from(sent, ([index, block]) => [index, { ...block }]));

  function classify({ name, segments }: StreamEvent, document: JsonDocument): EventClass {
    const block = blocks.get(indexOf(document));
    switch (name) {
      case 'message_start':
        return 'sent';
      case 'content_block_start':
        if (!block) return 'next';
        return block.type === blockType(document) ? 'sent' : 'mismatch';
      case 'content_block_stop':
        return block?.closed ? 'sent' : 'next';
      case 'content_block_delta':
        if (block?.closed) return 'sent';
        if (segments.length > 0) return 'open';
        // The first deltas of a block, as many as the client has, are those it has.
        return block && block.extras-- > 0 ? 'sent' : 'aside';
      default:
        return 'aside';
    }
  }

  return continueFresh(pass, comparison, {
    classify,
    cut(event, _document, texts) {
      const [text = ''] = texts.values();
      return event.name === 'content_block_delta' ? text && withText(event, text) : event;
    },
  });
}

/**
 * The upstream continues the one block that was sent, of text. If that block is open, the run's first text block is the same
 * one; all others come after it. If it is closed, the first text block starts only when there is new text for it.
 */
function continuePrefill(pass: Pass, isOpen: boolean, sent: string): ContinuedWriter {
  const takeNew = createOverlap(sent);
  /** How much is added to the indexes of the run; undefined until its first block. */
  let shift: 0 | 1 | undefined;
  let waitingStart: StreamEvent | undefined;

  function write(event: StreamEvent, document: JsonDocument): string {
    if (event.name === 'message_start') return '';
    if (!event.name?.startsWith('content_block_')) return pass(event);
    if (shift === undefined) return begin(event, document);
    return passNew(shift === 1 ? moveDown(event, document) : event);
  }

  function begin(event: StreamEvent, document: JsonDocument): string {
    const isText = blockType(document) === 'text';
    shift = isText && isOpen ? 0 : 1;
    if (shift === 0) return '';
    const start = moveDown(event, document);
    if (!isText) return (isOpen ? pass(stopEvent(0)) : '') + pass(start);
    waitingStart = start;
    return '';
  }

  function passNew(event: StreamEvent): string {
    const [segment] = event.segments;
    const text = segment?.slot.endsWith('/text') ? takeNew(segment.text) : segment?.text;
    if (text === '') return '';
    const start = waitingStart;
    waitingStart = undefined;
    if (start && event.name === 'content_block_stop') {
      shift = 0;
      return '';
    }
    return (start ? pass(start) : '') + pass(withText(event, text));
  }

  return { caughtUp: () => true, write: (event) => (event.document ? write(event, event.document) : '') };
}

/** The event as one of the next block. */
function moveDown(event: StreamEvent, document: JsonDocument): StreamEvent {
  const index = indexOf(document) + 1;
  return {
    ...event,
    document: readAnswerJson(editMembers(document, { index })),
    segments: event.segments.map((segment) => ({ ...segment, slot: segment.slot.replace(/^0\/\d+/, `0/${index}`) })),
  };
}

/** The event with another text in place of its first one. */
function withText(event: StreamEvent, text: string | undefined): StreamEvent {
  const [segment] = event.segments;
  const { document } = event;
  if (!segment || !document || text === undefined || text === segment.text) return event;
  const delta: JsonObject = isObject(document.value.delta) ? document.value.delta : {};
  const field = ['text', 'thinking', 'partial_json'].find((name) => typeof delta[name] === 'string') ?? 'text';
  return {
    ...event,
    document: readAnswerJson(editMembers(document, { delta: { ...delta, [field]: text } })),
    segments: [{ ...segment, text }],
  };
}

function stopEvent(index: number): StreamEvent {
  const document = readJsonObject(JSON.stringify({ type: 'content_block_stop', index }));
  return { kind: 'other', name: 'content_block_stop', document, segments: [] };
}

function indexOf({ value }: JsonDocument): number {
  return typeof value.index === 'number' ? value.index : 0;
}

function blockType({ value }: JsonDocument): string {
  return isObject(value.content_block) ? String(value.content_block.type) : '';
}
