// A message stream to the client. It keeps the grammar: one start, blocks opened and closed in order, one end; also when a
// second or third upstream run continues what the first one began.

import { editMembers, isObject, type JsonDocument, type JsonObject, readJsonObject } from '../../kit/json.ts';
import { moneyFields } from '../../kit/money.ts';
import type {
  ContinuedWriter,
  FinalUsage,
  RelayRequest,
  StreamEvent,
  StreamWriter,
  WriterOptions,
} from '../dialect.ts';
import { createOverlap } from '../prefill-overlap.ts';
import { writeSse } from '../sse.ts';
import { type Comparison, createTranscript } from '../transcript.ts';
import { writeUsage } from './usage.ts';

/** Blocks the client has seen. */
interface Seen {
  type: string;
  closed: boolean;
  /** Deltas that are no text to compare, such as signatures and citations. */
  extras: number;
}

export function createStreamWriter(request: RelayRequest, options: WriterOptions): StreamWriter {
  const transcript = createTranscript(options);
  const blocks = new Map<number, Seen>();
  let held: StreamEvent[] = [];
  let model = request.model;

  function pass(event: StreamEvent): string {
    const { document, name, kind } = event;
    if (!document) return '';
    if (kind === 'held') {
      held.push(event);
      return '';
    }
    for (const piece of event.pieces) transcript.add(piece);
    noteBlock(blocks, event, document);
    return writeSse(name === 'message_start' ? renamed(document, model) : document.text, name);
  }

  return {
    keepAlive: writeSse('{"type":"ping"}', 'ping'),
    write: pass,
    rename: (id) => {
      model = id;
    },
    sentText: () => (blocks.size === 1 && blocks.get(0)?.type === 'text' ? transcript.onlyText('0/text') : undefined),
    sentTokens: transcript.tokens,
    continue(how) {
      held = [];
      return how === 'prefill'
        ? continuePrefill(pass, blocks, transcript.onlyText('0/text') ?? '')
        : continueFresh(pass, blocks, transcript.compare());
    },
    end(final) {
      const open = [...blocks].filter(([, { closed }]) => !closed).map(([index]) => pass(stopEvent(index)));
      return open.join('') + lastEvents(held, final) + writeSse('{"type":"message_stop"}', 'message_stop');
    },
    error: (body) => writeSse(JSON.stringify(body), 'error'),
  };
}

function noteBlock(blocks: Map<number, Seen>, { name, pieces }: StreamEvent, document: JsonDocument): void {
  const index = indexOf(document);
  const seen = blocks.get(index) ?? { type: '', closed: false, extras: 0 };
  if (name === 'content_block_start') blocks.set(index, { ...seen, type: blockType(document) });
  if (name === 'content_block_stop') blocks.set(index, { ...seen, closed: true });
  if (name === 'content_block_delta' && pieces.length === 0) blocks.set(index, { ...seen, extras: seen.extras + 1 });
}

type Pass = (event: StreamEvent) => string;

/** A new run of the same answer: structure and text must repeat what was sent, then it goes on. */
function continueFresh(pass: Pass, blocks: ReadonlyMap<number, Seen>, comparison: Comparison): ContinuedWriter {
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
        return continueDelta(event, document, known);
      default:
        return comparison.caughtUp() ? pass(event) : '';
    }
  }

  /** What a repeated block starts with must have been sent whole. */
  function takeAll(event: StreamEvent): boolean {
    return event.pieces.every((piece) => comparison.take(piece) === '');
  }

  function continueDelta(event: StreamEvent, document: JsonDocument, known: Seen | undefined): string | 'mismatch' {
    const [piece] = event.pieces;
    if (!piece) return isSeenExtra(known) ? '' : pass(event);
    const rest = comparison.take(piece);
    if (rest === '') return '';
    // New words belong to the block that is open, and only once everything before them has been seen again.
    if (rest === 'mismatch' || known?.closed || !comparison.caughtUp()) return 'mismatch';
    return pass(rest === piece.text ? event : withText(event, document, rest));
  }

  /** The first so many of a block are the ones that the client has. */
  function isSeenExtra(known: Seen | undefined): boolean {
    if (!known) return false;
    return known.closed || known.extras-- > 0 || !comparison.caughtUp();
  }

  return { caughtUp: comparison.caughtUp, write: (event) => (event.document ? fresh(event, event.document) : '') };
}

/** The upstream goes on with the sent text: its first text block is the one that is open, the others follow it. */
function continuePrefill(pass: Pass, blocks: ReadonlyMap<number, Seen>, sent: string): ContinuedWriter {
  const last = Math.max(0, ...blocks.keys());
  const isOpen = blocks.get(last)?.closed === false;
  const takeNew = createOverlap(sent);
  let shift: number | undefined;

  function write(event: StreamEvent, document: JsonDocument): string {
    if (event.name === 'message_start') return '';
    if (event.name === 'content_block_start' && shift === undefined) {
      const goesOn = isOpen && blockType(document) === 'text';
      shift = goesOn ? last : last + 1;
      if (goesOn) return '';
      const close = isOpen ? pass(stopEvent(last)) : '';
      return close + pass(shifted(event, document, shift));
    }
    if (!event.name?.startsWith('content_block_')) return pass(event);
    return passNew(shifted(event, document, shift ?? last));
  }

  function passNew(event: StreamEvent): string {
    const [piece] = event.pieces;
    if (!piece || !event.document || piece.slot !== `${last}/text`) return pass(event);
    const rest = takeNew(piece.text);
    if (rest === '') return '';
    return pass(rest === piece.text ? event : withText(event, event.document, rest));
  }

  return { caughtUp: () => true, write: (event) => (event.document ? write(event, event.document) : '') };
}

/** The stop with its reason, and usage with the cost; clients fail on a stop without usage. */
function lastEvents(held: readonly StreamEvent[], { usage: billed, cost, isOurs }: FinalUsage): string {
  const last = held.at(-1);
  return held
    .map((event) => {
      if (!event.document) return '';
      const usage = isObject(event.document.value.usage) && !isOurs ? event.document.value.usage : writeUsage(billed);
      const shown = event === last && cost !== undefined ? { ...usage, ...moneyFields('cost', cost) } : usage;
      return writeSse(editMembers(event.document, { usage: shown }), event.name);
    })
    .join('');
}

function renamed(document: JsonDocument, model: string): string {
  const { message } = document.value;
  return isObject(message) ? editMembers(document, { message: { ...message, model } }) : document.text;
}

function shifted(event: StreamEvent, document: JsonDocument, by: number): StreamEvent {
  if (by === 0) return event;
  const pieces = event.pieces.map(({ slot, text }) => ({
    slot: slot.replace(/^\d+/, (at) => String(Number(at) + by)),
    text,
  }));
  return { ...event, document: readJsonObject(editMembers(document, { index: indexOf(document) + by })), pieces };
}

function withText(event: StreamEvent, document: JsonDocument, text: string): StreamEvent {
  const delta: JsonObject = isObject(document.value.delta) ? document.value.delta : {};
  const field = ['text', 'thinking', 'partial_json'].find((name) => typeof delta[name] === 'string') ?? 'text';
  const [piece] = event.pieces;
  return {
    ...event,
    document: readJsonObject(editMembers(document, { delta: { ...delta, [field]: text } })),
    pieces: piece ? [{ ...piece, text }] : [],
  };
}

function stopEvent(index: number): StreamEvent {
  const document = readJsonObject(JSON.stringify({ type: 'content_block_stop', index }));
  return { kind: 'other', name: 'content_block_stop', document, pieces: [] };
}

function indexOf({ value }: JsonDocument): number {
  return typeof value.index === 'number' ? value.index : 0;
}

function blockType({ value }: JsonDocument): string {
  return isObject(value.content_block) ? String(value.content_block.type) : '';
}
