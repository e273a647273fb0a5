// Reads a rerank answer in the shape of Cohere, Jina or Voyage: the ranked documents, and the usage.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { isFigure, mostReported, readCount } from '../counts.ts';
import { type AnswerFacts, NO_OUTPUT, type RelayRequest, type ReportedUsage } from '../dialect.ts';
import { estimateAt } from '../input/estimated-input.ts';

interface Ranked {
  index: number;
  score: number;
}

export function readAnswer({ value }: JsonDocument, request?: RelayRequest): AnswerFacts | undefined {
  const ranked = readRanked(value, request);
  if (!ranked || !request) return undefined;
  return { usage: usedBy(value, request), output: { ...NO_OUTPUT, hasContent: ranked.length > 0 }, finish: 'other' };
}

/** Undefined if a result is of no document of the request, or of one that is in the list already. */
export function readRanked({ results, data }: JsonObject, request: RelayRequest | undefined): Ranked[] | undefined {
  const list = results ?? data;
  const documents = request?.document.value.documents;
  if (!Array.isArray(list) || !Array.isArray(documents)) return undefined;
  const seen = new Set<number>();
  const ranked: Ranked[] = [];
  for (const item of list) {
    const index = isObject(item) ? readCount(item.index) : undefined;
    const score = isObject(item) ? (item.relevance_score ?? item.score) : undefined;
    if (index === undefined || index >= documents.length || seen.has(index)) return undefined;
    if (typeof score !== 'number' || !Number.isFinite(score)) return undefined;
    seen.add(index);
    ranked.push({ index, score });
  }
  return ranked;
}

/** Counts whatever the upstream does not report. Zeros mean that nothing was counted. */
export function usedBy({ meta, usage }: JsonObject, request: RelayRequest): ReportedUsage {
  const billed = isObject(meta) && isObject(meta.billed_units) ? meta.billed_units : {};
  const tokens = isObject(meta) && isObject(meta.tokens) ? meta.tokens : {};
  const reported = isObject(usage) ? usage : {};
  const units = [billed.search_units, reported.search_units];
  const searches = firstCount(units, mostReported(request.searches));
  const inputs = [reported.prompt_tokens, reported.total_tokens, billed.input_tokens, tokens.input_tokens];
  const input = firstCount(inputs);
  const buckets = {
    ...NO_BUCKETS,
    input: input ?? estimateAt(request.input, request.model),
    searches: searches ?? request.likelySearches ?? 0,
  };
  const counted: ('input' | 'searches')[] = [];
  if (input === undefined) counted.push('input');
  if (searches === undefined) counted.push('searches');
  const isImplausible =
    (searches === undefined && units.some(isFigure)) || (input === undefined && inputs.some(isFigure));
  return { buckets, reasoning: 0, counted, ...(isImplausible ? { isImplausible } : {}) };
}

function firstCount(values: readonly (Json | undefined)[], most = Number.POSITIVE_INFINITY): number | undefined {
  return values.map(readCount).find((count) => count !== undefined && count > 0 && count <= most);
}
