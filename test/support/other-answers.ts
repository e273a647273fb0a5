// What an upstream answers that speaks, ranks documents, or judges texts.

import { jsonScript } from './openai-chat.ts';
import type { Script } from './script.ts';

/** Not only what is text, too. */
export const SPOKEN = Uint8Array.from([0xff, 0xfb, 0x90, 0x00, 0x0a, 0x80]);

export const speechAnswer = (): Script => ({
  status: 200,
  headers: { 'content-type': 'audio/mpeg' },
  body: [SPOKEN],
});

export const rerankAnswer = (): Script =>
  jsonScript(200, {
    id: 'rerank-1',
    results: [{ index: 0, relevance_score: 0.9 }],
    meta: { billed_units: { search_units: 1 } },
  });

export const verdictAnswer = (): Script =>
  jsonScript(200, {
    id: 'modr-1',
    model: 'scripted-2026-01',
    results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.01 } }],
  });

/** The models of their kinds, by what a test calls them. */
export const OTHER_KINDS = {
  speech: { kinds: ['speech'], price: { character: 10 } },
  rerank: { kinds: ['rerank'], price: { search: 0.001 } },
  moderation: { kinds: ['moderation'], price: { input: 1 } },
};

/** Undefined for a path of another kind. */
export function otherAnswer(path: string): Script | undefined {
  if (path.endsWith('/audio/speech')) return speechAnswer();
  if (path.endsWith('/rerank')) return rerankAnswer();
  return path.endsWith('/moderations') ? verdictAnswer() : undefined;
}
