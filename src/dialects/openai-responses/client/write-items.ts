// The items of an answer: each writes its first event, every delta, and its closing events with the whole content. Their ids and
// the names of tools are those that the client knows or answers with.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { AnswerContext, Frame } from '../../translate/adapters.ts';
import type { Block, UrlCitation } from '../../translate/answer-events.ts';
import { packReasoning, tagToolId } from '../../translate/opaque.ts';
import { TEXT_KINDS, type TextName } from '../text-kinds.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** What the items of one answer share. */
interface Answer {
  context: AnswerContext;
  /** The client asked for reasoning that it can send back. */
  wantsBack: boolean;
  /** Of all calls so far. */
  callIds: Set<string>;
  frame(type: string, fields: Record<string, RawValue>): Frame;
  /** How long the text of the answer is so far. */
  textLength(): number;
  /** A block before was empty, and became no item. */
  hasGap(): boolean;
}

/** A text of an item; most are parts of a list. */
interface Text {
  name: TextName;
  text: string;
  annotations: RawValue[];
  /** Where it begins in the text of the whole answer. */
  start: number;
}

type Call = ReturnType<typeof callOf>;

const PREFIXES = { message: 'msg', reasoning: 'rs', function_call: 'fc', custom_tool_call: 'ctc' } as const;

export class OutputItem {
  readonly #answer: Answer;
  readonly #index: number;
  readonly #id: string;
  /** Of its first text. */
  readonly #name: TextName;
  readonly #call: Call | undefined;
  readonly #redacted: string | undefined;
  readonly #isMoved: boolean;
  readonly #texts: Text[] = [];
  #signature: string | undefined;

  constructor(answer: Answer, block: Block, index: number) {
    this.#answer = answer;
    this.#index = index;
    this.#call = block.kind === 'tool' ? callOf(block, index, answer) : undefined;
    this.#name = nameOf(block, this.#call);
    this.#id = ownId(PREFIXES[this.#type], answer.context, index);
    this.#redacted = block.kind === 'redacted' ? block.data : undefined;
    this.#isMoved = answer.hasGap();
  }

  /** Whether this block belongs to the same item. */
  takes({ kind }: Block): boolean {
    return this.#type === 'message' && (kind === 'text' || kind === 'refusal');
  }

  /** Text that continues after a pause is the same part. Reasoning has a part only if it has text. */
  open(block: Block): Frame[] {
    const name = nameOf(block, this.#call);
    return this.#type === 'reasoning' || name === this.#texts.at(-1)?.name ? [] : this.#begin(name);
  }

  delta(text: string): Frame[] {
    const frames = this.#texts.length === 0 ? this.#begin(this.#name) : [];
    const last = this.#texts.at(-1);
    if (!last) return frames;
    last.text += text;
    frames.push(this.#write(`response.${last.name}.delta`, this.#fieldsOf(last.name, 'delta', text)));
    return frames;
  }

  sign(signature: string): Frame[] {
    this.#signature = signature;
    return [];
  }

  cite({ url, title, start, end }: UrlCitation): Frame[] {
    const last = this.#texts.at(-1);
    if (last?.name !== 'output_text') return [];
    const [start_index, end_index] = [start - last.start, end - last.start].map((offset) => Math.max(0, offset));
    const annotation = { type: 'url_citation', url, title, start_index, end_index };
    last.annotations.push(annotation);
    const fields = { ...this.#at(), annotation_index: last.annotations.length - 1, annotation };
    return [this.#write('response.output_text.annotation.added', fields)];
  }

  /** The closing events of its texts; that of the item follows. */
  close(): Frame[] {
    // Arguments must be JSON, and an empty text is not.
    const isEmpty = this.#type === 'function_call' && this.#texts.at(-1)?.text === '';
    return [...(isEmpty ? this.delta('{}') : []), ...this.#end()];
  }

  item(status: ItemStatus): RawValue {
    const own = { id: this.#id, type: this.#type };
    const parts = this.#texts.map(writePart);
    if (this.#type === 'message') return { ...own, status, content: parts, role: 'assistant' };
    const text = this.#texts[0]?.text ?? '';
    if (!this.#call) {
      const isBack = this.#answer.wantsBack && status !== 'in_progress';
      return { ...own, encrypted_content: isBack ? this.#packed(text) : undefined, summary: parts };
    }
    const { callId, name, namespace } = this.#call;
    return { ...own, status, [TEXT_KINDS[this.#name].field]: text, call_id: callId, name, namespace };
  }

  get #type() {
    return TEXT_KINDS[this.#name].item;
  }

  #packed(text: string): string {
    return packReasoning(this.#answer.context.origin, {
      text,
      ...(this.#redacted === undefined ? {} : { redacted: this.#redacted }),
      ...(this.#signature === undefined ? {} : { signature: this.#signature }),
      ...(this.#isMoved ? { isMoved: true } : {}),
    });
  }

  #begin(name: TextName): Frame[] {
    const frames = this.#end();
    const text = { name, text: '', annotations: [], start: this.#answer.textLength() };
    this.#texts.push(text);
    const { list } = TEXT_KINDS[name];
    if (list) frames.push(this.#write(`response.${list.event}.added`, { ...this.#at(), part: writePart(text) }));
    return frames;
  }

  #end(): Frame[] {
    const last = this.#texts.at(-1);
    if (!last) return [];
    const { list, field } = TEXT_KINDS[last.name];
    const done = this.#write(`response.${last.name}.done`, this.#fieldsOf(last.name, field, last.text));
    if (!list) return [done];
    return [done, this.#write(`response.${list.event}.done`, { ...this.#at(), part: writePart(last) })];
  }

  #fieldsOf(name: TextName, field: string, text: string): Record<string, RawValue> {
    const fields = this.#at();
    fields[field] = text;
    if (name === 'output_text') fields.logprobs = [];
    return fields;
  }

  #at(): Record<string, RawValue> {
    const { list } = TEXT_KINDS[this.#name];
    return list ? { [list.index]: this.#texts.length - 1 } : {};
  }

  #write(type: string, fields: Record<string, RawValue>): Frame {
    return this.#answer.frame(type, { item_id: this.#id, output_index: this.#index, ...fields });
  }
}

const NAMES = {
  text: 'output_text',
  refusal: 'refusal',
  reasoning: 'reasoning_summary_text',
  redacted: 'reasoning_summary_text',
} as const;

function nameOf(block: Block, call: Call | undefined): TextName {
  if (block.kind !== 'tool') return NAMES[block.kind];
  return call?.isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
}

function callOf(
  { id, name, signature }: Extract<Block, { kind: 'tool' }>,
  index: number,
  { context, callIds }: Answer,
) {
  const tool = context.tools.find((one) => one.name === name);
  // Clients treat two calls with the same id as one.
  const own = id === '' || callIds.has(id) ? ownId('call', context, index) : id;
  callIds.add(own);
  return {
    callId: signature === undefined ? own : tagToolId(own, { origin: context.origin, value: signature }),
    name: tool?.shown?.name ?? name,
    namespace: tool?.shown?.namespace,
    isCustom: tool?.isCustom ?? false,
  };
}

function writePart({ name, text, annotations }: Text): RawValue {
  if (name === 'output_text') return { type: name, annotations: [...annotations], logprobs: [], text };
  return name === 'refusal' ? { type: name, refusal: text } : { type: 'summary_text', text };
}

/** An id that a later run of the same request has, too. */
export function ownId(prefix: string, { requestId }: AnswerContext, index?: number): string {
  const bare = requestId.replace(/^req[-_]/, '');
  return `${prefix}_${bare}${index === undefined ? '' : `_${index}`}`;
}
