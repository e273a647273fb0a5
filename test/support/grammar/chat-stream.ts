// The grammar of a chat stream: a role first, deltas, one finish, at most one usage chunk, [DONE].

import type { Answer } from '../answer.ts';
import { parseSse } from '../sse.ts';
import { createTold, type Ending, must, mustHaveOnly, noteModel, type Told } from './told.ts';

export const CHAT_ENDINGS: Readonly<Record<string, Ending>> = {
  stop: 'end',
  length: 'length',
  tool_calls: 'tool',
  function_call: 'tool',
  content_filter: 'filter',
};

const CHUNK = ['id', 'object', 'created', 'model', 'choices', 'usage', 'service_tier', 'system_fingerprint'];
const DELTA = ['role', 'content', 'reasoning_content', 'reasoning', 'reasoning_details', 'refusal', 'tool_calls'];
const MORE_DELTA = ['function_call', 'annotations'];

export function readChatStream(text: string): Told {
  const told = createTold();
  let head: Answer;
  let hasRole = false;
  for (const { event, data, json } of parseSse(text)) {
    must(event === undefined, `an event with a name: ${event}`);
    must(!told.complete && !told.error, `an event after the end: ${data}`);
    if (data === '[DONE]') {
      must(told.ends, '[DONE] without a finish');
      told.complete = true;
      continue;
    }
    must(json, `no JSON: ${data}`);
    if (json.error) {
      told.error = json.error;
      continue;
    }
    mustHaveOnly(json, CHUNK, 'a chunk');
    head ??= json;
    must(typeof json.id === 'string' && json.id === head.id, `another id: ${json.id}`);
    must(json.object === 'chat.completion.chunk', `another object: ${json.object}`);
    must(Number.isInteger(json.created) && json.created === head.created, `another time: ${json.created}`);
    noteModel(told, json.model);
    must(Array.isArray(json.choices) && json.choices.length <= 1, 'not one choice');
    if (json.usage) {
      must(json.choices.length === 0 && told.ends, 'usage before the end');
      must(!told.usage, 'usage twice');
      told.usage = json.usage;
    } else must(json.choices.length === 1, 'a chunk that says nothing');
    for (const choice of json.choices) {
      must(!told.ends, `a choice after its finish: ${data}`);
      must(choice.index === 0, `choice ${choice.index}`);
      if (choice.delta.role) must(!hasRole && choice.delta.role === 'assistant', 'a second role');
      hasRole ||= choice.delta.role === 'assistant';
      must(hasRole, 'a delta before the role');
      readDelta(told, choice.delta);
      must(choice.finish_reason !== undefined, 'a choice without the member finish_reason');
      if (choice.finish_reason !== null) told.ends = endingOf(choice.finish_reason);
    }
  }
  return told;
}

export function endingOf(reason: string): Ending {
  const ending = CHAT_ENDINGS[reason];
  must(ending, `unknown finish: ${reason}`);
  return ending;
}

function readDelta(told: Told, delta: Answer): void {
  mustHaveOnly(delta, [...DELTA, ...MORE_DELTA], 'a delta');
  for (const name of ['content', 'reasoning_content', 'refusal']) {
    must(['string', 'undefined'].includes(typeof delta[name]) || delta[name] === null, `${name} is no text`);
  }
  told.text += delta.content ?? '';
  told.reasoning += delta.reasoning_content ?? '';
  told.refusal += delta.refusal ?? '';
  for (const call of delta.tool_calls ?? []) readCallDelta(told, call);
  if (delta.function_call) readLegacyDelta(told, delta.function_call);
}

function readCallDelta({ calls }: Told, call: Answer): void {
  must(Number.isInteger(call.index), 'a call without its index');
  const fn = call.function ?? call.custom ?? {};
  const more = fn.arguments ?? fn.input ?? '';
  const known = calls[call.index];
  if (!known) {
    must(call.index === calls.length, `call ${call.index} out of order`);
    must(typeof call.id === 'string' && call.id !== '', 'a call without an id');
    must(call.type === 'function' || call.type === 'custom', `a call of type ${call.type}`);
    must(typeof fn.name === 'string' && fn.name !== '', 'a call without a name');
    must(
      calls.every(({ id }) => id !== call.id),
      `two calls have the id ${call.id}`,
    );
    calls.push({ id: call.id, name: fn.name, arguments: more });
    return;
  }
  must(call.id === undefined && fn.name === undefined, `call ${call.index} begins twice`);
  known.arguments += more;
}

function readLegacyDelta({ calls }: Told, call: Answer): void {
  const [known] = calls;
  if (known) {
    must(call.name === undefined, 'the call begins twice');
    known.arguments += call.arguments ?? '';
  } else {
    must(typeof call.name === 'string', 'a call without a name');
    calls.push({ id: '', name: call.name, arguments: call.arguments ?? '' });
  }
}
