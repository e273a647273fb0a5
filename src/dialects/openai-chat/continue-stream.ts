// A chat stream that another run continues: no second role, no word twice, nothing after a finish.

import { ANSWER_LIMITS, editMembers, isObject, type JsonObject, readJsonObject } from '../../kit/json/json.ts';
import { asMedia, type ContinuedWriter, isMedia, type Piece, type StreamEvent } from '../dialect.ts';
import { isFinish } from '../is-finish.ts';
import { createOverlap } from '../prefill-overlap.ts';
import type { Comparison } from '../transcript.ts';
import { cutDetails } from './cut-details.ts';
import { saidAs } from './read-chunk.ts';
import { isReasoning, readPieces, saysTwice, toolCalls } from './read-output.ts';

/** The words of the first choice: the only content that a prefill can continue. */
export const TEXT_SLOT = '0/content';

type Pass = (event: StreamEvent) => string;

/** The upstream goes on with the sent text: its second beginning is dropped. */
export function continuePrefill(pass: Pass, sent: string): ContinuedWriter {
  const takeNew = createOverlap(sent);
  return {
    caughtUp: () => true,
    write(event) {
      const rests = new Map(event.pieces.map(({ slot, text }) => [slot, slot === TEXT_SLOT ? takeNew(text) : text]));
      return passNew(pass, event, rests, () => false);
    },
  };
}

export function continueFresh(pass: Pass, comparison: Comparison, finished: ReadonlySet<number>): ContinuedWriter {
  let hasNewThoughts = false;
  return {
    caughtUp: comparison.caughtUp,
    write(given) {
      const event = withoutFinishes(given, finished);
      const rests = new Map<string, string>();
      for (const piece of event.pieces) {
        const rest = comparison.take(piece);
        if (rest === 'mismatch' || isPartOfName(piece, rest)) return 'mismatch';
        if (isMedia(piece) && !comparison.caughtUp()) return 'mismatch';
        if ((rest !== '' || isMedia(piece)) && finished.has(Number.parseInt(piece.slot, 10))) return 'mismatch';
        rests.set(piece.slot, (rests.get(piece.slot) ?? '') + rest);
        hasNewThoughts ||= rest !== '' && isReasoning(piece);
      }
      if (finishesOf(event).length > 0 && !comparison.caughtUp()) return 'mismatch';
      // A thought's signature comes after its words: only if they were not whole before, neither was it.
      if (hasNewThoughts && event.pieces.length === 0 && hasDetails(event)) return pass(withoutRole(event));
      return passNew(pass, event, rests, comparison.wasSent);
    },
  };
}

function hasDetails({ document }: StreamEvent): boolean {
  const choices = document?.value.choices;
  const deltas = Array.isArray(choices)
    ? choices.map((choice) => (isObject(choice) ? choice[saidAs(choice)] : undefined))
    : [];
  return deltas.some((delta) => isObject(delta) && Array.isArray(delta.reasoning_details));
}

/** A tool's name is sent whole: one that only begins like the sent one is another tool. */
function isPartOfName({ slot, text }: Piece, rest: string): boolean {
  return slot.endsWith('/name') && rest !== '' && rest !== text;
}

/** Passes an event without its role and with only what is new of each slot; nothing if nothing is. */
function passNew(pass: Pass, event: StreamEvent, rests: ReadonlyMap<string, string>, wasSent: WasSent): Passed {
  const isNew = event.pieces.some(isMedia) || [...rests.values()].some((rest) => rest !== '');
  if (!isNew && finishesOf(event).length === 0 && event.kind !== 'held') return '';
  const rest = trimmed(withoutRole(event), rests, wasSent);
  return rest ? pass(rest) : 'mismatch';
}

type WasSent = Comparison['wasSent'];
type Passed = ReturnType<ContinuedWriter['write']>;

/** The choices that this event says are over. */
export function finishesOf({ document }: StreamEvent): number[] {
  const choices = document?.value.choices;
  return Array.isArray(choices)
    ? choices
        .filter(isObject)
        .filter(({ finish_reason }) => isFinish(finish_reason))
        .map(indexOf)
    : [];
}

/** What the client knows to be over does not end a second time. */
function withoutFinishes(event: StreamEvent, finished: ReadonlySet<number>): StreamEvent {
  const { document } = event;
  const known = finishesOf(event).filter((index) => finished.has(index));
  if (!document || known.length === 0 || !Array.isArray(document.value.choices)) return event;
  const choices = document.value.choices.map((choice) =>
    isObject(choice) && known.includes(indexOf(choice)) ? { ...choice, finish_reason: null } : choice,
  );
  return { ...event, document: readJsonObject(editMembers(document, { choices }), ANSWER_LIMITS) };
}

function indexOf({ index }: JsonObject): number {
  return typeof index === 'number' ? index : 0;
}

/** The event with each choice's delta changed; its text is written anew only when something did change. */
function mapDeltas(event: StreamEvent, map: (delta: JsonObject, choice: number) => JsonObject): StreamEvent {
  const { document } = event;
  if (!document || !Array.isArray(document.value.choices)) return event;
  let changed = false;
  const choices = document.value.choices.map((choice) => {
    if (!isObject(choice)) return choice;
    const name = saidAs(choice);
    const said = choice[name];
    if (!isObject(said)) return choice;
    const delta = map(said, indexOf(choice));
    if (delta === said) return choice;
    changed = true;
    return { ...choice, [name]: delta };
  });
  if (!changed) return event;
  const read = choices.flatMap((choice) =>
    isObject(choice) ? readPieces(choice[saidAs(choice)], indexOf(choice)) : [],
  );
  // What stands for a picture looks like any text here.
  const pieces = event.pieces.some((piece) => piece.isMedia) ? asMedia(read) : read;
  return { ...event, document: readJsonObject(editMembers(document, { choices }), ANSWER_LIMITS), pieces };
}

function withoutRole(event: StreamEvent): StreamEvent {
  return mapDeltas(event, (delta) => {
    if (delta.role === undefined) return delta;
    const { role: _, ...rest } = delta;
    return rest;
  });
}

/**
 * Each slot's text cut down to what the client has not seen; tool calls it has seen lose their id and name. Undefined if
 * something cannot be cut.
 */
function trimmed(event: StreamEvent, rests: ReadonlyMap<string, string>, wasSent: WasSent): StreamEvent | undefined {
  let isCut = true;
  const rest = mapDeltas(event, (delta, choice) => {
    const next: JsonObject = {};
    for (const [name, value] of Object.entries(delta)) {
      const rest = rests.get(`${choice}/${saysTwice(delta, name) ? 'reasoning_content' : name}`);
      // Content in parts cannot be cut in the middle of one.
      if (rest === undefined || (rest !== '' && typeof value !== 'string')) next[name] = value;
      else if (rest !== '') next[name] = rest;
    }
    const calls = toolCalls(delta);
    if (calls.length > 0) next.tool_calls = calls.flatMap((call, at) => trimCall(call, at, choice, rests, wasSent));
    if (!trimDetails(next, delta, choice, rests)) isCut = false;
    return next;
  });
  return isCut ? rest : undefined;
}

/** False if they cannot be cut as the thoughts that they repeat were. */
function trimDetails(next: JsonObject, delta: JsonObject, choice: number, rests: ReadonlyMap<string, string>): boolean {
  const thought = readPieces(delta, choice).find(isReasoning);
  if (!thought || !Array.isArray(delta.reasoning_details)) return true;
  const details = cutDetails(delta.reasoning_details, thought.text, rests.get(thought.slot) ?? thought.text);
  if (!details) return false;
  next.reasoning_details = details;
  return true;
}

function trimCall(
  call: JsonObject,
  position: number,
  choice: number,
  rests: ReadonlyMap<string, string>,
  wasSent: WasSent,
): JsonObject[] {
  const index = typeof call.index === 'number' ? call.index : position;
  const kind = isObject(call.custom) ? 'custom' : 'function';
  const fields = isObject(call[kind]) ? call[kind] : {};
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) {
    const rest = rests.get(`${choice}/tool/${index}/${name}`);
    if (rest === undefined ? value !== '' : rest !== '') kept[name] = rest ?? value;
  }
  // Some upstreams repeat the id with every bit of the arguments: the client knows the first run's.
  const wasSeen = wasSent(`${choice}/tool/${index}/name`);
  const { id, type, ...others } = call;
  if (!wasSeen)
    return [{ ...others, ...(id === undefined ? {} : { id }), ...(type === undefined ? {} : { type }), [kind]: kept }];
  return Object.keys(kept).length > 0 ? [{ index, [kind]: kept }] : [];
}
