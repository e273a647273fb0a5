// Reads a whole Gemini answer: whether it is complete, its usage and its output.

import { isObject, type Json, type JsonDocument, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { checkReport, inputAlone, isGiven, outputOfSegments, readCount, weighSegments } from '../counts.ts';
import type { AnswerFacts, Finish, Output, ReportedUsage, Segment, UsageReport } from '../dialect.ts';
import { isFinish } from '../stream/is-finish.ts';
import { HostedCalls } from './hosted-tools.ts';

export function readAnswer({ value }: JsonDocument): AnswerFacts | undefined {
  const reason = reasonOf(value);
  if (reason === undefined) return undefined;
  const blocks = new BlockCounter();
  const candidate = candidateOf(value) ?? {};
  const calls = new HostedCalls();
  calls.add(candidate);
  const said = outputOf(partsIn(candidate).flatMap((part) => blocks.segmentsOf(part)));
  const output = { ...said, ...calls.facts() };
  const usage = readUsage(value.usageMetadata, output.hasContent);
  const gaveUp = isFailure(reason) && !output.hasContent;
  return { usage: checkReport(usage, output), output, finish: readFinish(reason), gaveUp };
}

export function candidateOf({ candidates }: JsonObject): JsonObject | undefined {
  return objectsOf(candidates).find(({ index }) => (index ?? 0) === 0);
}

/** Every answer and chunk of the vendor has one of these. */
const MEMBERS = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'responseId'];

export function isChunk(value: JsonObject): boolean {
  return !isObject(value.error) && MEMBERS.some((name) => value[name] !== undefined);
}

export function partsIn({ content }: JsonObject): JsonObject[] {
  return isObject(content) ? objectsOf(content.parts) : [];
}

/** Google's libraries drop a turn from their history if one of its chunks has no part. */
export const EMPTY_PART = { text: '' };

export function isEmpty(part: JsonObject): boolean {
  return part.text === '' && Object.keys(part).length === 1;
}

/** Undefined if it has not ended. A blocked prompt has ended before it began. */
export function reasonOf(value: JsonObject): string | undefined {
  const reason = candidateOf(value)?.finishReason;
  if (isFinish(reason)) return reason;
  const { promptFeedback: feedback } = value;
  return isObject(feedback) && isFinish(feedback.blockReason) ? feedback.blockReason : undefined;
}

/** The model failed: without output before, this is not an answer. */
const FAILED: ReadonlySet<string> = new Set([
  ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'],
  ...['MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE', 'OTHER'],
]);

export function isFailure(reason: string): boolean {
  return FAILED.has(reason);
}

/** There is no separate reason for a stop sequence of the client. */
export function readFinish(reason: string): Finish {
  if (reason === 'MAX_TOKENS') return 'length';
  return reason === 'STOP' ? 'end' : 'other';
}

/** Numbers the blocks of an answer: parts of the same kind that follow each other are one block. */
export class BlockCounter {
  #index = -1;
  #kind: string | undefined;

  segmentsOf(part: JsonObject): Segment[] {
    const { functionCall: call, inlineData, executableCode, text } = part;
    if (isObject(call)) {
      const slot = this.#next('call', true);
      return [
        { slot: `${slot}/name`, text: textOf(call.name) },
        { slot: `${slot}/arguments`, text: JSON.stringify(call.args ?? {}) },
      ];
    }
    if (isObject(inlineData)) return [{ slot: `${this.#next('media', true)}/media`, text: '' }];
    if (isObject(executableCode))
      return [{ slot: `${this.#next('code', true)}/code`, text: textOf(executableCode.code) }];
    if (typeof text !== 'string' || text === '') return [];
    const kind = part.thought === true ? THOUGHT : 'text';
    return [{ slot: `${this.#next(kind, false)}/${kind}`, text }];
  }

  /** Slots begin with the answer they belong to. */
  #next(kind: string, isAlone: boolean): string {
    if (isAlone || kind !== this.#kind) this.#index++;
    this.#kind = isAlone ? undefined : kind;
    return `0/${this.#index}`;
  }
}

/** The text of an answer that is text alone: what a prefill can continue. */
export const TEXT_SLOT = '0/0/text';
const THOUGHT = 'thought';

export function outputOf(segments: readonly Segment[]): Output {
  return outputOfSegments(segments, ({ slot }) => slot.endsWith(`/${THOUGHT}`), weighSegments(segments));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * The usage as disjoint buckets. Cached tokens are inside the prompt, tool results and thoughts are counted beside. The vendor
 * omits counts of zero, so an absent count may be zero or unknown; an explicit zero is zero. `hasContent`: the answer has text or
 * calls. A report without their count has only the input and the thoughts.
 */
export function readUsage(usage: Json | undefined, hasContent: boolean): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  if (!isObject(usage)) return 'invalid';
  const prompt = readCount(usage.promptTokenCount ?? 0);
  const toolUse = readCount(usage.toolUsePromptTokenCount ?? 0);
  const cached = readCount(usage.cachedContentTokenCount ?? 0);
  const thoughts = readCount(usage.thoughtsTokenCount ?? 0);
  if (prompt === undefined || toolUse === undefined || cached === undefined || thoughts === undefined) return 'invalid';
  const candidates = readCount(
    usage.candidatesTokenCount ?? restOf(usage.totalTokenCount, prompt + toolUse + thoughts),
  );
  if (candidates === undefined || cached > prompt + toolUse) return 'invalid';
  const hasInput = isGiven(usage.promptTokenCount) || isGiven(usage.toolUsePromptTokenCount);
  const hasOutput = isGiven(usage.candidatesTokenCount) || candidates > 0 || !hasContent;
  if (!hasInput) return 'absent';
  const input = { ...NO_BUCKETS, input: prompt + toolUse - cached, cachedInput: cached };
  if (!hasOutput) return inputAlone(input, thoughts);
  return { buckets: { ...input, output: candidates + thoughts }, reasoning: thoughts };
}

/** The answer's part of the total, where the vendor forgot to count it. */
function restOf(total: Json | undefined, counted: number): number {
  return Math.max(0, (readCount(total ?? 0) ?? 0) - counted);
}

export function writeUsage({ buckets, reasoning }: ReportedUsage): JsonObject {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output } = buckets;
  const prompt = input + cachedInput + cacheWrite5m + cacheWrite1h;
  return {
    promptTokenCount: prompt,
    ...(cachedInput > 0 ? { cachedContentTokenCount: cachedInput } : {}),
    candidatesTokenCount: output - reasoning,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: prompt + output,
  };
}
