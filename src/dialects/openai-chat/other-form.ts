// A whole chat answer as chunks, and chunks as a whole answer.

import { isObject, type JsonDocument, type JsonObject, objectsOf, tryParseJson } from '../../kit/json/json.ts';
import { openRaw, RawJson, type RawPlace, type RawValue, writeJson } from '../../kit/json/raw-json.ts';
import { isFinish } from '../stream/is-finish.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { choicesOf, indexOf } from './extras.ts';
import { contentMember, isBroken, isError, isErrorEvent, isNoise } from './read-chunk.ts';

const DONE = '[DONE]';

export function writeAsStream({ text, value }: JsonDocument): string {
  const { choices: _choices, usage, ...head } = value;
  const raw = openRaw(text).at('choices');
  const chunk = (choices: RawValue[], rest: JsonObject = {}) =>
    writeSse(writeJson({ ...head, object: 'chat.completion.chunk', choices, ...rest }));
  const choices = choicesOf(value).map((choice, at) => splitChoice(choice, at, raw?.at(at)?.at('message')));
  return [
    ...choices.map(({ said }) => chunk([said])),
    ...choices.map(({ finish }) => chunk([finish])),
    ...(isObject(usage) ? [chunk([], { usage })] : []),
    writeSse(DONE),
  ].join('');
}

function splitChoice({ message, logprobs, ...choice }: JsonObject, at: number, raw: RawPlace | undefined) {
  const index = indexOf({ index: at, ...choice });
  const delta = isObject(message) ? writeDelta(message, raw) : {};
  return {
    said: { index, delta, logprobs: logprobs ?? null, finish_reason: null },
    finish: { ...choice, index, delta: {}, logprobs: null },
  };
}

/** A stream counts its calls. */
function writeDelta({ tool_calls: calls, ...message }: JsonObject, raw: RawPlace | undefined): RawValue {
  if (!Array.isArray(calls) || calls.length === 0) return message;
  const places = raw?.at('tool_calls');
  const counted = calls.filter(isObject).map((call, index): RawValue => {
    const called = places?.at(index)?.at('function')?.text;
    return { ...call, index, ...(called === undefined ? {} : { function: new RawJson(called) }) };
  });
  return { ...message, tool_calls: counted };
}

type Joined = Record<'choice' | 'message', JsonObject>;

export function joinStream(events: readonly SseEvent[]): RawValue | undefined {
  let head: JsonObject = {};
  let usage: JsonObject | undefined;
  const joined = new Map<number, Joined>();
  for (const event of events) {
    const { data = '' } = event;
    if (data === DONE || isNoise(data)) continue;
    const value = tryParseJson(data);
    if (!isObject(value) || isErrorEvent(event) || isError(value)) return undefined;
    head = { ...value, ...head };
    usage = isObject(value.usage) ? value.usage : usage;
    for (const choice of choicesOf(value)) {
      if (isBroken(choice)) return undefined;
      addChoice(joined, choice);
    }
  }
  const choices = [...joined]
    .toSorted(([a], [b]) => a - b)
    .map(([, { choice, message }]) => ({ ...choice, message: finishMessage(message) }));
  return { ...head, object: 'chat.completion', choices, ...(usage === undefined ? {} : { usage }) };
}

function addChoice(joined: Map<number, Joined>, choice: JsonObject): void {
  const { delta: _delta, message: _message, finish_reason: finish, logprobs, ...rest } = choice;
  const index = indexOf(choice);
  const known = joined.get(index) ?? {
    choice: { index, logprobs: null, finish_reason: null },
    message: { role: 'assistant', content: null },
  };
  joined.set(index, known);
  Object.assign(known.choice, rest, isFinish(finish) ? { finish_reason: finish } : {});
  if (isObject(logprobs)) addDelta(known.choice, { logprobs });
  const said = choice[contentMember(choice)];
  if (isObject(said)) addDelta(known.message, said);
}

/** Texts that come once, or again as they were. All others come in parts. */
const CONSTANT: ReadonlySet<string> = new Set(['role', 'id', 'type', 'name', 'status', 'format', 'model', 'provider']);

/** Texts and lists are continued, calls by their index or id. */
export function addDelta(into: JsonObject, more: JsonObject): void {
  for (const [name, value] of Object.entries(more)) {
    const known = into[name];
    if (name === 'tool_calls' && Array.isArray(value)) into[name] = addCalls(objectsOf(known), value.filter(isObject));
    else if (Array.isArray(value)) into[name] = [...(Array.isArray(known) ? known : []), ...value];
    else if (isObject(value) && isObject(known)) addDelta(known, value);
    else if (!CONSTANT.has(name) && typeof known === 'string' && typeof value === 'string') into[name] = known + value;
    else if (value !== null || known === undefined) into[name] = value;
  }
}

/** A delta belongs to the call of its index, or else of its id. With neither it continues the last call. */
function addCalls(calls: JsonObject[], deltas: readonly JsonObject[]): JsonObject[] {
  for (const delta of deltas) {
    const call = findCall(calls, delta);
    if (call) addDelta(call, delta);
    else calls.push(delta);
  }
  return calls;
}

function findCall(calls: readonly JsonObject[], { index, id }: JsonObject): JsonObject | undefined {
  if (typeof index === 'number') return calls.find((call) => call.index === index);
  return typeof id === 'string' && id !== '' ? calls.find((call) => call.id === id) : calls.at(-1);
}

/** A whole answer does not count its calls. */
function finishMessage({ tool_calls: calls, ...message }: JsonObject): JsonObject {
  if (!Array.isArray(calls) || calls.length === 0) return message;
  return { ...message, tool_calls: calls.filter(isObject).map(({ index: _index, ...call }) => call) };
}
