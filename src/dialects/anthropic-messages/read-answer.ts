// Reads a whole message: whether it is complete, its usage and its output.

import { isObject, type JsonDocument } from '../../kit/json/json.ts';
import { checkReport, hasCounted, weighSegments } from '../counts.ts';
import { type AnswerFacts, addOutput, type Finish, NO_OUTPUT, type Output } from '../dialect.ts';
import { isFinish } from '../stream/is-finish.ts';
import { blockSegments, callOf, isThinking, outputOf, toolInputOf } from './read-output.ts';
import { readUsage } from './usage.ts';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  const { content } = value;
  if (value.type !== 'message' || !Array.isArray(content) || !isFinish(value.stop_reason)) return undefined;
  const usage = readUsage(value.usage);
  const isCounted = hasCounted(usage);
  let output: Output = NO_OUTPUT;
  for (let index = 0; index < content.length; index++) {
    const block = content[index];
    if (!isObject(block)) return undefined;
    const segments = blockSegments(block, index);
    const found = outputOf(segments, isCounted ? 0 : weighSegments(segments));
    const hasReasoning = found.hasReasoning || isThinking(block);
    output = addOutput(output, { ...found, hasReasoning, toolInput: toolInputOf(block), toolCalls: callOf(block) });
  }
  return { usage: checkReport(usage, output), output, finish: readFinish(value.stop_reason) };
}

const FINISHES: Readonly<Record<string, Finish>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop_sequence',
  end_turn: 'end',
};

export function readFinish(stopReason: string): Finish {
  return FINISHES[stopReason] ?? 'other';
}
