// Rerank, which vendors have in nearly the same format. Upstreams get documents as texts, which all of them take. Clients get
// one shape that those of Cohere and of Jina read, and documents only if they asked for them.

import { editMembers, isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { addTokens, countTokens, NO_TOKENS, type TokenCount } from '../../kit/tokens.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { isFigure, mostReported, readCount } from '../counts.ts';
import {
  type AnswerFacts,
  type Dialect,
  NO_CHAT,
  NO_OUTPUT,
  type RelayRequest,
  type ReportedUsage,
} from '../dialect.ts';
import { MAX_TOKENS, optionalCount, optionalFlag, readModel, refuseField, textField } from '../fields.ts';
import { estimateAt } from '../input/estimated-input.ts';
import { NO_USE } from '../input/tool-use.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/bare-events.ts';

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

const MAX_DOCUMENTS = 2048;
const MAX_QUERY_CHARS = 100_000;
/** Marks around a query and a document, which the upstream counts. */
const MARKS = 4;

function readRequest(document: JsonDocument): RelayRequest {
  const body = document.value;
  const model = readModel(document);
  const query = countTokens(textField(body, 'query', MAX_QUERY_CHARS));
  const documents = textsOf(body).map(countTokens);
  mostResults(body);
  optionalFlag(body, 'return_documents');
  const perDocument = mostPerDocument(body);
  return {
    ...NO_CHAT,
    model,
    stream: false,
    maxOutputTokens: 0,
    searches: countSearches('upper', query, documents, perDocument),
    likelySearches: countSearches('estimate', query, documents, perDocument),
    // Upstreams cut documents that are too long: only the query must fit.
    input: { ...countPairs(query, documents), longest: query, isOpen: false, toolUse: NO_USE },
    document,
  };
}

const DOCUMENTS_PER_SEARCH = 100;
const TOKENS_PER_PART = 500;
/** Longer documents are cut, unless the request says otherwise. */
const TOKENS_PER_DOCUMENT = 4096;

/**
 * Searches as Cohere counts them: one for a query with up to 100 documents. A document that has more than 500 tokens with its
 * query is split, and each of its parts counts as one document. `by`: a bound for the hold, or an estimate for a bill without a
 * report.
 */
function countSearches(
  by: 'upper' | 'estimate',
  query: TokenCount,
  documents: readonly TokenCount[],
  perDocument: number,
): number {
  let parts = 0;
  for (const one of documents)
    parts += Math.max(1, Math.ceil((query[by] + Math.min(one[by], perDocument)) / TOKENS_PER_PART));
  return Math.ceil(parts / DOCUMENTS_PER_SEARCH);
}

/** Documents are cut after so many tokens, or after so many parts of 512 tokens. */
function mostPerDocument(body: JsonObject): number {
  const tokens = optionalCount(body, 'max_tokens_per_doc', MAX_TOKENS);
  const chunks = optionalCount(body, 'max_chunks_per_doc', MAX_TOKENS);
  return Math.max(tokens ?? TOKENS_PER_DOCUMENT, (chunks ?? 0) * 512);
}

/** The query is read once with each document. */
function countPairs(query: TokenCount, documents: readonly TokenCount[]): TokenCount {
  const pairs = documents.map((one) => addTokens(one, query)).reduce(addTokens, NO_TOKENS);
  return { ...pairs, upper: pairs.upper + MARKS * documents.length };
}

/** `top_k` is its name at Voyage. */
function mostResults(body: JsonObject): number | undefined {
  const most = optionalCount(body, 'top_n', MAX_TOKENS);
  const same = optionalCount(body, 'top_k', MAX_TOKENS);
  if (most !== undefined && same !== undefined && most !== same) {
    refuseField('top_k', 'top_k is another name of top_n, and has another value. Send one of them.');
  }
  return most ?? same;
}

/** The texts of the documents, which are texts or objects with texts. */
function textsOf({ documents, rank_fields: fields }: JsonObject): string[] {
  if (!Array.isArray(documents) || documents.length === 0) {
    refuseField('documents', 'documents must be a list with at least one text.');
  }
  if (documents.length > MAX_DOCUMENTS) {
    refuseField('documents', `documents has more than ${MAX_DOCUMENTS} items. Send fewer at once.`);
  }
  const names = readNames(fields);
  return documents.map((item, index) => {
    const text = isObject(item) ? textIn(item, names) : item;
    if (typeof text === 'string') return text;
    return refuseField(
      `documents[${index}]`,
      `Every document must be a text, or an object with a text in ${names.slice(0, 5).join(', ')}.`,
    );
  });
}

const TEXT_ALONE = ['text'];

/** The members of a document that are compared with the query. */
function readNames(fields: Json | undefined): string[] {
  if (fields === undefined || fields === null) return TEXT_ALONE;
  const isName = (name: Json): name is string => typeof name === 'string' && name !== '';
  if (Array.isArray(fields) && fields.length > 0 && fields.every(isName)) return fields;
  return refuseField('rank_fields', 'rank_fields must be a list of names of members of the documents.');
}

/** Undefined if it has none of them. */
function textIn(document: JsonObject, names: readonly string[]): string | undefined {
  const texts = names.map((name) => document[name]).filter((text) => typeof text === 'string');
  return texts.length > 0 ? texts.join('\n') : undefined;
}

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
    const found = shown?.[index] ?? '';
    return shown ? { ...result, document: isObject(found) ? found : { text: found } } : result;
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
