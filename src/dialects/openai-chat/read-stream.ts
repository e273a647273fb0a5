// A chat stream event by event. It says of each event what it is, and keeps the few facts the bill needs; text itself is
// never kept.

import { isObject, type JsonDocument, JsonRefused, readJsonObject } from '../../kit/json.ts';
import type { AnswerFacts } from './read-answer.ts';
import { addOutput, NO_OUTPUT, readOutput } from './read-output.ts';
import { readUsage } from './read-usage.ts';

export type StreamEvent =
  /** Carries text, reasoning or a tool call: from here on the answer has begun. */
  | { kind: 'output'; document: JsonDocument }
  /** A role, a finish, padding: passed on, but no beginning. */
  | { kind: 'other'; document: JsonDocument }
  /** Usage after the finish: waits for the bill. */
  | { kind: 'usage'; document: JsonDocument }
  | { kind: 'done' }
  | { kind: 'broken'; why: 'malformed_event' | 'error_event' };

export interface StreamFacts extends AnswerFacts {
  /** Every choice has finished; fewer than were asked for count only once the upstream says it is done. */
  finished: boolean;
}

export interface StreamReader {
  read(data: string): StreamEvent;
  facts(): StreamFacts;
}

const DONE = '[DONE]';

/** `choices`: how many answers were asked for. */
export function createStreamReader(choices: number): StreamReader {
  const facts: AnswerFacts = { usage: 'absent', output: NO_OUTPUT, finish: '' };
  const begun = new Set<number>();
  const finished = new Set<number>();
  let done = false;
  const seenAreFinished = () => finished.size > 0 && finished.size === begun.size;

  function readChunk(document: JsonDocument): StreamEvent {
    const { choices: chosen, usage } = document.value;
    if (usage !== undefined && usage !== null) facts.usage = readUsage(usage);
    let output = NO_OUTPUT;
    for (const choice of Array.isArray(chosen) ? chosen : []) {
      if (!isObject(choice)) continue;
      if (choice.finish_reason === 'error') return { kind: 'broken', why: 'error_event' };
      const index = typeof choice.index === 'number' ? choice.index : 0;
      begun.add(index);
      if (typeof choice.finish_reason === 'string') {
        facts.finish = choice.finish_reason;
        finished.add(index);
      }
      output = addOutput(output, readOutput(choice.delta));
    }
    facts.output = addOutput(facts.output, output);
    if (isObject(usage) && seenAreFinished()) return { kind: 'usage', document };
    return { kind: output.hasContent || output.hasReasoning ? 'output' : 'other', document };
  }

  return {
    read(data) {
      if (data === DONE) {
        done = true;
        return { kind: 'done' };
      }
      try {
        const document = readJsonObject(data);
        return isObject(document.value.error) ? { kind: 'broken', why: 'error_event' } : readChunk(document);
      } catch (error) {
        if (error instanceof JsonRefused) return { kind: 'broken', why: 'malformed_event' };
        throw error;
      }
    },
    facts: () => ({ ...facts, finished: seenAreFinished() && (done || finished.size >= choices) }),
  };
}
