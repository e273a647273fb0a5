// A chat stream that another run continues: no second role, no word twice, nothing after a finish.

import { ANSWER_LIMITS, editMembers, isObject, type JsonObject, readJsonObject } from '../../kit/json/json.ts';
import { asMedia, type ContinuedWriter, isMedia, type Piece, type StreamEvent } from '../dialect.ts';
import { isFinish } from '../stream/is-finish.ts';
import { createOverlap } from '../stream/prefill-overlap.ts';
import type { Comparison } from '../stream/transcript.ts';
import { cutDetails } from './cut-details.ts';
import { choicesOf, type Extras, hasExtras, indexOf, withoutExtras } from './extras.ts';
import { saidAs } from './read-chunk.ts';
import { isReasoning, readPieces, saysTwice, toolCalls } from './read-output.ts';

/** The words of the first choice: the only content that a prefill can continue. */
export const TEXT_SLOT = '0/content';

type Pass = (event: StreamEvent) => string;

/** What of the new run the client has. */
interface Known {
  wasSent(slot: string): boolean;
  /** All words of this choice that were sent have been said again. */
  caughtUp(choice: number): boolean;
  extras: Extras;
}

/** The upstream goes on with the sent text: its second beginning is dropped. */
export function continuePrefill(pass: Pass, sent: string, told: Extras): ContinuedWriter {
  const takeNew = createOverlap(sent);
  const known: Known = { wasSent: () => false, caughtUp: () => true, extras: told.copy() };
  let hasBegun = false;
  return {
    caughtUp: () => true,
    write(event) {
      hasBegun ||= choicesIn(event).length > 0;
      // What comes before all choices is about the request, and was told by the first run.
      if (!hasBegun && event.kind !== 'held') return '';
      const rests = new Map(event.pieces.map(({ slot, text }) => [slot, slot === TEXT_SLOT ? takeNew(text) : text]));
      return passNew(pass, event, rests, known);
    },
  };
}

export function continueFresh(
  pass: Pass,
  comparison: Comparison,
  finished: ReadonlySet<number>,
  told: Extras,
): ContinuedWriter {
  const known: Known = {
    wasSent: comparison.wasSent,
    caughtUp: (choice) => comparison.caughtUp(String(choice)),
    extras: told.copy(),
  };
  return {
    caughtUp: () => comparison.caughtUp(),
    write(given) {
      const event = withoutFinishes(given, finished);
      const rests = new Map<string, string>();
      for (const piece of event.pieces) {
        const rest = comparison.take(piece);
        if (rest === 'mismatch' || isPartOfName(piece, rest)) return 'mismatch';
        if (isMedia(piece) && !comparison.caughtUp()) return 'mismatch';
        if ((rest !== '' || isMedia(piece)) && finished.has(Number.parseInt(piece.slot, 10))) return 'mismatch';
        rests.set(piece.slot, (rests.get(piece.slot) ?? '') + rest);
      }
      if (finishesOf(event).length > 0 && !comparison.caughtUp()) return 'mismatch';
      if (choicesIn(event).length === 0 && event.kind !== 'held' && !comparison.caughtUp()) return '';
      return passNew(pass, event, rests, known);
    },
  };
}

/** A tool's name is sent whole: one that only begins like the sent one is another tool. */
function isPartOfName({ slot, text }: Piece, rest: string): boolean {
  return slot.endsWith('/name') && rest !== '' && rest !== text;
}

/** Passes an event without its role and with only what is new of it; nothing if nothing is. */
function passNew(pass: Pass, event: StreamEvent, rests: ReadonlyMap<string, string>, known: Known): Passed {
  if (!event.document) return '';
  if (event.kind !== 'held' && choicesIn(event).length === 0) return known.extras.takeKnown() ? '' : pass(event);
  const fresh = newExtras(withoutRole(event), known);
  const newSlots = event.pieces.filter((piece) => isMedia(piece) || rests.get(piece.slot) !== '');
  for (const { slot } of newSlots) known.extras.passWords(slot);
  const isNew = newSlots.length > 0 || hasExtras(fresh) || finishesOf(event).length > 0;
  if (!isNew && event.kind !== 'held') return '';
  const rest = trimmed(fresh, rests, known.wasSent);
  return rest ? pass(rest) : 'mismatch';
}

type Passed = ReturnType<ContinuedWriter['write']>;

/** What is told beside the words goes where they go: before what the client has last of them, it has that, too. */
function newExtras(event: StreamEvent, { caughtUp, extras }: Known): StreamEvent {
  return mapChoices(event, (choice) => (caughtUp(indexOf(choice)) ? extras.cut(choice) : withoutExtras(choice)));
}

function choicesIn({ document }: StreamEvent): JsonObject[] {
  return document ? choicesOf(document.value) : [];
}

/** The choices that this event says are over. */
export function finishesOf(event: StreamEvent): number[] {
  return choicesIn(event)
    .filter(({ finish_reason }) => isFinish(finish_reason))
    .map(indexOf);
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

/** The event with each choice changed; its text is written anew only when something did change. */
function mapChoices(event: StreamEvent, map: (choice: JsonObject) => JsonObject): StreamEvent {
  const { document } = event;
  if (!document || !Array.isArray(document.value.choices)) return event;
  let changed = false;
  const choices = document.value.choices.map((choice) => {
    const mapped = isObject(choice) ? map(choice) : choice;
    changed ||= mapped !== choice;
    return mapped;
  });
  if (!changed) return event;
  const read = choices.flatMap((choice) =>
    isObject(choice) ? readPieces(choice[saidAs(choice)], indexOf(choice)) : [],
  );
  // What stands for a picture looks like any text here.
  const pieces = event.pieces.some((piece) => piece.isMedia) ? asMedia(read) : read;
  return { ...event, document: readJsonObject(editMembers(document, { choices }), ANSWER_LIMITS), pieces };
}

function mapDeltas(event: StreamEvent, map: (delta: JsonObject, choice: number) => JsonObject): StreamEvent {
  return mapChoices(event, (choice) => {
    const name = saidAs(choice);
    const said = choice[name];
    if (!isObject(said)) return choice;
    const delta = map(said, indexOf(choice));
    return delta === said ? choice : { ...choice, [name]: delta };
  });
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
function trimmed(
  event: StreamEvent,
  rests: ReadonlyMap<string, string>,
  wasSent: Known['wasSent'],
): StreamEvent | undefined {
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
    const isWordless = readPieces(delta, choice).length === 0;
    if (calls.length > 0)
      next.tool_calls = calls.flatMap((call, at) => trimCall(call, at, { choice, rests, wasSent, isWordless }));
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

interface CallsToTrim {
  choice: number;
  rests: ReadonlyMap<string, string>;
  wasSent: Known['wasSent'];
  /** Nothing is said in them: what they tell beside is new. */
  isWordless: boolean;
}

function trimCall(
  call: JsonObject,
  position: number,
  { choice, rests, wasSent, isWordless }: CallsToTrim,
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
  const { index: _, [kind]: _said, ...more } = isWordless ? others : {};
  const rest = { ...more, ...(Object.keys(kept).length > 0 ? { [kind]: kept } : {}) };
  return Object.keys(rest).length > 0 ? [{ index, ...rest }] : [];
}
