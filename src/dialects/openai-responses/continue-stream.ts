// A response stream that a fresh run continues: no second beginning, items under the ids that the client knows, no word
// twice. Structure and text must repeat what was sent; then it goes on.

import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  readAnswerJson,
} from '../../kit/json/json.ts';
import type { ContinuedWriter, StreamEvent } from '../dialect.ts';
import type { Comparison } from '../stream/continue-fresh.ts';
import { continueFresh, type EventClass, type Pass } from '../stream/continue-fresh.ts';
import { editInside, editList } from './edit-event.ts';

export function continueResponse(pass: Pass, seen: SeenEvents, comparison: Comparison): ContinuedWriter {
  const ids = createIdMap();
  const missing = new Set(seen.items.keys());

  function classify({ kind, segments }: StreamEvent, { value }: JsonDocument): EventClass {
    if (kind === 'held') return missing.size === 0 ? 'next' : 'mismatch';
    if (typeof value.output_index !== 'number') return isObject(value.response) ? 'sent' : 'aside';
    learnIds(value, value.output_index);
    if (isDelta(value)) {
      if (seen.events.has(endPlaceOf(value)) || value.delta === '') return 'sent';
      return segments.length > 0 ? 'open' : 'aside';
    }
    const known = seen.events.get(placeOf(value));
    if (known === undefined) return 'next';
    return known === kindAt(value) ? 'sent' : 'mismatch';
  }

  function learnIds({ item }: JsonObject, index: number): void {
    const known = seen.items.get(index);
    if (!known || !isObject(item)) return;
    missing.delete(index);
    ids.learn(item.id, known.id);
    ids.learn(item.call_id, known.callId);
  }

  function passRenamed(event: StreamEvent): string {
    return pass(event.document ? { ...event, document: ids.apply(event.document) } : event);
  }

  return continueFresh(passRenamed, comparison, {
    classify,
    cut(event, document, texts) {
      const [text = ''] = texts.values();
      if (!isDelta(document.value) || text === event.segments[0]?.text) return event;
      return text && withDelta(event, document, text);
    },
  });
}

export function withDelta(event: StreamEvent, document: JsonDocument, delta: string): StreamEvent {
  const logprobs = Array.isArray(document.value.logprobs) ? { logprobs: [] } : {};
  return {
    ...event,
    document: readAnswerJson(editMembers(document, { delta, ...logprobs })),
    segments: event.segments.map((segment) => ({ ...segment, text: delta })),
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
      const event = id === undefined ? document : readAnswerJson(editMembers(document, { item_id: id }));
      const withItem = editInside(event, 'item', renameItem);
      return editInside(withItem, 'response', (response) => editList(response, 'output', renameItem).text);
    },
  };
}

interface SeenItem {
  type: string;
  id: Json | undefined;
  callId: Json | undefined;
}

/**
 * The structure of a stream that was sent: items with their ids, and each event with more than text. A second run is compared
 * with it: sent events are not sent again, and a difference is a mismatch.
 */
export class SeenEvents {
  readonly items: Map<number, SeenItem>;
  /** The type of the item or part, by place. */
  readonly events: Map<string, string>;

  constructor(before?: SeenEvents) {
    this.items = new Map(before?.items);
    this.events = new Map(before?.events);
  }

  note(event: JsonObject): void {
    const { item, output_index: index } = event;
    if (typeof index !== 'number') return;
    if (isObject(item) && !this.items.has(index)) {
      this.items.set(index, { type: String(item.type), id: item.id, callId: item.call_id });
    }
    if (!isDelta(event)) this.events.set(placeOf(event), kindAt(event));
  }
}

const PLACES = ['output_index', 'content_index', 'summary_index', 'annotation_index', 'command_index'] as const;

function isDelta({ type }: JsonObject): boolean {
  return String(type).endsWith('.delta');
}

/** Where an event belongs, and which of the several that belong there it is. */
function placeOf(event: JsonObject, type = String(event.type)): string {
  return [type, ...PLACES.map((name) => event[name] ?? '')].join(' ');
}

/** An event after which its text does not go on. */
function endPlaceOf(delta: JsonObject): string {
  return placeOf(delta, String(delta.type).replace(/\.delta$/, '.done'));
}

function kindAt({ item, part }: JsonObject): string {
  if (isObject(item)) return String(item.type);
  return isObject(part) ? String(part.type) : '';
}
