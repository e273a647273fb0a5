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
  finished: boolean;
}

export interface StreamReader {
  read(data: string): StreamEvent;
  facts(): StreamFacts;
}

const DONE = '[DONE]';

export function createStreamReader(): StreamReader {
  const facts: StreamFacts = { usage: 'absent', output: NO_OUTPUT, finish: '', finished: false };

  function readChunk(document: JsonDocument): StreamEvent {
    const { choices, usage } = document.value;
    if (usage !== undefined && usage !== null) facts.usage = readUsage(usage);
    let output = NO_OUTPUT;
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice)) continue;
      if (choice.finish_reason === 'error') return { kind: 'broken', why: 'error_event' };
      if (typeof choice.finish_reason === 'string') {
        facts.finish = choice.finish_reason;
        facts.finished = true;
      }
      output = addOutput(output, readOutput(choice.delta));
    }
    facts.output = addOutput(facts.output, output);
    if (isObject(usage) && facts.finished) return { kind: 'usage', document };
    return { kind: output.hasContent || output.hasReasoning ? 'output' : 'other', document };
  }

  return {
    read(data) {
      if (data === DONE) return { kind: 'done' };
      try {
        const document = readJsonObject(data);
        return isObject(document.value.error) ? { kind: 'broken', why: 'error_event' } : readChunk(document);
      } catch (error) {
        if (error instanceof JsonRefused) return { kind: 'broken', why: 'malformed_event' };
        throw error;
      }
    },
    facts: () => facts,
  };
}
