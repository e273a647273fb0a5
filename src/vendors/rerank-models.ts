// Models of vendors for rerank and embeddings: prices in US$ and limits. `sources` were read on SOURCES_DATE. Cohere's own page
// gave no price of a search in October 2026.

import type { KnownModel } from './known-models.ts';
import { LITELLM } from './price-reports.ts';

const COHERE_PRICES = 'https://cohere.com/pricing';
const COHERE_REPORT = 'https://developer.puter.com/tutorials/cohere-api-pricing/';

const COHERE_RERANK = { kind: 'rerank', isSecondHand: true, sources: [COHERE_PRICES, COHERE_REPORT] } as const;

export const COHERE_MODELS: readonly KnownModel[] = [
  { ...COHERE_RERANK, id: 'rerank-v4.0-pro', name: 'Cohere Rerank 4 Pro', usd: { search: 2.5 } },
  { ...COHERE_RERANK, id: 'rerank-v4.0-fast', name: 'Cohere Rerank 4 Fast', usd: { search: 2 } },
  {
    ...COHERE_RERANK,
    id: 'rerank-v3.5',
    name: 'Cohere Rerank 3.5',
    usd: { search: 2 },
    sources: [
      COHERE_PRICES,
      'https://docs.memberjunction.org/api/classes/_memberjunction_search-engine.CohereReRanker.html',
    ],
  },
  {
    // Images as input cost more; the endpoint takes only text.
    id: 'embed-v4.0',
    name: 'Cohere Embed 4',
    kind: 'embeddings',
    usd: { input: 0.12 },
    isSecondHand: true,
    sources: [COHERE_PRICES, COHERE_REPORT],
  },
];

export const JINA_MODELS: readonly KnownModel[] = [
  {
    id: 'jina-reranker-v2-base-multilingual',
    name: 'Jina Reranker v2',
    kind: 'rerank',
    contextTokens: 1_024,
    usd: { input: 0.018 },
    isSecondHand: true,
    sources: ['https://jina.ai/models/jina-reranker-v2-base-multilingual', LITELLM],
  },
];
