// A chat stream that another run continues: no second role, no text twice, nothing after a finish reason.

import { editMembers, isObject, type Json, type JsonObject, readAnswerJson } from '../../kit/json/json.ts';
import { asMedia, type ContinuedWriter, isMedia, type StreamEvent } from '../dialect.ts';
import type { Comparison } from '../stream/continue-fresh.ts';
import { continueFresh, createOverlap, type FreshRun, type Pass } from '../stream/continue-fresh.ts';
import { isFinish } from '../stream/is-finish.ts';
import { cutDelta } from './cut-delta.ts';
import { choicesOf, type Extras, hasExtras, indexOf, withoutExtras } from './extras.ts';
import { contentMember } from './read-chunk.ts';
import { readSegments } from './read-output.ts';

/** The text of the first choice: the only content that a prefill can continue. */
export const TEXT_SLOT = '0/content';

/** The upstream continues the sent text. What it says before its first choice is about the request, and was sent before. */
export function continuePrefill(pass: Pass, sent: string, extras: Extras): ContinuedWriter {
  const takeNew = createOverlap(sent);
  const comparison: Comparison = {
    take: (segments) => new Map(segments.map(({ slot, text }) => [slot, slot === TEXT_SLOT ? takeNew(text) : text])),
    caughtUp: () => true,
    wasSent: () => false,
  };
  const continued = continueChat(pass, comparison, new Set(), extras);
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
export function continueChat(
  pass: Pass,
  comparison: Comparison,
  finished: ReadonlySet<number>,
  sentExtras: Extras,
): ContinuedWriter {
  const extras = sentExtras.copy();
  const hasNewFinish = (event: StreamEvent) => finishesOf(event).some((index) => !finished.has(index));

  const classify: FreshRun['classify'] = (event) => {
    if (event.kind === 'held' || choicesIn(event).length > 0) return hasNewFinish(event) ? 'next' : 'open';
    return comparison.caughtUp() && extras.takeKnown() ? 'sent' : 'aside';
  };

  /** Without the finish and the extras that the client has. An extra before a text that was sent was sent, too. */
  function cutExtras(choice: JsonObject): JsonObject {
    const index = indexOf(choice);
    const isKnownFinish = finished.has(index) && isFinish(choice.finish_reason);
    const open = isKnownFinish ? { ...choice, finish_reason: null } : choice;
    return comparison.caughtUp(String(index)) ? extras.cut(open) : withoutExtras(open);
  }

  const cut: FreshRun['cut'] = (event, { value }, texts) => {
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
  };

  return continueFresh(pass, comparison, { classify, cut });
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
