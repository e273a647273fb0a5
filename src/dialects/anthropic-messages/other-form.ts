// A whole message as the events of a stream, and the events of a stream as a whole message.

import {
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  objectsOf,
  tryParseJson,
} from '../../kit/json/json.ts';
import { openRaw, RawJson, type RawPlace, type RawValue, writeJson } from '../../kit/json/raw-json.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';

export function writeAsStream({ text, value }: JsonDocument): string {
  const { content, stop_reason, stop_sequence = null, stop_details, usage, ...head } = value;
  const places = openRaw(text).at('content');
  const blocks = objectsOf(content);
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  const delta = { stop_reason, stop_sequence, stop_details };
  return [
    frame({ type: 'message_start', message }),
    ...blocks.flatMap((block, index) => writeBlock(block, index, places?.at(index))),
    frame({ type: 'message_delta', delta, usage }),
    frame({ type: 'message_stop' }),
  ].join('');
}

function writeBlock(block: JsonObject, index: number, place: RawPlace | undefined): string[] {
  const { start, deltas } = splitBlock(block, place);
  return [
    frame({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
    frame({ type: 'content_block_stop', index }),
  ];
}

/** Splits a block into its start and its deltas. */
function splitBlock(block: JsonObject, place: RawPlace | undefined): { start: RawValue; deltas: RawValue[] } {
  const { type, text, citations, thinking, signature, input } = block;
  switch (type) {
    case 'text': {
      const cited = Array.isArray(citations) ? citations : [];
      const said = text === '' ? [] : [{ type: 'text_delta', text }];
      const start = { ...block, text: '', ...(citations === undefined ? {} : { citations: [] }) };
      return { start, deltas: [...said, ...cited.map((citation) => ({ type: 'citations_delta', citation }))] };
    }
    case 'thinking': {
      const deltas = [
        ...(thinking === '' ? [] : [{ type: 'thinking_delta', thinking }]),
        ...(typeof signature === 'string' ? [{ type: 'signature_delta', signature }] : []),
      ];
      return { start: { ...block, thinking: '', signature: '' }, deltas };
    }
    default: {
      const json = isObject(input) ? place?.at('input')?.text : undefined;
      if (json === undefined) return { start: place ? new RawJson(place.text) : block, deltas: [] };
      return { start: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: json }] };
    }
  }
}

function frame(event: { type: string; [name: string]: RawValue | undefined }): string {
  return writeSse(writeJson(event), event.type);
}

export function joinStream(events: readonly SseEvent[]): RawValue | undefined {
  const joined = new JoinedMessage();
  for (const { data } of events) {
    if (data === undefined) continue;
    const event = tryParseJson(data);
    if (!isObject(event) || event.type === 'error') return undefined;
    joined.read(event);
  }
  return joined.message();
}

/** A block of a message; the input of a call keeps its own text. */
export type MessageBlock = Readonly<Record<string, RawValue | undefined>>;

export class JoinedMessage {
  #message: JsonObject = {};
  readonly #blocks = new Map<Json | undefined, JoinedBlock>();

  read(event: JsonObject): void {
    const { type, index, delta, content_block: block, usage } = event;
    if (type === 'message_start' && isObject(event.message)) this.#message = event.message;
    if (type === 'content_block_start' && isObject(block)) this.#blocks.set(index, new JoinedBlock(block));
    if (type === 'content_block_delta' && isObject(delta)) this.#blocks.get(index)?.add(delta);
    if (type === 'message_delta')
      this.#message = { ...this.#message, ...(isObject(delta) ? delta : {}), ...this.#with(usage) };
  }

  content(): MessageBlock[] {
    return [...this.#blocks.values()].map((block) => block.write());
  }

  message(): RawValue {
    return { ...this.#message, content: this.content() };
  }

  #with(usage: Json | undefined): JsonObject {
    if (!isObject(usage)) return {};
    const { usage: known } = this.#message;
    return { usage: { ...(isObject(known) ? known : {}), ...usage } };
  }
}

/** The member of a block that a delta extends, and the member of the delta. */
const GROWING: ReadonlyMap<Json | undefined, [member: string, by: string]> = new Map([
  ['text_delta', ['text', 'text']],
  ['thinking_delta', ['thinking', 'thinking']],
  ['signature_delta', ['signature', 'signature']],
  ['input_json_delta', ['input', 'partial_json']],
]);

class JoinedBlock {
  readonly #start: JsonObject;
  readonly #added = new Map<string, LongText>();
  readonly #citations: Json[] = [];

  constructor(start: JsonObject) {
    this.#start = start;
  }

  add(delta: JsonObject): void {
    if (delta.type === 'citations_delta' && delta.citation !== undefined) this.#citations.push(delta.citation);
    const [member, by] = GROWING.get(delta.type) ?? [];
    const text = by === undefined ? undefined : delta[by];
    if (member === undefined || typeof text !== 'string') return;
    const added = this.#added.get(member) ?? new LongText();
    this.#added.set(member, added);
    added.add(text);
  }

  write(): MessageBlock {
    const block: Record<string, RawValue | undefined> = { ...this.#start };
    for (const [member, added] of this.#added) {
      const text = added.toString();
      if (member !== 'input') block[member] = `${this.#start[member] ?? ''}${text}`;
      else if (isObject(tryParseJson(text))) block.input = new RawJson(text);
    }
    const { citations } = this.#start;
    if (this.#citations.length > 0)
      block.citations = [...(Array.isArray(citations) ? citations : []), ...this.#citations];
    return block;
  }
}

const MAX_PARTS = 256;

/** A string that grows keeps all its parts, which take many times the memory of the text: they are joined regularly. */
class LongText {
  #text = '';
  #parts: string[] = [];

  add(part: string): void {
    this.#parts.push(part);
    if (this.#parts.length < MAX_PARTS) return;
    this.#text += this.#parts.join('');
    this.#parts = [];
  }

  toString(): string {
    return this.#text + this.#parts.join('');
  }
}
