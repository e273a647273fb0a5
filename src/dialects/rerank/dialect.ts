// Rerank, which vendors have in nearly the same format. Upstreams get documents as texts, which all of them take. Clients get
// one shape that those of Cohere and of Jina read, and documents only if they asked for them.

import { editMembers, isObject, type Json, type JsonDocument } from '../../kit/json/json.ts';
import type { Dialect, RelayRequest } from '../dialect.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { readAnswer, readRanked, usedBy } from './read-answer.ts';
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
