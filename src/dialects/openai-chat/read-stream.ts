// A chat stream event by event. It says of each event what it is and what it carries, and keeps the few facts the bill
// needs; text itself is never kept.

import { isObject, type JsonDocument, JsonRefused, readJsonObject } from '../../kit/json.ts';
import type { Quirks } from '../../kit/quirks.ts';
import { type AnswerFacts, addOutput, NO_OUTPUT, type Piece, type StreamEvent, type StreamReader } from '../dialect.ts';
import { outputOf, readPieces } from './read-output.ts';
import { readUsage } from './read-usage.ts';

const DONE = '[DONE]';
const NOTHING = { name: undefined, document: undefined, pieces: [] };
const BROKEN: StreamEvent = { kind: 'broken', ...NOTHING };

/** `choices`: how many answers were asked for; fewer count as finished only once the upstream says it is done. */
export function createStreamReader(choices: number, quirks?: Quirks): StreamReader {
  const facts: AnswerFacts = { usage: 'absent', output: NO_OUTPUT, finish: 'other' };
  const begun = new Set<number>();
  const finished = new Set<number>();
  let done = false;
  const seenAreFinished = () => finished.size > 0 && finished.size === begun.size;

  function readChunk(document: JsonDocument): StreamEvent {
    const { choices: chosen, usage } = document.value;
    if (usage !== undefined && usage !== null) facts.usage = readUsage(usage, quirks);
    let output = NO_OUTPUT;
    const pieces: Piece[] = [];
    for (const choice of Array.isArray(chosen) ? chosen : []) {
      if (!isObject(choice)) continue;
      if (choice.finish_reason === 'error') return BROKEN;
      const index = typeof choice.index === 'number' ? choice.index : 0;
      begun.add(index);
      if (typeof choice.finish_reason === 'string') {
        if (choice.finish_reason === 'length') facts.finish = 'length';
        finished.add(index);
      }
      const own = readPieces(choice.delta, index);
      pieces.push(...own);
      output = addOutput(output, outputOf(choice.delta, own));
    }
    facts.output = addOutput(facts.output, output);
    const isHeld = isObject(usage) && seenAreFinished();
    const kind = isHeld ? 'held' : output.hasContent || output.hasReasoning ? 'output' : 'other';
    return { kind, name: undefined, document, pieces };
  }

  return {
    read({ data = '' }) {
      if (data === DONE) {
        done = true;
        return [{ kind: 'done', ...NOTHING }];
      }
      try {
        const document = readJsonObject(data);
        return [isObject(document.value.error) ? BROKEN : readChunk(document)];
      } catch (error) {
        if (error instanceof JsonRefused) return [BROKEN];
        throw error;
      }
    },
    end: () => [],
    facts: () => ({ ...facts, finished: seenAreFinished() && (done || finished.size >= choices) }),
  };
}
