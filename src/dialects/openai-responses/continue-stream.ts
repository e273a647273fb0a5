// A response stream that a fresh run continues: no second beginning, items under the ids that the client knows, no word
// twice. Structure and text must repeat what was sent; then it goes on.

import { editMembers, isObject, type JsonDocument, type JsonObject, readAnswerJson } from '../../kit/json/json.ts';
import { editMember } from '../../kit/json/raw-edit.ts';
import type { ContinuedWriter, StreamEvent } from '../dialect.ts';
import { type Comparison, continueFresh, createOverlap, type EventClass, type Pass } from '../stream/continue-fresh.ts';
import { editInside, editList } from './edit-event.ts';
import { indexAt } from './read-answer.ts';

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
    ids.learn(item.call_id, known.call_id);
  }

  const passRenamed = (event: StreamEvent) =>
    pass(event.document ? { ...event, document: ids.apply(event.document) } : event);

  return continueFresh(passRenamed, comparison, {
    classify,
    cut(event, document, texts) {
      const [text = ''] = texts.values();
      if (!isDelta(document.value) || text === event.segments[0]?.text) return event;
      return text && withDelta(event, document, text);
    },
  });
}

function withDelta(event: StreamEvent, document: JsonDocument, delta: string): StreamEvent {
  const logprobs = Array.isArray(document.value.logprobs) ? { logprobs: [] } : {};
  return {
    ...event,
    document: readAnswerJson(editMembers(document, { delta, ...logprobs })),
    segments: event.segments.map((segment) => ({ ...segment, text: delta })),
  };
}

/** Ids of a later run and the ones that the client knows in their place. */
function createIdMap() {
  const known = new Map<Id, Id>();

  function rename(object: JsonDocument, ...names: readonly string[]): string {
    const own = names.map((name) => [name, known.get(object.value[name])] as const);
    const edits = own.filter(([, id]) => id !== undefined);
    return edits.length > 0 ? editMembers(object, Object.fromEntries(edits)) : object.text;
  }

  const renameItem = (item: JsonDocument) => rename(item, 'id', 'call_id');

  return {
    learn(id: Id, instead: Id): void {
      if (id !== undefined && instead !== undefined && id !== instead) known.set(id, instead);
    },
    /** An event with its ids renamed: its own, those of its item, and those of all items at the end. */
    apply(document: JsonDocument): JsonDocument {
      if (known.size === 0) return document;
      const text = rename(document, 'item_id');
      const event = text === document.text ? document : readAnswerJson(text);
      const withItem = editInside(event, 'item', renameItem);
      return editInside(withItem, 'response', (response) => editList(response, 'output', renameItem).text);
    },
  };
}

type Id = JsonObject['id'];

/**
 * The structure of a stream that was sent: items with their ids, and each event with more than text. A second run is compared
 * with it: sent events are not sent again, and a difference is a mismatch.
 */
export class SeenEvents {
  /** By their index: the type and the ids. */
  readonly items: Map<number, JsonObject>;
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
      this.items.set(index, { type: item.type, id: item.id, call_id: item.call_id });
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

/** The message that the client has: open, and text alone. */
export interface OpenMessage {
  index: number;
  id: Id;
  text: string;
}

/**
 * A response that another run continues from its text: the first message of that run is the one that the client has, its closing
 * events carry the whole text, and all other items follow.
 */
export function continuePrefill(pass: Pass, open: OpenMessage): ContinuedWriter {
  const takeNew = createOverlap(open.text);
  const ids = createIdMap();
  /** The indexes of this run's items in the client's stream. */
  const indexes = new Map<number, number>();
  let isJoined = false;
  const wholeOf = (text: JsonObject['text']) => open.text + createOverlap(open.text)(String(text ?? ''));

  function place(index: number, item: JsonObject): number {
    const isFirstMessage = item.type === 'message' && !isJoined;
    const mine = isFirstMessage ? open.index : open.index + 1 + indexes.size - (isJoined ? 1 : 0);
    if (isFirstMessage) {
      isJoined = true;
      ids.learn(item.id, open.id);
    }
    indexes.set(index, mine);
    return mine;
  }

  function write(event: StreamEvent, document: JsonDocument): string | 'mismatch' {
    const { value } = document;
    if (event.kind === 'held')
      return (isJoined ? '' : closings().map(pass).join('')) + pass(wholeAnswer(event, document));
    if (typeof value.output_index !== 'number') return isObject(value.response) ? '' : pass(event);
    const isStart = value.type === 'response.output_item.added' && isObject(value.item);
    const index = indexes.get(value.output_index) ?? place(value.output_index, isObject(value.item) ? value.item : {});
    const moved = shifted(event, document, index);
    if (index !== open.index) return pass(moved);
    return isStart ? '' : writeMessageEvent(moved);
  }

  /** An event of the message that the client has. */
  function writeMessageEvent(event: StreamEvent): string | 'mismatch' {
    const { document } = event;
    if (!document) return '';
    const { type, part } = document.value;
    const isFirstPart = indexAt(document.value, 'content_index') === 0;
    if (type === 'response.output_item.done') return pass(withWhole(event, document));
    if (!isFirstPart) return pass(event);
    if (type === 'response.content_part.added') return isObject(part) && part.type === 'output_text' ? '' : 'mismatch';
    if (type !== 'response.output_text.delta') return pass(withWhole(event, document));
    const fresh = event.segments.map((segment) => takeNew(segment.text)).join('');
    return fresh === '' ? '' : pass(withDelta(event, document, fresh));
  }

  function withWhole(event: StreamEvent, document: JsonDocument): StreamEvent {
    const { type, text } = document.value;
    const segments = event.segments.map((segment) => ({ ...segment, text: takeNew(segment.text) }));
    const whole =
      type === 'response.output_text.done' ? readAnswerJson(editMembers(document, { text: wholeOf(text) })) : document;
    return { ...event, segments, document: editInside(editInside(whole, 'part', wholePart), 'item', wholeItem) };
  }

  const wholePart = (part: JsonDocument) =>
    part.value.type === 'output_text' ? editMembers(part, { text: wholeOf(part.value.text) }) : part.text;

  function wholeItem(item: JsonDocument): string {
    let isFirst = true;
    return editList(item, 'content', (part) => {
      const text = isFirst ? wholePart(part) : part.text;
      isFirst = false;
      return text;
    }).text;
  }

  /** The last event: the client's message first, whole, then what else there is. */
  function wholeAnswer(event: StreamEvent, document: JsonDocument): StreamEvent {
    const rest: string[] = [];
    let message: string | undefined;
    const response = editInside(ids.apply(document), 'response', (inner) => {
      editList(inner, 'output', (item) => {
        if (isJoined && message === undefined && item.value.type === 'message') message = wholeItem(item);
        else rest.push(item.text);
        return item.text;
      });
      message ??= JSON.stringify(messageOf(open));
      const output = `[${[message, ...rest].join(',')}]`;
      return editMember(inner, 'output', () => output).text;
    });
    return { ...event, document: response };
  }

  function shifted(event: StreamEvent, document: JsonDocument, index: number): StreamEvent {
    const segments = event.segments.map((segment) => ({
      ...segment,
      slot: segment.slot.replace(/^0\/\d+/, `0/${index}`),
    }));
    const isSame = document.value.output_index === index;
    const moved = isSame ? document : readAnswerJson(editMembers(document, { output_index: index }));
    return { ...event, segments, document: ids.apply(moved) };
  }

  /** The ends of the client's message, when the run had nothing to add to it. */
  function closings(): StreamEvent[] {
    const at = { item_id: open.id ?? null, output_index: open.index };
    const { content, ...rest } = messageOf(open);
    const [part] = content;
    return [
      { type: 'response.output_text.done', ...at, content_index: 0, text: open.text, logprobs: [] },
      { type: 'response.content_part.done', ...at, content_index: 0, part },
      { type: 'response.output_item.done', output_index: open.index, item: { ...rest, content } },
    ].map((value) => ({
      kind: 'other',
      name: value.type,
      document: readAnswerJson(JSON.stringify(value)),
      segments: [],
    }));
  }

  return { caughtUp: () => true, write: (event) => (event.document ? write(event, event.document) : '') };
}

function messageOf({ id, text }: OpenMessage) {
  return {
    id: id ?? null,
    type: 'message',
    status: 'completed',
    content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
    role: 'assistant',
  };
}
