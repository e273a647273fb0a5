// Joins the events of a stream to a whole message as they arrive. Each event takes constant time, and memory is little more
// than the text.

import { isObject, type Json, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { RawJson, type RawValue } from '../../kit/json/raw-json.ts';

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
