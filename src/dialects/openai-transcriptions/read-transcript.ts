// Reads a transcript and its usage: tokens or seconds as the upstream reports them, or else by our own count.

import { isObject, type Json, type JsonObject, objectsOf } from '../../kit/json/json.ts';
import { weighTokens, wholeTokens } from '../../kit/tokens.ts';
import { type Buckets, NO_BUCKETS } from '../../store/rows.ts';
import { isFigure, mostReported, readCount } from '../counts.ts';
import { type AnswerFacts, NO_OUTPUT, type Output, type RelayRequest, type ReportedUsage } from '../dialect.ts';
import { wantsSubtitles } from './read-request.ts';

export function readAnswer({ value }: { value: JsonObject }, request?: RelayRequest): AnswerFacts | undefined {
  if (typeof value.text !== 'string') return undefined;
  const isSubtitled = request !== undefined && wantsSubtitles(request.document.value);
  // The subtitles would be empty: another channel may send segments.
  const gaveUp = isSubtitled && value.text !== '' && !hasSegments(value);
  const output = outputOf(value.text !== '', weighTokens(value.text));
  return { usage: usageOf(value, output, request), output, finish: 'other', gaveUp };
}

function hasSegments({ segments }: JsonObject): boolean {
  return objectsOf(segments).some(({ text }) => typeof text === 'string' && text.trim() !== '');
}

export function outputOf(hasContent: boolean, tokens: number): Output {
  return { ...NO_OUTPUT, hasContent, tokens };
}

/** Usage in an answer or in the event that ends a stream. */
export function usageOf(
  { usage, duration }: JsonObject,
  { tokens }: Output,
  request: Pick<RelayRequest, 'seconds' | 'likelySeconds' | 'input'> | undefined,
): ReportedUsage {
  const reported = isObject(usage) ? usage : {};
  const read = readTokens(reported);
  const most = mostReported(request?.seconds);
  const seconds = readSeconds(reported.seconds, most) ?? readSeconds(duration, most);
  const figures = [reported.seconds, duration];
  const isImplausible = seconds === undefined && figures.some(isFigure);
  // More than the bound: it may be true of a file whose length is not known, so the bound is billed.
  const { seconds: bound = 0, likelySeconds: likely = bound } = request ?? {};
  const isTooLong = isImplausible && bound > likely + 1 && figures.some((figure) => Number(figure) > most);
  const counted: (keyof Buckets)[] = [];
  if (!read) counted.push('input', 'output');
  if (seconds === undefined) counted.push('seconds');
  const buckets = {
    ...NO_BUCKETS,
    ...(read ?? { input: request?.input.estimate ?? 0, output: wholeTokens(tokens) }),
    seconds: seconds ?? (isTooLong ? bound : likely),
  };
  return {
    buckets,
    reasoning: 0,
    ...(counted.length > 0 ? { counted } : {}),
    ...(isImplausible ? { isImplausible } : {}),
  };
}

/** Zeros mean that nothing was counted. */
function readTokens({ input_tokens, output_tokens }: JsonObject): Pick<Buckets, 'input' | 'output'> | undefined {
  const [input, output] = [readCount(input_tokens), readCount(output_tokens)];
  return input !== undefined && output !== undefined && input + output > 0 ? { input, output } : undefined;
}

/** Begun seconds count as whole ones. Some upstreams write the length as text. */
function readSeconds(value: Json | undefined, most: number): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,7}(\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 && seconds <= most ? Math.ceil(seconds) : undefined;
}
