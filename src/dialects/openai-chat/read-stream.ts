// A chat stream event by event. It says of each event what it is and what it carries, and keeps the few facts the bill
// needs; text itself is never kept.

import {
  ANSWER_LIMITS,
  isObject,
  type JsonDocument,
  type JsonObject,
  JsonRefused,
  readJsonObject,
} from '../../kit/json/json.ts';
import type { Quirks } from '../../kit/quirks.ts';
import { weighTokens } from '../../kit/tokens.ts';
import { type AnswerFacts, addOutput, NO_OUTPUT, type Piece, type StreamEvent, type StreamReader } from '../dialect.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import { isFinish } from '../stream/is-finish.ts';
import { RepeatedEvent } from '../stream/repeated-event.ts';
import { createShapeMemory, type Repeat } from '../stream/shape.ts';
import { isKeepAlive } from '../stream/sse.ts';
import { hasNoChoice, isBroken, isError, isErrorEvent, isForeign, isNoise, isUnshown, saidAs } from './read-chunk.ts';
import { outputOf, readPieces } from './read-output.ts';
import { betterUsage, readUsage } from './read-usage.ts';

const DONE_MARK = '[DONE]';

/** `choices`: how many answers were asked for; fewer count as finished only once the upstream says it is done. */
export function createStreamReader(choices: number, quirks?: Quirks): StreamReader {
  const facts: AnswerFacts = { usage: 'absent', output: NO_OUTPUT, finish: 'other' };
  const shapes = createShapeMemory(saysOnly);
  const begun = new Set<number>();
  const finished = new Set<number>();
  /** The last usage that came by itself before the end: there it is told. */
  let early: StreamEvent | undefined;
  /** The usage of the last chunk leaves out what was told before. */
  let tellsLess = false;
  let done = false;
  const seenAreFinished = () => finished.size > 0 && finished.size === begun.size;
  const isFinished = () => seenAreFinished() && (done || finished.size >= choices);

  function readChunk(document: JsonDocument): StreamEvent {
    const { usage } = document.value;
    const told = readUsage(usage, quirks);
    facts.usage = betterUsage(facts.usage, told);
    tellsLess = facts.usage !== told;
    let output = NO_OUTPUT;
    const pieces: Piece[] = [];
    for (const { choice, index } of chosenIn(document)) {
      if (isBroken(choice)) return BROKEN;
      begun.add(index);
      if (isFinish(choice.finish_reason)) {
        if (choice.finish_reason === 'length') facts.finish = 'length';
        finished.add(index);
      }
      const own = readPieces(choice[saidAs(choice)], index);
      pieces.push(...own);
      output = addOutput(output, outputOf(own));
    }
    facts.output = addOutput(facts.output, output);
    const isHeld = isObject(usage) && (seenAreFinished() || hasNoChoice(document.value));
    const kind = isHeld ? 'held' : output.hasContent || output.hasReasoning ? 'output' : 'other';
    return { kind, name: undefined, document, pieces };
  }

  function inTurn(event: StreamEvent): StreamEvent[] {
    if (!seenAreFinished()) {
      if (event.kind !== 'held') return [event];
      if (!early || !tellsLess) early = event;
      return [];
    }
    if (!early) return [event];
    const events = event.kind !== 'held' ? [event, early] : [tellsLess ? early : event];
    early = undefined;
    return events;
  }

  function again(data: string, repeat: Repeat): StreamEvent {
    facts.output.tokens += weighTokens(repeat.text);
    return new RepeatedEvent(undefined, data, repeat);
  }

  function learn({ kind, document, pieces }: StreamEvent): void {
    const [piece] = pieces;
    if (kind !== 'output' || !document || !piece || pieces.length > 1 || !mayRepeat(document)) return;
    shapes.learn(document.text, piece.text, piece.slot);
  }

  return {
    read(sent) {
      const { data = '', event: name } = sent;
      if (isErrorEvent(sent)) return [BROKEN];
      const repeat = shapes.match(data);
      if (repeat) return [again(data, repeat)];
      if (data === DONE_MARK) {
        done = true;
        return [DONE];
      }
      if (isNoise(data)) return [];
      try {
        const document = readJsonObject(data, ANSWER_LIMITS);
        if (isError(document.value)) return [BROKEN];
        if (isForeign(document.value)) {
          const isHidden = isKeepAlive(name) || isKeepAlive(document.value.type) || isUnshown(document.value);
          return isHidden ? [] : [foreign(name, document)];
        }
        const event = readChunk(document);
        learn(event);
        return inTurn(event);
      } catch (error) {
        if (error instanceof JsonRefused) return [BROKEN];
        throw error;
      }
    },
    end: () => [],
    again(tokens) {
      shapes.matched();
      facts.output.tokens += tokens;
    },
    facts: () => ({ ...facts, output: { ...facts.output }, finished: isFinished() }),
    isFinished,
  };
}

function foreign(name: string | undefined, document: JsonDocument): StreamEvent {
  return { kind: 'other', name, document, pieces: [] };
}

interface Chosen {
  index: number;
  choice: JsonObject;
}

function chosenIn({ value }: JsonDocument): Chosen[] {
  const choices = Array.isArray(value.choices) ? value.choices.filter(isObject) : [];
  return choices.map((choice) => ({ index: typeof choice.index === 'number' ? choice.index : 0, choice }));
}

/** Tells nothing but its text. */
function mayRepeat(document: JsonDocument): boolean {
  const { usage } = document.value;
  const isOpen = ({ choice }: Chosen) => !isFinish(choice.finish_reason);
  return (usage === undefined || usage === null) && chosenIn(document).every(isOpen);
}

function saysOnly(data: string, text: string, slot: string): boolean {
  const pieces = chosenIn(readJsonObject(data, ANSWER_LIMITS)).flatMap(({ choice, index }) =>
    readPieces(choice[saidAs(choice)], index),
  );
  return pieces.length === 1 && pieces[0]?.slot === slot && pieces[0].text === text;
}
