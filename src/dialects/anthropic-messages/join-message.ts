// The events of a stream as a whole message, one event after the other.

import { isObject, type Json, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { RawJson, type RawValue } from '../../kit/json/raw-json.ts';

interface Joined {
  block: JsonObject;
  /** The input's JSON text so far. */
  input: string;
}

/** A block of a message; the input of a call keeps its own text. */
export type MessageBlock = Readonly<Record<string, RawValue | undefined>>;

export class JoinedMessage {
  #message: JsonObject = {};
  readonly #blocks = new Map<Json | undefined, Joined>();

  read(event: JsonObject): void {
    const { type, index, delta, content_block: block, usage } = event;
    if (type === 'message_start' && isObject(event.message)) this.#message = event.message;
    // What is added to the block later must not change the event.
    if (type === 'content_block_start' && isObject(block)) this.#blocks.set(index, { block: { ...block }, input: '' });
    const open = this.#blocks.get(index);
    if (type === 'content_block_delta' && isObject(delta) && open) addDelta(open, delta);
    if (type === 'message_delta')
      this.#message = { ...this.#message, ...(isObject(delta) ? delta : {}), ...this.#with(usage) };
  }

  content(): MessageBlock[] {
    return [...this.#blocks.values()].map(writeJoined);
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

/** Which member of a block a delta adds its text to. */
const GROWING: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
};

function addDelta(open: Joined, delta: JsonObject): void {
  const { block } = open;
  const name = GROWING[String(delta.type)];
  if (name !== undefined) block[name] = `${block[name] ?? ''}${delta[name] ?? ''}`;
  if (delta.type === 'citations_delta' && delta.citation !== undefined) {
    block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
  }
  if (typeof delta.partial_json === 'string') open.input += delta.partial_json;
}

function writeJoined({ block, input }: Joined): MessageBlock {
  return isObject(tryParseJson(input)) ? { ...block, input: new RawJson(input) } : block;
}
