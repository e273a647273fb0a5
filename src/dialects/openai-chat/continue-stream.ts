// A chat stream that another run continues: no second role, no text twice, nothing after a finish reason.

import { editMembers, isObject, type Json, type JsonObject, readAnswerJson } from '../../kit/json/json.ts';
import { asMedia, type ContinuedWriter, isMedia, type StreamEvent } from '../dialect.ts';
import {
  type Comparison,
  compareContinued,
  continueFresh,
  type NewTexts,
  type Pass,
} from '../stream/continue-fresh.ts';
import { isFinish } from '../stream/is-finish.ts';
import { choicesOf, type Extras, hasExtras, indexOf, withoutExtras } from './extras.ts';
import { isDuplicateReasoning, isReasoning, readSegments, toolCalls } from './read-answer.ts';
import { contentMember } from './read-chunk.ts';

/** The text of the first choice: the only content that a prefill can continue. */
export const TEXT_SLOT = '0/content';

/** The upstream continues the sent text. What it says before its first choice is about the request, and was sent before. */
export function continuePrefill(pass: Pass, sent: string, extras: Extras): ContinuedWriter {
  const continued = continueChat(pass, compareContinued(TEXT_SLOT, sent), new Set(), extras);
  let hasBegun = false;
  return {
    caughtUp: continued.caughtUp,
    write(event) {
      hasBegun ||= choicesIn(event).length > 0;
      return hasBegun || event.kind === 'held' ? continued.write(event) : '';
    },
  };
}

/** `finished`: the choices whose finish the client has. */
export function continueChat(pass: Pass, comparison: Comparison, finished: ReadonlySet<number>, sentExtras: Extras) {
  const extras = sentExtras.copy();
  const hasNewFinish = (event: StreamEvent) => finishesOf(event).some((index) => !finished.has(index));

  /** Without the finish and the extras that the client has. An extra before a text that was sent was sent, too. */
  function cutExtras(choice: JsonObject): JsonObject {
    const index = indexOf(choice);
    const isKnownFinish = finished.has(index) && isFinish(choice.finish_reason);
    const open = isKnownFinish ? { ...choice, finish_reason: null } : choice;
    return comparison.caughtUp(String(index)) ? extras.cut(open) : withoutExtras(open);
  }

  return continueFresh(pass, comparison, {
    classify(event) {
      if (event.kind === 'held' || choicesIn(event).length > 0) return hasNewFinish(event) ? 'next' : 'open';
      return comparison.caughtUp() && extras.takeKnown() ? 'sent' : 'aside';
    },
    cut(event, { value }, texts) {
      const newSegments = event.segments.filter((segment) => isMedia(segment) || texts.get(segment.slot) !== '');
      if (newSegments.some(({ slot }) => finished.has(Number.parseInt(slot, 10)))) return 'mismatch';
      const choices = Array.isArray(value.choices) ? value.choices : [];
      const left = choices.map((choice) => (isObject(choice) ? cutExtras(choice) : choice));
      for (const { slot } of newSegments) extras.passWords(slot);
      const isNew =
        newSegments.length > 0 || hasNewFinish(event) || left.some((choice) => isObject(choice) && hasExtras(choice));
      if (!isNew && event.kind !== 'held') return '';
      const rest = left.map((choice) => {
        if (!isObject(choice)) return choice;
        const name = contentMember(choice);
        const said = choice[name];
        if (!isObject(said)) return choice;
        const delta = cutDelta(said, indexOf(choice), texts, comparison.wasSent);
        return delta && { ...choice, [name]: delta };
      });
      return rest.every((choice) => choice !== undefined) ? withChoices(event, rest) : 'mismatch';
    },
  });
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

/** The very event if nothing differs, so that its bytes stay as they came. */
function withChoices(event: StreamEvent, choices: Json[]): StreamEvent {
  const { document } = event;
  const before = document?.value.choices;
  if (!document || !Array.isArray(before) || choices.every((choice, at) => choice === before[at])) return event;
  const segments = choices.flatMap((choice) =>
    isObject(choice) ? readSegments(choice[contentMember(choice)], indexOf(choice)) : [],
  );
  return {
    ...event,
    document: readAnswerJson(editMembers(document, { choices })),
    // The text that represents an image is compared like any other.
    segments: event.segments.some((segment) => segment.isMedia) ? asMedia(segments) : segments,
  };
}

/** A delta cut down to what the client does not have; undefined if something of it cannot be cut. */
function cutDelta(
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

/**
 * A router's list of details says the thoughts of its chunk once more: what of them the client has is cut there, too. `rest`:
 * the new end of the reasoning `said`. Undefined if the details have another text.
 */
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
