// A response stream that another run continues from its text: the first message of that run is the one that the client has, its
// closing events carry the whole text, and all other items follow.

import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  readAnswerJson,
} from '../../kit/json/json.ts';
import { editMember } from '../../kit/json/raw-edit.ts';
import type { ContinuedWriter, StreamEvent } from '../dialect.ts';
import type { Pass } from '../stream/continue-fresh.ts';
import { createOverlap } from '../stream/continue-fresh.ts';
import { createIdMap, withDelta } from './continue-stream.ts';
import { editInside, editList } from './edit-event.ts';
import { indexAt } from './read-output.ts';

/** The message that the client has: open, and text alone. */
export interface OpenMessage {
  index: number;
  id: Json | undefined;
  text: string;
}

export function continuePrefill(pass: Pass, open: OpenMessage): ContinuedWriter {
  const takeNew = createOverlap(open.text);
  const ids = createIdMap();
  /** The indexes of this run's items in the client's stream. */
  const indexes = new Map<number, number>();
  let isJoined = false;
  const wholeOf = (text: Json | undefined) => open.text + createOverlap(open.text)(String(text ?? ''));

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
