// A message stream event by event. It says of each event what it is and what it carries, and keeps the few facts the bill
// needs; text itself is never kept.

import { isObject, type JsonDocument, JsonRefused, readJsonObject } from '../../kit/json.ts';
import { type AnswerFacts, addOutput, NO_OUTPUT, type Piece, type StreamEvent, type StreamReader } from '../dialect.ts';
import { readFinish } from './read-answer.ts';
import { blockPieces, deltaPieces, outputOf } from './read-output.ts';
import { createUsageTracker } from './usage.ts';

const BROKEN: StreamEvent = { kind: 'broken', name: undefined, document: undefined, pieces: [] };

export function createStreamReader(): StreamReader {
  const facts: Omit<AnswerFacts, 'usage'> = { output: NO_OUTPUT, finish: 'other' };
  const usage = createUsageTracker();
  let finished = false;

  function content(name: string, document: JsonDocument, pieces: readonly Piece[]): StreamEvent {
    const output = outputOf(pieces);
    facts.output = addOutput(facts.output, output);
    return { kind: output.hasContent || output.hasReasoning ? 'output' : 'other', name, document, pieces };
  }

  function readEvent(document: JsonDocument): StreamEvent {
    const { type, message, content_block: block, delta } = document.value;
    const name = String(type);
    const index = typeof document.value.index === 'number' ? document.value.index : 0;
    switch (type) {
      case 'message_start':
        usage.start(isObject(message) ? message.usage : undefined);
        return { kind: 'other', name, document, pieces: [] };
      case 'content_block_start':
        return content(name, document, isObject(block) ? blockPieces(block, index) : []);
      case 'content_block_delta':
        return content(name, document, isObject(delta) ? deltaPieces(delta, index) : []);
      case 'message_delta':
        usage.update(document.value.usage);
        if (isObject(delta) && typeof delta.stop_reason === 'string') {
          finished = true;
          facts.finish = readFinish(delta.stop_reason);
        }
        return { kind: 'held', name, document, pieces: [] };
      case 'message_stop':
        return { kind: 'done', name, document, pieces: [] };
      case 'error':
        return BROKEN;
      default:
        return { kind: 'other', name, document, pieces: [] };
    }
  }

  return {
    read({ data = '' }) {
      try {
        const document = readJsonObject(data);
        return [typeof document.value.type === 'string' ? readEvent(document) : BROKEN];
      } catch (error) {
        if (error instanceof JsonRefused) return [BROKEN];
        throw error;
      }
    },
    end: () => [],
    facts: () => ({
      ...facts,
      usage: usage.report(finished),
      finished,
    }),
  };
}
