// The grammar of a responses stream: created, items one after the other with all their beginnings and ends, and a last event
// that repeats everything.

import type { Answer } from '../answer.ts';
import { parseSse } from '../sse.ts';
import { createTold, must, noteModel, type Told } from './told.ts';
import { readItems, responseEnding } from './wholes.ts';

interface OpenPart {
  key: string;
  text: string;
  isDone: boolean;
}

interface OpenItem {
  index: number;
  item: Answer;
  part: OpenPart | undefined;
  parts: { type: string; text: string }[];
}

const ENDS = ['response.completed', 'response.incomplete', 'response.failed'];
/** Deltas and the event that repeats them, with the member that holds the text. */
const TEXTS: Readonly<Record<string, { by: string; done: string; member: string }>> = {
  'response.output_text': { by: 'content_index', done: 'text', member: 'output_text' },
  'response.refusal': { by: 'content_index', done: 'refusal', member: 'refusal' },
  'response.reasoning_summary_text': { by: 'summary_index', done: 'text', member: 'summary_text' },
  'response.reasoning_text': { by: 'content_index', done: 'text', member: 'reasoning_text' },
};
const INPUTS: Readonly<Record<string, { item: string; done: string }>> = {
  'response.function_call_arguments': { item: 'function_call', done: 'arguments' },
  'response.custom_tool_call_input': { item: 'custom_tool_call', done: 'input' },
};

export function readResponsesStream(text: string): Told {
  const told = createTold();
  const done: Answer[] = [];
  let open: OpenItem | undefined;
  let head: Answer;
  let count = 0;
  for (const { event, data, json } of parseSse(text)) {
    must(!told.complete && !told.error, `an event after the end: ${event}`);
    must(json && event === json.type, `the event's name is not its type: ${event} ${data}`);
    must(json.sequence_number === count++, `number ${json.sequence_number} of event ${count - 1}`);
    if (count === 1) must(event === 'response.created' || ENDS.includes(event ?? ''), `${event} comes first`);
    const { response } = json;
    if (response) {
      head ??= response;
      must(response.object === 'response' && response.id === head.id, 'another response');
      must(response.created_at === head.created_at, 'another time');
      noteModel(told, response.model);
    }
    if (event === 'response.created') must(count === 1 && response.status === 'in_progress', 'a second start');
    else if (event === 'response.in_progress') must(response.status === 'in_progress', 'a status that is none');
    else if (event === 'response.output_item.added') {
      must(!open && json.output_index === done.length, `item ${json.output_index} out of order`);
      must(typeof json.item.id === 'string' && json.item.id !== '', 'an item without an id');
      must(
        done.every(({ id }) => id !== json.item.id),
        'two items with one id',
      );
      open = { index: json.output_index, item: json.item, part: undefined, parts: [] };
    } else if (event === 'response.output_item.done') {
      must(open && !open.part && json.output_index === open.index, 'the end of an item that is not open');
      must(json.item.id === open.item.id && json.item.type === open.item.type, 'the end of another item');
      checkItem(open, json.item);
      done.push(json.item);
      open = undefined;
    } else if (ENDS.includes(event ?? '')) {
      if (event === 'response.failed') told.error = response.error;
      else {
        must(!open, 'an end with an item open');
        must(JSON.stringify(response.output) === JSON.stringify(done), 'the end repeats other items than were sent');
        Object.assign(told, readItems(response.output));
        told.ends = responseEnding(response, told);
        told.usage = response.usage;
        told.complete = true;
      }
    } else {
      must(open && json.item_id === open.item.id && json.output_index === open.index, `${event} of no open item`);
      readInside(open, event ?? '', json);
    }
  }
  if (!told.complete) Object.assign(told, readItems([...done, ...(open ? [asFar(open)] : [])]));
  return told;
}

function readInside(open: OpenItem, event: string, json: Answer): void {
  const name = event.slice(0, event.lastIndexOf('.'));
  const verb = event.slice(event.lastIndexOf('.') + 1);
  if (name === 'response.content_part' || name === 'response.reasoning_summary_part') {
    const key = String(json.content_index ?? json.summary_index);
    if (verb === 'added') {
      must(!open.part && key === String(open.parts.length), `part ${key} out of order`);
      open.part = { key, text: '', isDone: false };
      open.parts.push({ type: json.part.type, text: '' });
    } else {
      must(open.part?.key === key && open.part.isDone, `the end of part ${key}, which is not open`);
      must((json.part.text ?? json.part.refusal) === open.part.text, 'a part that ends with other words');
      open.part = undefined;
    }
    return;
  }
  if (name === 'response.output_text.annotation') return;
  const inner = TEXTS[name];
  if (inner) {
    must(open.part && !open.part.isDone && String(json[inner.by]) === open.part.key, `${event} of no open part`);
    must(open.parts.at(-1)?.type === inner.member, `${event} in a part of ${open.parts.at(-1)?.type}`);
    if (verb === 'delta') addText(open, json.delta);
    else {
      must(json[inner.done] === open.part.text, `${event} repeats other words`);
      open.part.isDone = true;
    }
    return;
  }
  const input = INPUTS[name];
  must(input && open.item.type === input.item, `${event} in an item of ${open.item.type}`);
  if (open.parts.length === 0) open.parts.push({ type: 'input', text: '' });
  if (verb === 'delta') addText(open, json.delta);
  else must(json[input.done] === open.parts[0]?.text, `${event} repeats other words`);
}

function addText(open: OpenItem, delta: unknown): void {
  must(typeof delta === 'string', 'a delta without text');
  const part = open.parts.at(-1);
  if (part) part.text += delta;
  if (open.part) open.part.text += delta;
}

/** An item that ends must hold what its deltas said. */
function checkItem(open: OpenItem, item: Answer): void {
  const said = open.parts.map(({ text }) => text).join('');
  const { text, reasoning, refusal, calls } = readItems([item]);
  const whole = text + reasoning + refusal + calls.map((call) => call.arguments).join('');
  must(whole === said, `an item ends with other words than it was streamed with: ${whole} / ${said}`);
}

function asFar(open: OpenItem): Answer {
  const text = open.parts.map((part) => part.text).join('');
  if (open.item.type === 'message') return { ...open.item, content: [{ type: 'output_text', text }] };
  if (open.item.type === 'reasoning') return { ...open.item, summary: [{ type: 'summary_text', text }] };
  return { ...open.item, arguments: text, input: text };
}
