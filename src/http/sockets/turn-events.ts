// The events of one answer as messages of a socket. Each event becomes one message; the first and the last also say who
// answered (`svc`), and all name their stream if it has a name. Output items are collected for the next turn.

import { isCompaction } from '../../dialects/openai-responses/compaction.ts';
import { SseReader } from '../../dialects/stream/sse.ts';
import type { ByteSink } from '../../kit/connection.ts';
import { isObject, type Json, type JsonObject, objectsOf, tryParseJson } from '../../kit/json/json.ts';

/** How an answer ended, if the next turn can go on from it. */
export interface AnsweredTurn {
  id: string;
  /** Its items, each as JSON. */
  items: readonly string[];
  /** They stand for the whole conversation. */
  isCompacted: boolean;
}

interface TurnOutput {
  streamId: string | undefined;
  /** A promise if the client does not read fast enough. */
  send(message: string): Promise<void> | undefined;
  /** The answer broke off without a last event. */
  onBroken(): void;
}

const FIRST = 'response.created';
const ITEM = 'response.output_item.done';
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);
const READ: ReadonlySet<unknown> = new Set([FIRST, ITEM, 'response.failed', ...ENDS]);
const TYPE = /^\{\s*"type"\s*:\s*"([\w.]+)"/;

export class TurnEvents implements ByteSink {
  readonly #output: TurnOutput;
  readonly #reader = new SseReader();
  readonly #items: string[] = [];
  #isCompacted = false;
  #svc = '';
  #answered: AnsweredTurn | undefined;

  constructor(output: TurnOutput) {
    this.#output = output;
  }

  get answered(): AnsweredTurn | undefined {
    return this.#answered;
  }

  /** The headers of the answer, which a message cannot have. */
  setHeaders(headers: Headers): void {
    this.#svc = `"svc":${JSON.stringify(svcOf(headers))},`;
  }

  write(frames: string | Uint8Array): number | Promise<number> {
    const bytes = typeof frames === 'string' ? Buffer.from(frames) : frames;
    let blocked: Promise<void> | undefined;
    for (const { event, data } of this.#reader.push(bytes)) {
      if (data?.startsWith('{')) blocked = this.#send(event ?? TYPE.exec(data)?.[1], data);
    }
    return blocked ? blocked.then(() => bytes.length) : bytes.length;
  }

  flush(): void {}

  close(error?: Error): void {
    if (error) this.#output.onBroken();
  }

  #send(type: string | undefined, data: string): Promise<void> | undefined {
    const { streamId } = this.#output;
    const isRead = READ.has(type);
    if (isRead) this.#read(type, tryParseJson(data));
    const own = `${streamId === undefined ? '' : `"stream_id":${JSON.stringify(streamId)},`}${isRead && type !== ITEM ? this.#svc : ''}`;
    return this.#output.send(own === '' ? data : `{${own}${data.slice(1)}`);
  }

  #read(type: string | undefined, event: Json | undefined): void {
    if (!isObject(event)) return;
    if (type === ITEM && isObject(event.item)) this.#keep(event.item);
    if (!ENDS.has(type) || !isObject(event.response)) return;
    const { id, output } = event.response;
    if (this.#items.length === 0) for (const item of objectsOf(output)) this.#keep(item);
    if (typeof id === 'string') this.#answered = { id, items: this.#items, isCompacted: this.#isCompacted };
  }

  #keep(item: JsonObject): void {
    if (isCompaction(item)) this.#isCompacted = true;
    const kept = inputItem(item);
    if (kept) this.#items.push(JSON.stringify(kept));
  }
}

const WITHOUT_ID: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call', 'reasoning']);

/** As the next request has it. An upstream would look for a stored item by its id, and for the thoughts of one without text. */
function inputItem(item: JsonObject): JsonObject | undefined {
  if (item.type === 'reasoning' && typeof item.encrypted_content !== 'string') return undefined;
  if (!WITHOUT_ID.has(item.type)) return item;
  const { id: _, ...rest } = item;
  return rest;
}

const PREFIX = 'x-svc-';

/** `x-svc-channel` is `channel`. */
export function svcOf(headers: Headers): Record<string, string> {
  const svc: Record<string, string> = { request_id: headers.get('x-request-id') ?? '' };
  headers.forEach((value, name) => {
    if (name.startsWith(PREFIX)) svc[name.slice(PREFIX.length).replaceAll('-', '_')] = value;
  });
  return svc;
}
