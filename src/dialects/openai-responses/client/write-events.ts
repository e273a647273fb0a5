// Writes an answer for a Responses client: all events of a response, or only the final response. The sender adds the usage.
// Around the items are an id, a status, and the settings of the request, in the client's own bytes.

import { openMember, openRaw, RawJson, type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import type { AnswerContext, EventWriter, Frame } from '../../translate/adapters.ts';
import type { AnswerEvent, Block, StopReason } from '../../translate/answer-events.ts';
import { asksForSealed } from '../sealed-reasoning.ts';
import { type ItemStatus, OutputItem, ownId } from './write-items.ts';

/** The values of settings that the client did not set. */
const DEFAULTS: Record<string, RawValue> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

const INCOMPLETE: Partial<Record<StopReason, string>> = { length: 'max_output_tokens', filter: 'content_filter' };

export function createEventWriter(context: AnswerContext): EventWriter {
  const settings = settingsOf(context);
  const output: RawValue[] = [];
  let sequence = 0;
  /** Length of the answer's text so far. */
  let textLength = 0;
  const wantsBack = asksForSealed(context.asked.value);
  const callIds = new Set<string>();
  const answer = { context, wantsBack, callIds, frame, textLength: () => textLength, hasGap: () => hasGap };
  /** The current item, and the open block. A block without content starts no item. */
  let growing: OutputItem | undefined;
  let block: Block | undefined;
  let isStarted = false;
  let hasGap = false;
  let isOver = false;

  function frame(type: string, fields: Record<string, RawValue>): Frame {
    return { event: type, data: writeJson({ type, sequence_number: sequence++, ...fields }) };
  }

  function responseEvent(type: string, status: ItemStatus, reason?: string): Frame {
    return frame(type, {
      response: {
        id: ownId('resp', context),
        object: 'response',
        created_at: context.createdAt,
        status,
        background: false,
        error: null,
        incomplete_details: reason === undefined ? null : { reason },
        model: context.model,
        output: [...output],
        previous_response_id: null,
        service_tier: 'default',
        store: false,
        ...settings,
        usage: null,
      },
    });
  }

  function begin(): Frame[] {
    if (sequence > 0) return [];
    return ['response.created', 'response.in_progress'].map((type) => responseEvent(type, 'in_progress'));
  }

  function startItem(): Frame[] {
    if (!block || isStarted) return [];
    isStarted = true;
    if (growing?.takes(block)) return growing.open(block);
    const ends = endItem('completed');
    const item = new OutputItem(answer, block, output.length);
    growing = item;
    const added = frame('response.output_item.added', { output_index: output.length, item: item.item('in_progress') });
    return [...ends, added, ...item.open(block)];
  }

  function endItem(status: ItemStatus): Frame[] {
    if (!growing) return [];
    const ends = growing.close();
    const item = growing.item(status);
    const done = frame('response.output_item.done', { output_index: output.length, item });
    output.push(item);
    growing = undefined;
    return [...ends, done];
  }

  function open(next: Block): Frame[] {
    block = next;
    isStarted = false;
    const isContent = next.kind === 'tool' || (next.kind === 'redacted' && wantsBack);
    return isContent ? [...begin(), ...startItem()] : [];
  }

  function inside(act: (item: OutputItem) => Frame[]): Frame[] {
    if (!block) return [];
    const begun = [...begin(), ...startItem()];
    return growing ? [...begun, ...act(growing)] : begun;
  }

  function stop(reason: StopReason): Frame[] {
    isOver = true;
    const why = INCOMPLETE[reason];
    const status = why === undefined ? 'completed' : 'incomplete';
    const before = [...begin(), ...endItem(status)];
    return [...before, responseEvent(`response.${status}`, status, why)];
  }

  function write(event: AnswerEvent): Frame[] {
    switch (event.type) {
      case 'open':
        return open(event.block);
      case 'delta': {
        if (event.text === '') return [];
        const frames = inside((item) => item.delta(event.text));
        if (block?.kind === 'text') textLength += event.text.length;
        return frames;
      }
      case 'sign':
        return wantsBack ? inside((item) => item.sign(event.signature)) : [];
      case 'cite':
        return inside((item) => item.cite(event.citation));
      case 'close':
        // Claude separates its thoughts by empty texts.
        hasGap ||= block?.kind === 'text' && !isStarted;
        block = undefined;
        return [];
      case 'stop':
        return stop(event.reason);
      default:
        return [];
    }
  }

  return { write: (event) => (isOver ? [] : write(event)) };
}

function settingsOf({ asked }: AnswerContext): Record<string, RawValue> {
  const settings = Object.entries(DEFAULTS).map(([name, value]): [string, RawValue] => {
    const raw = openMember(asked, name)?.text;
    return [name, raw === undefined || raw === 'null' ? value : new RawJson(raw)];
  });
  return Object.fromEntries(settings);
}

/** The response as its last event has it. */
export function writeWhole(events: readonly AnswerEvent[], context: AnswerContext): string {
  const { write } = createEventWriter(context);
  const frames = [...events, { type: 'stop', reason: 'end' } as const].flatMap(write);
  return openRaw(frames.at(-1)?.data ?? '{}').at('response')?.text ?? '{}';
}
