// A rerank request: a query, and the documents that are compared with it.

import { isObject, type Json, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { addTokens, countTokens, NO_TOKENS, type TokenCount } from '../../kit/tokens.ts';
import { NO_CHAT, type RelayRequest } from '../dialect.ts';
import { MAX_TOKENS, optionalCount, optionalFlag, readModel, refuseField, textField } from '../fields.ts';
import { NO_USE } from '../input/tool-use.ts';

const MAX_DOCUMENTS = 2048;
const MAX_QUERY_CHARS = 100_000;
/** Marks around a query and a document, which the upstream counts. */
const MARKS = 4;

export function readRequest(document: JsonDocument): RelayRequest {
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
export function mostResults(body: JsonObject): number | undefined {
  const most = optionalCount(body, 'top_n', MAX_TOKENS);
  const same = optionalCount(body, 'top_k', MAX_TOKENS);
  if (most !== undefined && same !== undefined && most !== same) {
    refuseField('top_k', 'top_k is another name of top_n, and has another value. Send one of them.');
  }
  return most ?? same;
}

/** The texts of the documents, which are texts or objects with texts. */
export function textsOf({ documents, rank_fields: fields }: JsonObject): string[] {
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
