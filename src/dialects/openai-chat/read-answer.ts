// Reads a whole chat answer: whether it is complete, its usage and its output.

import { isObject, type JsonDocument } from '../../kit/json/json.ts';
import { checkReport, hasCounted, weighSegments } from '../counts.ts';
import { type AnswerFacts, addOutput, NO_OUTPUT, type Output } from '../dialect.ts';
import { isFinish } from '../stream/is-finish.ts';
import { hasLogprobs, isBroken, isError, laterFinish, readFinish } from './read-chunk.ts';
import { ONE_SEARCH, outputOf, readSegments, searchedInput, weighMedia } from './read-output.ts';
import { readUsage } from './usage.ts';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  const { choices } = value;
  if (isError(value) || !Array.isArray(choices) || choices.length === 0) return undefined;
  const usage = readUsage(value.usage, value.service_tier);
  const isCounted = hasCounted(usage);
  let output: Output = NO_OUTPUT;
  let finish: AnswerFacts['finish'] = 'other';
  for (let index = 0; index < choices.length; index++) {
    const choice = choices[index];
    if (!isObject(choice) || !isObject(choice.message)) return undefined;
    if (!isFinish(choice.finish_reason) || isBroken(choice)) return undefined;
    finish = laterFinish(finish, readFinish(choice));
    const segments = readSegments(choice.message, index);
    const said = outputOf(segments, isCounted ? 0 : weighSegments(segments));
    if (hasLogprobs(choice)) said.hasContent = true;
    said.mediaTokens = weighMedia(choice.message);
    output = index === 0 ? said : addOutput(output, said);
    output.toolInput ||= searchedInput(choice.message);
  }
  if (output.toolInput) output = { ...output, toolCalls: ONE_SEARCH };
  return { usage: checkReport(usage, output), output, finish };
}
