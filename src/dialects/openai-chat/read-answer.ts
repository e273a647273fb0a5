// A whole chat answer: is it one, what did it say it used, and does it hold any output.

import { isObject, type JsonDocument } from '../../kit/json.ts';
import { addOutput, NO_OUTPUT, type Output, readOutput } from './read-output.ts';
import { type ReportedUsage, readUsage } from './read-usage.ts';

export interface AnswerFacts {
  usage: ReportedUsage | 'absent' | 'invalid';
  output: Output;
  finish: string;
}

/** Undefined if it is no chat completion, or one that never finished. */
export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  if (!Array.isArray(value.choices) || value.choices.length === 0) return undefined;
  let output: Output = NO_OUTPUT;
  let finish: string | undefined;
  for (const choice of value.choices) {
    if (!isObject(choice) || !isObject(choice.message)) return undefined;
    if (typeof choice.finish_reason === 'string') finish = choice.finish_reason;
    output = addOutput(output, readOutput(choice.message));
  }
  if (finish === undefined || finish === 'error') return undefined;
  return { usage: readUsage(value.usage), output, finish };
}
