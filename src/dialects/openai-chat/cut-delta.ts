// A chat delta of a run that continues another one, cut down to what the client does not have.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { Comparison, NewTexts } from '../stream/continue-fresh.ts';
import { isDuplicateReasoning, isReasoning, readSegments, toolCalls } from './read-output.ts';

/** Undefined if something of it cannot be cut. */
export function cutDelta(
  { role: _, ...delta }: JsonObject,
  choice: number,
  texts: NewTexts,
  wasSent: Comparison['wasSent'],
): JsonObject | undefined {
  const segments = readSegments(delta, choice);
  const rest: JsonObject = {};
  for (const [name, value] of Object.entries(delta)) {
    const text = texts.get(`${choice}/${isDuplicateReasoning(delta, name) ? 'reasoning_content' : name}`);
    // Content in parts cannot be cut in the middle of one.
    if (text !== '') rest[name] = typeof value === 'string' ? (text ?? value) : value;
  }
  const calls = toolCalls(delta);
  if (calls.length > 0) {
    rest.tool_calls = calls.flatMap((call, position) => {
      const index = typeof call.index === 'number' ? call.index : position;
      const slot = `${choice}/tool/${index}`;
      const cut = cutCall(call, slot, texts);
      return wasSent(`${slot}/name`) ? continuedCall(cut, index, segments.length === 0) : [cut];
    });
  }
  const thought = segments.find(isReasoning);
  if (!thought || !Array.isArray(delta.reasoning_details)) return rest;
  const details = cutDetails(delta.reasoning_details, thought.text, texts.get(thought.slot) ?? thought.text);
  return details && { ...rest, reasoning_details: details };
}

function cutCall(call: JsonObject, slot: string, texts: NewTexts): JsonObject {
  const kind = isObject(call.custom) ? 'custom' : 'function';
  const said: JsonObject = {};
  for (const [name, value] of Object.entries(isObject(call[kind]) ? call[kind] : {})) {
    const text = texts.get(`${slot}/${name}`) ?? value;
    if (text !== '') said[name] = text;
  }
  const { id, type, ...others } = call;
  return { ...others, id, type, [kind]: said };
}

/** The rest of a call that the client has. Other members are kept only in a delta without text: elsewhere they were sent. */
function continuedCall({ index: _, id, type, ...call }: JsonObject, index: number, isWordless: boolean): JsonObject[] {
  const isKept = ([name, value]: [string, unknown]) =>
    name === 'function' || name === 'custom' ? isObject(value) && Object.keys(value).length > 0 : isWordless;
  const kept = Object.entries(call).filter(isKept);
  return kept.length > 0 ? [{ index, ...Object.fromEntries(kept) }] : [];
}

// A router's list of details says the thoughts of its chunk once more: what of them the client has is cut there, too.
/** `rest`: the new end of the reasoning `said`. Undefined if the details have another text. */
function cutDetails(details: Json[], said: string, rest: string): Json[] | undefined {
  if (rest === said) return details;
  if (rest === '') return [];
  const list = details.filter(isObject);
  if (list.map((detail) => wordsOf(detail).text).join('') !== said) return undefined;
  const kept: JsonObject[] = [];
  let known = said.length - rest.length;
  for (const detail of list) {
    const { name, text } = wordsOf(detail);
    if (known === 0) kept.push(detail);
    else if (known < text.length) kept.push({ ...detail, [name]: text.slice(known) });
    known = Math.max(0, known - text.length);
  }
  return kept;
}

function wordsOf({ text, summary }: JsonObject): { name: 'text' | 'summary'; text: string } {
  if (typeof text === 'string') return { name: 'text', text };
  return { name: 'summary', text: typeof summary === 'string' ? summary : '' };
}
