// Rerank, which vendors have in nearly the same format. Upstreams get documents as texts, which all of them take. Clients get
// one shape that those of Cohere and of Jina read, and documents only if they asked for them.

import { editMembers, type Json, type JsonDocument } from '../../kit/json/json.ts';
import type { Dialect, RelayRequest } from '../dialect.ts';
import { withoutFields } from '../removals/remove-fields.ts';
import { NEVER_STREAMS } from '../stream/never-streams.ts';
import { readAnswer, readRanked, usedBy } from './read-answer.ts';
import { readRequest, textsOf } from './read-request.ts';

export const rerank: Dialect = {
  endpoint: 'rerank',
  envelope: 'openai',
  request: {
    promptField: 'documents',
    read: readRequest,
    write({ document }, { model }, removed) {
      const documents = textsOf(document.value.documents);
      // Not every upstream knows return_documents, and the documents are known here.
      return editMembers(document, withoutFields({ model, documents, return_documents: undefined }, removed));
    },
  },
  answer: { read: readAnswer, write: writeAnswer },
  stream: NEVER_STREAMS,
};

function writeAnswer(document: JsonDocument, model: string, request: RelayRequest): string {
  const { top_n: most, return_documents: wantsDocuments, documents } = request.document.value;
  const ranked = readRanked(document.value, request) ?? [];
  const texts = wantsDocuments === true ? textsOf(documents) : undefined;
  const results = ranked.slice(0, typeof most === 'number' ? most : undefined).map(({ index, score }): Json => {
    const result = { index, relevance_score: score };
    return texts ? { ...result, document: { text: texts[index] ?? '' } } : result;
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
