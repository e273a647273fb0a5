// Converts Anthropic's usage to disjoint buckets and back. Anthropic counts cached tokens beside the input, and thinking
// inside the output. In a stream the figures are cumulative and come in two parts; the last value of each counts. If the
// vendor ran the model several times for one answer, `iterations` includes work that the top-level figures leave out, such
// as a compaction.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { type Buckets, NO_BUCKETS } from '../../store/rows.ts';
import { inputAlone, isGiven, isZero, readCount, readDetail, reportedCalls } from '../counts.ts';
import type { ReportedUsage, UsageReport } from '../dialect.ts';

export function readUsage(usage: Json | undefined): UsageReport {
  if (usage === undefined || usage === null) return 'absent';
  if (isObject(usage) && !isGiven(usage.output_tokens)) return readInput(usage);
  const figures = readFigures(usage);
  if (!figures || !isObject(usage)) return 'invalid';
  const answer = withTerms(figures, usage);
  if (!Array.isArray(usage.iterations)) return answer;
  const all = addFigures(usage.iterations.map(readFigures));
  if (!all) return 'invalid';
  if (countTokens(all.buckets) <= countTokens(answer.buckets)) return answer;
  return { ...answer, ...all, reasoning: Math.max(all.reasoning, Math.min(answer.reasoning, all.buckets.output)) };
}

/** The report with everything else that decides the price. */
function withTerms(report: ReportedUsage, usage: JsonObject): ReportedUsage {
  if (typeof usage.service_tier === 'string') report.serviceTier = usage.service_tier;
  const calls = reportedCalls(usage);
  if (calls) report.toolCalls = calls;
  return report;
}

/** Undefined if a figure is impossible. */
function readFigures(usage: Json): ReportedUsage | undefined {
  if (!isObject(usage)) return undefined;
  const input = readCount(usage.input_tokens);
  const output = readCount(usage.output_tokens);
  const cached = readCount(usage.cache_read_input_tokens ?? 0);
  const written = readCount(usage.cache_creation_input_tokens ?? 0);
  const hour = readDetail(usage.cache_creation, 'ephemeral_1h_input_tokens');
  const reasoning = readDetail(usage.output_tokens_details, 'thinking_tokens');
  if (input === undefined || output === undefined || cached === undefined) return undefined;
  if (written === undefined || hour === undefined || reasoning === undefined) return undefined;
  if (hour > written || reasoning > output) return undefined;
  return {
    buckets: { ...NO_BUCKETS, input, cachedInput: cached, cacheWrite5m: written - hour, cacheWrite1h: hour, output },
    reasoning,
  };
}

/** Usage of the turns of a paused answer. */
export interface UsedTurns {
  total: ReportedUsage;
  /** The last of them. */
  last: ReportedUsage;
}

/** Adds a turn. If its report is missing or impossible, its input is taken from the turn before. */
export function addTurn({ total, last }: UsedTurns, report: UsageReport): UsageReport {
  const isTrusted = typeof report === 'object' && !isZero(report.buckets);
  const sum = addFigures([total, isTrusted ? report : sameInput(last)]);
  if (!sum) return 'invalid';
  const all = { ...sum, serviceTier: (isTrusted ? report : last).serviceTier };
  if (isTrusted && !report.lacksOutput) return all;
  return { ...all, lacksOutput: true, isImplausible: report === 'invalid' };
}

/** Read from the cache, as far as the turn before has read or written it. */
function sameInput({ buckets }: ReportedUsage): ReportedUsage {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h } = buckets;
  return { buckets: { ...NO_BUCKETS, input, cachedInput: cachedInput + cacheWrite5m + cacheWrite1h }, reasoning: 0 };
}

function addFigures(iterations: readonly (ReportedUsage | undefined)[]): ReportedUsage | undefined {
  const buckets = { ...NO_BUCKETS };
  let reasoning = 0;
  for (const one of iterations) {
    if (!one) return undefined;
    for (const name of COUNTED) buckets[name] += one.buckets[name];
    reasoning += one.reasoning;
  }
  return readCount(countTokens(buckets)) === undefined ? undefined : { buckets, reasoning };
}

const COUNTED = ['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'output'] as const;

function countTokens(buckets: Buckets): number {
  return COUNTED.reduce((sum, name) => sum + buckets[name], 0);
}

/** The parts of a stream's usage, merged in order; null has no meaning. */
export function mergeUsage(before: JsonObject, usage: Json | undefined): JsonObject {
  if (!isObject(usage)) return before;
  const given = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(given) };
}

export function writeUsage({ buckets, reasoning }: ReportedUsage): JsonObject {
  return {
    input_tokens: buckets.input,
    cache_read_input_tokens: buckets.cachedInput,
    cache_creation_input_tokens: buckets.cacheWrite5m + buckets.cacheWrite1h,
    cache_creation: {
      ephemeral_5m_input_tokens: buckets.cacheWrite5m,
      ephemeral_1h_input_tokens: buckets.cacheWrite1h,
    },
    output_tokens: buckets.output,
    output_tokens_details: { thinking_tokens: reasoning },
  };
}

/** The usage of a stream, from its events. */
export class UsageTracker {
  #merged: JsonObject = {};
  #hasOutputCount = false;

  /** The output count of the start is only a beginning. */
  start(usage: Json | undefined): void {
    this.#merged = mergeUsage(this.#merged, usage);
  }

  update(usage: Json | undefined): void {
    this.start(usage);
    this.#hasOutputCount ||= isObject(usage) && isGiven(usage.output_tokens);
  }

  /** `isFinished`: the answer is complete, so its output count must have come. */
  report(isFinished: boolean): UsageReport {
    if (Object.keys(this.#merged).length === 0) return 'absent';
    if (!isFinished || this.#hasOutputCount) return readUsage(this.#merged);
    const input = readInput(this.#merged);
    return input === 'invalid' ? 'absent' : input;
  }
}

/** For a stream whose end has no usage, or an answer without an output count. */
function readInput(usage: JsonObject): UsageReport {
  const input = readFigures({ ...usage, output_tokens: 0, output_tokens_details: null });
  const alone = input ? inputAlone(input.buckets) : 'invalid';
  return typeof alone === 'object' ? withTerms(alone, usage) : alone;
}
