// Searches as Cohere counts them: one for a query with up to 100 documents. A document that has more than 500 tokens with its
// query is split, and each of its parts counts as one document.

import type { TokenCount } from '../../kit/tokens.ts';

const DOCUMENTS_PER_SEARCH = 100;
const TOKENS_PER_PART = 500;
/** Longer documents are cut, unless the request says otherwise. */
export const TOKENS_PER_DOCUMENT = 4096;

/** `by`: a bound for the hold, or an estimate for a bill without a report. */
export function countSearches(
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
