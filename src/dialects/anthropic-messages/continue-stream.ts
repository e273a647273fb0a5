// A message stream that another run continues: what the client has is not sent again, and blocks stay in their order.

import {
  ANSWER_LIMITS,
  editMembers,
  isObject,
  type JsonDocument,
  type JsonObject,
  readJsonObject,
} from '../../kit/json/json.ts';
import type { ContinuedWriter, StreamEvent } from '../dialect.ts';
import { createOverlap } from '../stream/prefill-overlap.ts';
import type { Comparison } from '../stream/transcript.ts';

/** Blocks the client has seen. */
export interface Seen {
  type: string;
  closed: boolean;
  /** Deltas that are no text to compare, such as signatures and citations. */
  extras: number;
}

type Pass = (event: StreamEvent) => string;

/** A new run of the same answer: structure and text must repeat what was sent, then it goes on. */
export function continueFresh(pass: Pass, blocks: ReadonlyMap<number, Seen>, comparison: Comparison): ContinuedWriter {
  const before = new Map([...blocks].map(([index, seen]) => [index, { ...seen }]));

  function fresh(event: StreamEvent, document: JsonDocument): string | 'mismatch' {
    const known = before.get(indexOf(document));
    switch (event.name) {
      case 'message_start':
        return '';
      case 'content_block_start':
        if (known) return known.type === blockType(document) && takeAll(event) ? '' : 'mismatch';
        return comparison.caughtUp() ? pass(event) : 'mismatch';
      case 'content_block_stop':
        if (known?.closed) return '';
        return comparison.caughtUp() ? pass(event) : 'mismatch';
      case 'content_block_delta':
        return continueDelta(event, known);
      default:
        return comparison.caughtUp() ? pass(event) : '';
    }
  }

  /** What a repeated block starts with must have been sent whole. */
  function takeAll(event: StreamEvent): boolean {
    return event.pieces.every((piece) => comparison.take(piece) === '');
  }

  function continueDelta(event: StreamEvent, known: Seen | undefined): string | 'mismatch' {
    const [piece] = event.pieces;
    if (!piece) return isSeenExtra(known) ? '' : pass(event);
    const rest = comparison.take(piece);
    if (rest === '') return '';
    // New words belong to the block that is open, and only once everything before them has been seen again.
    if (rest === 'mismatch' || known?.closed || !comparison.caughtUp()) return 'mismatch';
    return pass(rest === piece.text ? event : withText(event, rest));
  }

  /** The first so many of a block are the ones that the client has. */
  function isSeenExtra(known: Seen | undefined): boolean {
    if (!known) return false;
    return known.closed || known.extras-- > 0 || !comparison.caughtUp();
  }

  return { caughtUp: comparison.caughtUp, write: (event) => (event.document ? fresh(event, event.document) : '') };
}

/**
 * The upstream goes on with the sent text: its first text block is the one that is open, the others follow it. Where that
 * block was closed already, a new one starts only when there are new words for it.
 */
export function continuePrefill(pass: Pass, blocks: ReadonlyMap<number, Seen>, sent: string): ContinuedWriter {
  const last = Math.max(0, ...blocks.keys());
  const isOpen = blocks.get(last)?.closed === false;
  const takeNew = createOverlap(sent);
  let shift: number | undefined;
  let waiting: StreamEvent | undefined;

  function write(event: StreamEvent, document: JsonDocument): string {
    if (event.name === 'message_start') return '';
    if (!event.name?.startsWith('content_block_')) return pass(event);
    if (shift === undefined) return begin(event, document);
    return passNew(shifted(event, document, shift));
  }

  function begin(event: StreamEvent, document: JsonDocument): string {
    const isText = blockType(document) === 'text';
    if (isOpen && isText) {
      shift = last;
      return '';
    }
    shift = last + 1;
    const start = shifted(event, document, shift);
    if (isText) waiting = start;
    return (isOpen ? pass(stopEvent(last)) : '') + (isText ? '' : pass(start));
  }

  function passNew(event: StreamEvent): string {
    const [piece] = event.pieces;
    const rest = piece?.slot.endsWith('/text') ? takeNew(piece.text) : undefined;
    if (rest === '') return '';
    const start = waiting;
    waiting = undefined;
    if (start && event.name === 'content_block_stop') {
      shift = (shift ?? last) - 1;
      return '';
    }
    const next = rest === undefined || rest === piece?.text ? event : withText(event, rest);
    return (start ? pass(start) : '') + pass(next);
  }

  return { caughtUp: () => true, write: (event) => (event.document ? write(event, event.document) : '') };
}

function shifted(event: StreamEvent, document: JsonDocument, by: number): StreamEvent {
  if (by === 0) return event;
  const pieces = event.pieces.map((piece) => ({
    ...piece,
    slot: piece.slot.replace(/^\d+/, (at) => String(Number(at) + by)),
  }));
  return {
    ...event,
    document: readJsonObject(editMembers(document, { index: indexOf(document) + by }), ANSWER_LIMITS),
    pieces,
  };
}

function withText(event: StreamEvent, text: string): StreamEvent {
  const { document } = event;
  if (!document) return event;
  const delta: JsonObject = isObject(document.value.delta) ? document.value.delta : {};
  const field = ['text', 'thinking', 'partial_json'].find((name) => typeof delta[name] === 'string') ?? 'text';
  const [piece] = event.pieces;
  return {
    ...event,
    document: readJsonObject(editMembers(document, { delta: { ...delta, [field]: text } }), ANSWER_LIMITS),
    pieces: piece ? [{ ...piece, text }] : [],
  };
}

export function stopEvent(index: number): StreamEvent {
  const document = readJsonObject(JSON.stringify({ type: 'content_block_stop', index }));
  return { kind: 'other', name: 'content_block_stop', document, pieces: [] };
}

export function indexOf({ value }: JsonDocument): number {
  return typeof value.index === 'number' ? value.index : 0;
}

export function blockType({ value }: JsonDocument): string {
  return isObject(value.content_block) ? String(value.content_block.type) : '';
}
