// The events of one answer as messages of a socket. Each event becomes one message; the first and the last also say who
// answered (`svc`), and all name their stream if it has a name. Output items are collected for the next turn.

import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  objectsOf,
  tryParseJson,
  tryReadAnswerJson,
} from '../../../kit/json/json.ts';
import { type SseEvent, SseReader } from '../../stream/sse.ts';
import { isCompaction } from '../compaction/dialect.ts';
import { editInside, editList } from '../edit-event.ts';
import type { CreateMessage } from './messages.ts';

/** How an answer ended, if the next turn can go on from it. */
export interface AnsweredTurn {
  id: string;
  /** Its items, each as JSON. */
  items: readonly string[];
  /** They replace the whole conversation. */
  isCompacted: boolean;
}

const FIRST = 'response.created';
const ITEM = 'response.output_item.done';
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);
const READ: ReadonlySet<unknown> = new Set([FIRST, ITEM, 'response.failed', ...ENDS]);
const TYPE = /^\{\s*"type"\s*:\s*"([\w.]+)"/;

export class TurnMessages {
  readonly #streamId: string | undefined;
  readonly #wantsSealed: boolean;
  readonly #reader = new SseReader();
  readonly #items: string[] = [];
  readonly #svc: string;
  #isCompacted = false;
  answered: AnsweredTurn | undefined;

  /** `svc`: the answer's headers as fields, because a message has no headers. */
  constructor(
    { streamId, wantsSealed }: Pick<CreateMessage, 'streamId' | 'wantsSealed'>,
    svc: Readonly<Record<string, string>>,
  ) {
    this.#streamId = streamId;
    this.#wantsSealed = wantsSealed;
    this.#svc = `"svc":${JSON.stringify(svc)},`;
  }

  /** The messages that these bytes of the stream complete. */
  read(bytes: Uint8Array): string[] {
    return this.#reader.push(bytes).flatMap((event) => this.#messageOf(event) ?? []);
  }

  #messageOf({ event, data }: SseEvent): string | undefined {
    if (!data?.startsWith('{')) return undefined;
    const type = event ?? TYPE.exec(data)?.[1];
    const isRead = READ.has(type);
    if (isRead) this.#collect(type, tryParseJson(data));
    const stream = this.#streamId === undefined ? '' : `"stream_id":${JSON.stringify(this.#streamId)},`;
    const own = stream + (isRead && type !== ITEM ? this.#svc : '');
    const shown = this.#wantsSealed ? data : withoutSealed(data);
    return own === '' ? shown : `{${own}${shown.slice(1)}`;
  }

  #collect(type: string | undefined, event: Json | undefined): void {
    if (!isObject(event)) return;
    if (type === ITEM && isObject(event.item)) this.#keep(event.item);
    if (!ENDS.has(type) || !isObject(event.response)) return;
    const { id, output } = event.response;
    if (this.#items.length === 0) for (const item of objectsOf(output)) this.#keep(item);
    if (typeof id === 'string') this.answered = { id, items: this.#items, isCompacted: this.#isCompacted };
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

/** For a client that did not ask for encrypted reasoning. */
function withoutSealed(data: string): string {
  const event = data.includes('"encrypted_content"') ? tryReadAnswerJson(data) : undefined;
  if (!event) return data;
  const response = (inner: JsonDocument) => editList(inner, 'output', hideSealed).text;
  return editInside(editInside(event, 'item', hideSealed), 'response', response).text;
}

function hideSealed(item: JsonDocument): string {
  return item.value.type === 'reasoning' ? editMembers(item, { encrypted_content: undefined }) : item.text;
}
