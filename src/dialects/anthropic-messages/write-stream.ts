// A message stream to the client. It keeps the grammar: one start, blocks opened and closed in order, one end; also when a
// second or third upstream run continues what the first one began.

import { editMembers, isObject, type JsonDocument, type JsonObject, readJsonObject } from '../../kit/json.ts';
import { moneyFields } from '../../kit/money.ts';
import type { ContinuedWriter, FinalUsage, RelayRequest, StreamEvent, StreamWriter } from '../dialect.ts';
import { writeSse } from '../sse.ts';
import { type Comparison, createTranscript } from '../transcript.ts';
import { writeUsage } from './usage.ts';

/** Blocks the client has seen: what each is, and whether it is closed. */
interface Seen {
  type: string;
  closed: boolean;
}

export function createStreamWriter(request: RelayRequest): StreamWriter {
  const transcript = createTranscript();
  const blocks = new Map<number, Seen>();
  let model = request.model;

  function pass(event: StreamEvent): string {
    const { document, name } = event;
    if (!document) return '';
    for (const piece of event.pieces) transcript.add(piece);
    const index = indexOf(document);
    if (name === 'content_block_start') blocks.set(index, { type: blockType(document), closed: false });
    if (name === 'content_block_stop') blocks.set(index, { type: blocks.get(index)?.type ?? '', closed: true });
    return writeSse(name === 'message_start' ? renamed(document, model) : document.text, name);
  }

  return {
    keepAlive: writeSse('{"type":"ping"}', 'ping'),
    write: pass,
    rename: (id) => {
      model = id;
    },
    sentText: () => (blocks.size === 1 && blocks.get(0)?.type === 'text' ? transcript.onlyText('0/text') : undefined),
    continue: (how) =>
      how === 'prefill'
        ? continuePrefill(pass, blocks, transcript.onlyText('0/text') ?? '')
        : continueFresh(pass, blocks, transcript.compare()),
    end: (held, final) => lastEvents(held, final) + writeSse('{"type":"message_stop"}', 'message_stop'),
    error: (body) => writeSse(JSON.stringify(body), 'error'),
  };
}

type Pass = (event: StreamEvent) => string;

/** A new run of the same answer: structure and text must repeat what was sent, then it goes on. */
function continueFresh(pass: Pass, blocks: ReadonlyMap<number, Seen>, comparison: Comparison): ContinuedWriter {
  const before = new Map([...blocks].map(([index, seen]) => [index, { ...seen }]));

  function fresh(event: StreamEvent, document: JsonDocument): string | 'mismatch' {
    const index = indexOf(document);
    const known = before.get(index);
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
    // Signatures and citations are no text to compare: they belong to a block that is still open, or are known already.
    if (!piece) return known?.closed || !comparison.caughtUp() ? '' : pass(event);
    const rest = comparison.take(piece);
    if (rest === 'mismatch' || (rest !== '' && known?.closed)) return 'mismatch';
    if (rest === '') return '';
    return pass(rest === piece.text ? event : withText(event, document, rest));
  }

  return { caughtUp: comparison.caughtUp, write: (event) => (event.document ? fresh(event, event.document) : '') };
}

/** The upstream goes on with the sent text: its first text block is the one that is open, the others follow it. */
function continuePrefill(pass: Pass, blocks: ReadonlyMap<number, Seen>, sent: string): ContinuedWriter {
  const last = Math.max(0, ...blocks.keys());
  const isOpen = blocks.get(last)?.closed === false;
  // The prefill went without its last white space, so the continuation may begin with it.
  let overlap = sent.slice(sent.trimEnd().length);
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
    return pass(withoutOverlap(shifted(event, document, shift ?? last)));
  }

  function withoutOverlap(event: StreamEvent): StreamEvent {
    const [piece] = event.pieces;
    if (overlap === '' || !piece || !event.document || !piece.slot.endsWith('/text')) return event;
    const spaces = overlap;
    overlap = '';
    return piece.text.startsWith(spaces) ? withText(event, event.document, piece.text.slice(spaces.length)) : event;
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
