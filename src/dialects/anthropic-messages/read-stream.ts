// A message stream event by event. It says of each event what it is and what it carries, and keeps the few facts the bill
// needs; text itself is never kept.

import { ANSWER_LIMITS, isObject, type JsonDocument, JsonRefused, readJsonObject } from '../../kit/json/json.ts';
import { weighTokens } from '../../kit/tokens.ts';
import { type AnswerFacts, addOutput, NO_OUTPUT, type Piece, type StreamEvent, type StreamReader } from '../dialect.ts';
import { BROKEN } from '../stream/bare-events.ts';
import { isFinish } from '../stream/is-finish.ts';
import { RepeatedEvent } from '../stream/repeated-event.ts';
import { type Repeat, ShapeMemory } from '../stream/shape.ts';
import { readFinish } from './read-answer.ts';
import { blockPieces, deltaPieces, isThinking, outputOf } from './read-output.ts';
import { createUsageTracker } from './usage.ts';

const DELTA = 'content_block_delta';

export function createStreamReader(): StreamReader {
  const facts: Omit<AnswerFacts, 'usage'> = { output: NO_OUTPUT, finish: 'other' };
  const usage = createUsageTracker();
  const shapes = new ShapeMemory(saysOnly);
  let finished = false;

  function content(name: string, document: JsonDocument, pieces: readonly Piece[]): StreamEvent {
    const output = outputOf(pieces);
    facts.output = addOutput(facts.output, output);
    return { kind: output.hasContent || output.hasReasoning ? 'output' : 'other', name, document, pieces };
  }

  /** Undefined if it has nothing to tell yet. */
  function readEvent(document: JsonDocument): StreamEvent | undefined {
    const { type, message, content_block: block, delta } = document.value;
    const name = String(type);
    const index = typeof document.value.index === 'number' ? document.value.index : 0;
    switch (type) {
      case 'message_start':
        usage.start(isObject(message) ? message.usage : undefined);
        return { kind: 'other', name, document, pieces: [] };
      case 'content_block_start':
        if (isObject(block) && isThinking(block)) facts.output = { ...facts.output, hasReasoning: true };
        return content(name, document, isObject(block) ? blockPieces(block, index) : []);
      case DELTA:
        return content(name, document, isObject(delta) ? deltaPieces(delta, index) : []);
      case 'message_delta':
        usage.update(document.value.usage);
        if (isObject(delta) && isFinish(delta.stop_reason)) {
          finished = true;
          facts.finish = readFinish(delta.stop_reason);
        }
        // Before the end it only counts.
        return finished ? { kind: 'held', name, document, pieces: [] } : undefined;
      case 'message_stop':
        return { kind: 'done', name, document, pieces: [] };
      case 'error':
        return BROKEN;
      default:
        return { kind: 'other', name, document, pieces: [] };
    }
  }

  function again(data: string, repeat: Repeat): StreamEvent {
    facts.output.tokens += weighTokens(repeat.text);
    return new RepeatedEvent(DELTA, data, repeat);
  }

  function learn({ kind, name, document, pieces }: StreamEvent): void {
    const [piece] = pieces;
    if (name !== DELTA || kind !== 'output' || !document || !piece) return;
    shapes.learn(document.text, piece.text, piece.slot);
  }

  return {
    read({ data = '' }) {
      const repeat = shapes.match(data);
      if (repeat) return [again(data, repeat)];
      try {
        const document = readJsonObject(data, ANSWER_LIMITS);
        if (typeof document.value.type !== 'string') return [BROKEN];
        const event = readEvent(document);
        if (!event) return [];
        learn(event);
        return [event];
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
    facts: () => ({
      ...facts,
      output: { ...facts.output },
      usage: usage.report(finished),
      finished,
    }),
    isFinished: () => finished,
  };
}

function saysOnly(data: string, text: string, slot: string): boolean {
  const { type, delta, index } = readJsonObject(data, ANSWER_LIMITS).value;
  const at = typeof index === 'number' ? index : 0;
  const [piece] = isObject(delta) && type === DELTA ? deltaPieces(delta, at) : [];
  return piece?.slot === slot && piece.text === text;
}
