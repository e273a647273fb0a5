// What a client makes of a stream, by a reader of the tests' own that throws on any event the format does not allow
// there: a second start, a delta without its block, words after the end.

import type { Answer } from './answer.ts';
import { parseSse } from './sse.ts';

export interface Assembled {
  /** Slot by slot: `0/content`, `0/tool/0/arguments`, `1/text`, … */
  content: Record<string, string>;
  /** Why it ended; undefined if it did not. */
  finish: string | undefined;
  usage: Answer;
  /** Names of the model, each once, in the order they were seen. */
  models: string[];
  /** The stream ended as the format wants it. */
  complete: boolean;
  error: Answer;
  keepAlives: number;
}

export function createAssembled(): Assembled {
  return {
    content: {},
    finish: undefined,
    usage: undefined,
    models: [],
    complete: false,
    error: undefined,
    keepAlives: 0,
  };
}

class Ungrammatical extends Error {
  override name = 'Ungrammatical';
}

export function must(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Ungrammatical(what);
}

/** `choices`: how many answers must have finished for the stream to be whole. */
export function assembleChat(text: string, choices = 1): Assembled {
  const answer = createAssembled();
  answer.keepAlives = text.split('\n').filter((line) => line === ': ping').length;
  const begun = new Set<number>();
  const finished = new Map<number, string>();
  let id: unknown;
  for (const { data, json } of parseSse(text)) {
    must(!answer.complete && !answer.error, `an event after the end: ${data}`);
    if (data === '[DONE]') {
      must(finished.size >= choices, '[DONE] before every choice finished');
      answer.complete = true;
      continue;
    }
    must(json, `no JSON: ${data}`);
    if (json.error) {
      answer.error = json.error;
      continue;
    }
    // Of the upstream's own, and no part of the answer.
    if (!json.choices) continue;
    id ??= json.id;
    must(json.id === id, `another id: ${json.id}`);
    noteModel(answer, json.model);
    if (json.usage) answer.usage = json.usage;
    for (const { index, delta = {}, finish_reason } of json.choices) {
      must(!finished.has(index), `a delta after the finish: ${data}`);
      if (delta.role) must(!begun.has(index) && begun.add(index), 'a second role');
      add(answer, `${index}/content`, delta.content);
      add(answer, `${index}/reasoning_content`, delta.reasoning_content);
      for (const call of delta.tool_calls ?? []) addCall(answer, index, call);
      if (finish_reason) finished.set(index, finish_reason);
    }
  }
  answer.finish = finished.get(0);
  return answer;
}

function addCall(answer: Assembled, choice: number, call: Answer): void {
  const slot = `${choice}/tool/${call.index}`;
  if (call.id) {
    must(answer.content[`${slot}/id`] === undefined, `a second id for ${slot}`);
    add(answer, `${slot}/id`, call.id);
  } else must(answer.content[`${slot}/id`], `${slot} goes on without a beginning`);
  add(answer, `${slot}/name`, call.function?.name);
  add(answer, `${slot}/arguments`, call.function?.arguments);
}

const DELTA_FIELDS: Record<string, [slot: string, field: string]> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['input', 'partial_json'],
};

export function assembleMessages(text: string): Assembled {
  const answer = createAssembled();
  const open = new Set<number>();
  let blocks = 0;
  let hasStarted = false;
  for (const { event, json } of parseSse(text)) {
    must(!answer.complete && !answer.error, `an event after the end: ${event}`);
    must(json && event === json.type, `the event's name is not its type: ${event}`);
    must(hasStarted || event === 'message_start' || event === 'error', `${event} before the start`);
    switch (event) {
      case 'message_start':
        must(!hasStarted, 'a second start');
        hasStarted = true;
        noteModel(answer, json.message.model);
        answer.usage = { ...json.message.usage };
        break;
      case 'content_block_start':
        must(open.size === 0 && json.index === blocks, `block ${json.index} out of order`);
        open.add(blocks++);
        add(answer, `${json.index}/name`, json.content_block.name);
        break;
      case 'content_block_delta': {
        must(open.has(json.index), `a delta for block ${json.index}, which is not open`);
        const [slot, field] = DELTA_FIELDS[json.delta.type] ?? ['?', '?'];
        add(answer, `${json.index}/${slot}`, json.delta[field]);
        break;
      }
      case 'content_block_stop':
        must(open.delete(json.index), `block ${json.index} is closed twice`);
        break;
      case 'message_delta':
        must(open.size === 0, 'the stop before the last block is closed');
        answer.finish = json.delta.stop_reason ?? answer.finish;
        must(json.usage, 'a stop without usage');
        answer.usage = { ...answer.usage, ...json.usage };
        break;
      case 'message_stop':
        must(answer.finish, 'an end without a reason');
        answer.complete = true;
        break;
      case 'ping':
        answer.keepAlives++;
        break;
      case 'error':
        answer.error = json.error;
        break;
      default:
        must(false, `unknown event ${event}`);
    }
  }
  return answer;
}

export function add(answer: Assembled, slot: string, text: unknown): void {
  if (typeof text === 'string' && text !== '') answer.content[slot] = (answer.content[slot] ?? '') + text;
}

export function noteModel({ models }: Assembled, model: string): void {
  if (models.at(-1) !== model) models.push(model);
}
