// Reads a whole response: whether it is complete, how it ended, its usage and its output.

import { isObject, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { addCalls, type ToolCalls } from '../../kit/prices.ts';
import { checkReport, hasCounted, weighSegments } from '../counts.ts';
import { type AnswerFacts, NO_OUTPUT, type Output } from '../dialect.ts';
import { callOf, listOf, outputOf, readItem } from './read-output.ts';
import { readUsage } from './usage.ts';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  if (!Array.isArray(value.output) || !isEnded(value)) return undefined;
  const usage = readUsage(value.usage, value.service_tier);
  const output = outputOfResponse(value, hasCounted(usage));
  return { usage: checkReport(usage, output), output, finish: readFinish(value) };
}

/** An answer without a status is complete. */
export function isEnded({ status, error }: JsonObject): boolean {
  const isFine = status === undefined || status === null || status === 'completed' || status === 'incomplete';
  return isFine && !isObject(error);
}

/** Events that replace the end of a failed response. */
export const FAILURES: ReadonlySet<unknown> = new Set(['response.failed', 'response.cancelled', 'error']);

export function readFinish({ incomplete_details: details }: JsonObject): AnswerFacts['finish'] {
  return isObject(details) && details.reason === 'max_output_tokens' ? 'length' : 'other';
}

export function outputOfResponse({ output }: JsonObject, isCounted = false): Output {
  const items = listOf(output).filter(isObject);
  if (items.length === 0) return NO_OUTPUT;
  const segments = items.flatMap(readItem);
  const found = { ...outputOf(segments, isCounted ? 0 : weighSegments(segments)), toolCalls: callsIn(items) };
  return items.some(isReasoning) ? { ...found, hasReasoning: true } : found;
}

function callsIn(items: readonly JsonObject[]): ToolCalls | undefined {
  return items.reduce<ToolCalls | undefined>((calls, item) => addCalls(calls, callOf(item)), undefined);
}

/** It counts as output, though most reasoning is not shown. */
export function isReasoning({ type }: JsonObject): boolean {
  return type === 'reasoning';
}
