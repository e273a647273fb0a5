// A response stream that a new run of the same answer continues: no second beginning, items under the ids that the client
// knows, no word twice. Structure and text must repeat what was sent; then it goes on.

import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import type { ContinuedWriter, Piece, StreamEvent } from '../dialect.ts';
import type { Comparison } from '../stream/transcript.ts';
import { editInside, editList, reread } from './edit-event.ts';
import { endPlaceOf, isDelta, kindAt, placeOf, type SeenEvents } from './seen-events.ts';

export type Pass = (event: StreamEvent) => string;

export function continueFresh(pass: Pass, seen: SeenEvents, comparison: Comparison): ContinuedWriter {
  const ids = createIdMap();
  const missing = new Set(seen.items.keys());

  function write(event: StreamEvent, document: JsonDocument): string | 'mismatch' {
    const { value } = document;
    if (event.kind === 'held') {
      return comparison.caughtUp() && missing.size === 0 ? pass(renamed(event, document)) : 'mismatch';
    }
    if (typeof value.output_index !== 'number') {
      return comparison.caughtUp() && !isObject(value.response) ? pass(event) : '';
    }
    learnIds(value, value.output_index);
    const rest = takeNew(event.pieces);
    if (rest === 'mismatch') return 'mismatch';
    return isDelta(value) ? continueDelta(event, document, rest) : continueOther(event, document, rest);
  }

  function learnIds({ item }: JsonObject, index: number): void {
    const known = seen.items.get(index);
    if (!known || !isObject(item)) return;
    missing.delete(index);
    ids.learn(item.id, known.id);
    ids.learn(item.call_id, known.callId);
  }

  function takeNew(pieces: readonly Piece[]): string | 'mismatch' {
    let rest = '';
    for (const piece of pieces) {
      const fresh = comparison.take(piece);
      if (fresh === 'mismatch' || isPartOfName(piece, fresh)) return 'mismatch';
      rest += fresh;
    }
    return rest;
  }

  function continueDelta(event: StreamEvent, document: JsonDocument, rest: string): string | 'mismatch' {
    const [piece] = event.pieces;
    const isOver = seen.events.has(endPlaceOf(document.value));
    if (!piece)
      return comparison.caughtUp() && !isOver && document.value.delta !== '' ? pass(renamed(event, document)) : '';
    if (rest === '') return '';
    if (isOver) return 'mismatch';
    return pass(renamed(rest === piece.text ? event : withDelta(event, document, rest)));
  }

  /** Beginnings and ends: each comes once. */
  function continueOther(event: StreamEvent, document: JsonDocument, rest: string): string | 'mismatch' {
    const known = seen.events.get(placeOf(document.value));
    if (known !== undefined) return known === kindAt(document.value) && rest === '' ? '' : 'mismatch';
    return comparison.caughtUp() ? pass(renamed(event, document)) : 'mismatch';
  }

  function renamed(event: StreamEvent, document = event.document): StreamEvent {
    return document ? { ...event, document: ids.apply(document) } : event;
  }

  return { caughtUp: comparison.caughtUp, write: (event) => (event.document ? write(event, event.document) : '') };
}

/** A tool's name is sent whole: one that only begins like the sent one is another tool. */
function isPartOfName({ slot, text }: Piece, rest: string): boolean {
  return slot.endsWith('/name') && rest !== '' && rest !== text;
}

export function withDelta(event: StreamEvent, document: JsonDocument, delta: string): StreamEvent {
  const logprobs = Array.isArray(document.value.logprobs) ? { logprobs: [] } : {};
  return {
    ...event,
    document: reread(editMembers(document, { delta, ...logprobs })),
    pieces: event.pieces.map((piece) => ({ ...piece, text: delta })),
  };
}

/** Ids of a later run and the ones that the client knows in their place. */
export function createIdMap() {
  const known = new Map<Json, Json>();
  const own = (id: Json | undefined) => (id === undefined ? undefined : known.get(id));

  function renameItem(item: JsonDocument): string {
    const edits: Record<string, Json> = {};
    for (const name of ['id', 'call_id']) {
      const id = own(item.value[name]);
      if (id !== undefined) edits[name] = id;
    }
    return Object.keys(edits).length > 0 ? editMembers(item, edits) : item.text;
  }

  return {
    learn(id: Json | undefined, instead: Json | undefined): void {
      if (id !== undefined && instead !== undefined && id !== instead) known.set(id, instead);
    },
    /** An event with its ids renamed: its own, those of its item, and those of all items at the end. */
    apply(document: JsonDocument): JsonDocument {
      if (known.size === 0) return document;
      const id = own(document.value.item_id);
      const event = id === undefined ? document : reread(editMembers(document, { item_id: id }));
      const withItem = editInside(event, 'item', renameItem);
      return editInside(withItem, 'response', (response) => editList(response, 'output', renameItem).text);
    },
  };
}
