// Continues a message stream with another run: content that the client has is not sent again, and blocks keep their order.

import {
  editMembers,
  isObject,
  type JsonDocument,
  type JsonObject,
  readAnswerJson,
  readJsonObject,
} from '../../kit/json/json.ts';
import type { ContinuedWriter, StreamEvent } from '../dialect.ts';
import type { Comparison } from '../stream/compare-run.ts';
import { continueFresh, type EventClass, type Pass } from '../stream/continue-fresh.ts';
import { createOverlap } from '../stream/prefill-overlap.ts';

export interface SentBlock {
  type: string;
  closed: boolean;
  /** Deltas without a text to compare, such as signatures and citations. */
  extras: number;
}

type SentBlocks = ReadonlyMap<number, SentBlock>;

export function continueMessage(pass: Pass, sent: SentBlocks, comparison: Comparison): ContinuedWriter {
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
export function continuePrefill(pass: Pass, isOpen: boolean, sent: string): ContinuedWriter {
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

export function stopEvent(index: number): StreamEvent {
  const document = readJsonObject(JSON.stringify({ type: 'content_block_stop', index }));
  return { kind: 'other', name: 'content_block_stop', document, segments: [] };
}

export function indexOf({ value }: JsonDocument): number {
  return typeof value.index === 'number' ? value.index : 0;
}

export function blockType({ value }: JsonDocument): string {
  return isObject(value.content_block) ? String(value.content_block.type) : '';
}
