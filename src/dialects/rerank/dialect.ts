// Rerank, which vendors have in nearly the same format. Upstreams get documents as texts, which all of them take. Clients get
// one shape that those of Cohere and of Jina read, and documents only if they asked for them.

import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { isFigure, mostReported, readCount } from '../counts.ts';
import { type AnswerFacts, type Dialect, NO_OUTPUT, type RelayRequest, type ReportedUsage } from '../dialect.ts';
import { estimateAt } from '../input/estimated-input.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { mostResults, readRequest, textsOf } from './read-request.ts';

export const rerank: Dialect = {
  endpoint: 'rerank',
  envelope: 'cohere',
  request: {
    promptField: 'documents',
    read: readRequest,
    write({ document }, { model }, removed) {
      const { value } = document;
      // Options that not every upstream has are applied here.
      const own = { rank_fields: undefined, return_documents: undefined, top_k: undefined };
      const edits = { model, documents: textsOf(value), top_n: mostResults(value), ...own };
      return editMembers(document, withoutFields(edits, removed));
    },
  },
  answer: { read: readAnswer, write: writeAnswer },
  stream: NEVER_STREAMS,
};

/** An answer in the shape of Cohere, Jina or Voyage. */
function readAnswer({ value }: JsonDocument, request?: RelayRequest): AnswerFacts | undefined {
  const ranked = readRanked(value, request);
  if (!ranked || !request) return undefined;
  return { usage: usedBy(value, request), output: { ...NO_OUTPUT, hasContent: ranked.length > 0 }, finish: 'other' };
}

/** Undefined if a result is of no document of the request, or of one that is in the list already. */
function readRanked({ results, data }: JsonObject, request: RelayRequest | undefined) {
  const list = results ?? data;
  const documents = request?.document.value.documents;
  if (!Array.isArray(list) || !Array.isArray(documents)) return undefined;
  const seen = new Set<number>();
  const ranked: { index: number; score: number }[] = [];
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
function usedBy({ meta, usage }: JsonObject, request: RelayRequest): ReportedUsage {
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

function writeAnswer(document: JsonDocument, model: string, request: RelayRequest): string {
  const { value: asked } = request.document;
  const ranked = readRanked(document.value, request) ?? [];
  const shown = asked.return_documents === true && Array.isArray(asked.documents) ? asked.documents : undefined;
  const results = ranked.slice(0, mostResults(asked)).map(({ index, score }): Json => {
    const result = { index, relevance_score: score };
    return shown ? { ...result, document: asObject(shown[index] ?? '') } : result;
  });
  const { input, searches } = usedBy(document.value, request).buckets;
  return JSON.stringify({
    id: typeof document.value.id === 'string' ? document.value.id : undefined,
    object: 'list',
    model,
    results,
    meta: { billed_units: { search_units: searches } },
    usage: { prompt_tokens: input, total_tokens: input },
  });
}

function asObject(document: Json): Json {
  return isObject(document) ? document : { text: document };
}
