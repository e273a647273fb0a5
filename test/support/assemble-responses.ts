// What a client makes of a response stream, by a reader of the tests' own that throws on any event the format does not
// allow there. What is said bit by bit, at the end of a part, of an item and of the whole must be the same.

import type { Answer } from './answer.ts';
import { type Assembled, createAssembled, must, noteModel } from './assemble.ts';
import { parseSse } from './sse.ts';

interface OpenItem {
  item: Answer;
  /** What came in deltas, by slot; and the slots that are over. */
  texts: Map<string, string>;
  over: Set<string>;
  /** Parts that began, by slot. */
  parts: Set<string>;
  isDone: boolean;
}

const TEXTS: Record<string, [slot: string, index: string | undefined, whole: string, type: string]> = {
  output_text: ['text', 'content_index', 'text', 'message'],
  refusal: ['refusal', 'content_index', 'refusal', 'message'],
  reasoning_summary_text: ['summary', 'summary_index', 'text', 'reasoning'],
  reasoning_text: ['thought', 'content_index', 'text', 'reasoning'],
  function_call_arguments: ['arguments', undefined, 'arguments', 'function_call'],
  custom_tool_call_input: ['input', undefined, 'input', 'custom_tool_call'],
};
const PART_SLOTS: Record<string, string> = {
  output_text: 'text',
  refusal: 'refusal',
  summary_text: 'summary',
  reasoning_text: 'thought',
};

export function assembleResponses(text: string): Assembled {
  const answer = createAssembled();
  const items: OpenItem[] = [];
  let id: string | undefined;
  let next = 0;

  const open = (index: number): OpenItem => {
    const item = items[index];
    must(item && !item.isDone, `item ${index} is not open`);
    return item;
  };

  function lifecycle(type: string, response: Answer): void {
    must(response, `${type} without a response`);
    must((id === undefined) === (type === 'response.created'), `${type} out of place`);
    id ??= response.id;
    must(id && response.id === id, `another response: ${response.id}`);
    must(response.object === 'response', 'no response object');
    noteModel(answer, response.model);
    if (type === 'response.created') return;
    if (type === 'response.in_progress') {
      must(response.status === 'in_progress', `in progress with status ${response.status}`);
      if (items.length > 0) answer.keepAlives++;
      return;
    }
    if (type === 'response.failed') {
      must(response.status === 'failed' && response.error?.message, 'a failure without an error');
      answer.error = response.error;
      return;
    }
    must(type === `response.${response.status}`, `${type} with status ${response.status}`);
    must(response.usage, 'an end without usage');
    answer.usage = response.usage;
    answer.finish = response.incomplete_details?.reason ?? response.status;
    must(
      items.every(({ isDone }) => isDone),
      'an end before every item is done',
    );
    must(response.output.length === items.length, `${response.output.length} items at the end, not ${items.length}`);
    response.output.forEach((item: Answer, at: number) => {
      must(item.id === items[at]?.item.id, `item ${at} has another id at the end`);
      must(JSON.stringify(slotsOf(item)) === JSON.stringify(slotsOf(items[at]?.item)), `item ${at} differs at the end`);
    });
    answer.complete = true;
  }

  function textEvent(event: Answer, name: string, isDelta: boolean): void {
    const [slot, index, whole, type] = TEXTS[name] ?? ['', undefined, '', ''];
    must(slot, `unknown event ${event.type}`);
    const { item, texts, over, parts } = open(event.output_index);
    must(item.type === type, `${event.type} for an item of type ${item.type}`);
    must(event.item_id === item.id, `${event.type} for the item ${event.item_id}, not ${item.id}`);
    const key = index === undefined ? slot : `${slot}/${event[index]}`;
    must(index === undefined || parts.has(key), `${event.type} without its part`);
    must(!over.has(key), `${event.type} after the end of ${key}`);
    const before = texts.get(key) ?? '';
    if (isDelta) texts.set(key, before + event.delta);
    else {
      must(event[whole] === before, `${event.type}: ${event[whole]}, but the deltas said ${before}`);
      over.add(key);
    }
  }

  function partEvent(event: Answer, isStart: boolean): void {
    const { item, texts, over, parts } = open(event.output_index);
    must(event.item_id === item.id, `${event.type} for the item ${event.item_id}, not ${item.id}`);
    const key = `${PART_SLOTS[event.part.type]}/${event.content_index ?? event.summary_index}`;
    must(parts.has(key) !== isStart, `${event.type} twice or never`);
    if (isStart) {
      must(Number(key.split('/')[1]) === parts.size, `part ${key} out of order`);
      parts.add(key);
      return;
    }
    must(over.has(key), `${event.type} before its text is over`);
    must((event.part.text ?? event.part.refusal) === (texts.get(key) ?? ''), `${event.type} with another text`);
  }

  function itemDone(event: Answer): void {
    const known = open(event.output_index);
    const { item, texts } = known;
    must(event.item.id === item.id && event.item.call_id === item.call_id, 'an item ends under another id');
    must(event.item.type === item.type && event.item.name === item.name, 'an item ends as another');
    const said = slotsOf(event.item);
    for (const [slot, text] of texts) must(said[slot] === text, `item ${event.output_index} ends with another ${slot}`);
    for (const [slot, text] of Object.entries(said)) {
      must(text === (texts.get(slot) ?? ''), `item ${event.output_index} ends with more: ${slot}`);
    }
    known.isDone = true;
    known.item = event.item;
  }

  for (const { event = '', json } of parseSse(text)) {
    must(!answer.complete && !answer.error, `an event after the end: ${event}`);
    must(json && event === json.type, `the event's name is not its type: ${event}`);
    must(json.sequence_number === next++, `number ${json.sequence_number} in place ${next - 1}`);
    must(id !== undefined || event === 'response.created', `${event} before the beginning`);
    const [, name = '', end] = /^response\.(.+)\.(delta|done|added)$/.exec(event) ?? [];
    if (json.response) lifecycle(event, json.response);
    else if (name === 'output_item' && end === 'added') {
      must(json.output_index === items.length, `item ${json.output_index} out of order`);
      items.push({ item: json.item, texts: new Map(), over: new Set(), parts: new Set(), isDone: false });
    } else if (name === 'output_item') itemDone(json);
    else if (name === 'content_part' || name === 'reasoning_summary_part') partEvent(json, end === 'added');
    else if (name === 'output_text.annotation') open(json.output_index);
    else textEvent(json, name, end === 'delta');
  }
  items.forEach(({ item, texts }, index) => {
    if (item.name) answer.content[`${index}/name`] = item.name;
    if (item.call_id) answer.content[`${index}/id`] = item.call_id;
    for (const [slot, said] of texts) if (said !== '') answer.content[`${index}/${slot}`] = said;
  });
  return answer;
}

/** All texts of an item that is done. */
function slotsOf(item: Answer): Record<string, string> {
  const slots: Record<string, string> = {};
  const add = (parts: Answer[] | undefined) =>
    parts?.forEach((part, at) => {
      slots[`${PART_SLOTS[part.type]}/${at}`] = part.text ?? part.refusal;
    });
  add(item?.content);
  add(item?.summary);
  if (item?.arguments) slots.arguments = item.arguments;
  if (item?.input) slots.input = item.input;
  return slots;
}
