// Reads a whole Gemini answer: whether it is complete, its usage and its output.

import type { JsonDocument } from '../../kit/json/json.ts';
import { checkReport } from '../counts.ts';
import type { AnswerFacts } from '../dialect.ts';
import { HostedCalls } from './hosted-tools.ts';
import { BlockCounter, candidateOf, isFailure, outputOf, partsOf, readFinish, reasonOf } from './read-candidate.ts';
import { readUsage } from './read-usage.ts';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  const reason = reasonOf(value);
  if (reason === undefined) return undefined;
  const blocks = new BlockCounter();
  const candidate = candidateOf(value) ?? {};
  const calls = new HostedCalls();
  calls.add(candidate);
  const said = outputOf(partsOf(candidate).flatMap((part) => blocks.segmentsOf(part)));
  const output = { ...said, ...calls.facts() };
  const usage = readUsage(value.usageMetadata, output.hasContent);
  const gaveUp = isFailure(reason) && !output.hasContent;
  return { usage: checkReport(usage, output), output, finish: readFinish(reason), gaveUp };
}
