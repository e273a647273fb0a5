// The prices of each kind of model.

import type { Prices } from '../kit/prices.ts';
import type { ModelKind } from '../vendors/endpoints.ts';

/** Prices that models of a kind always have. */
export const USUAL_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = {
  chat: ['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'output'],
  embeddings: ['input'],
  images: [],
  speech: [],
  transcription: [],
  rerank: [],
  moderation: ['input'],
};

/** Prices that usage of a kind can be charged: the price list shows those that the document sets. */
export const CHARGED_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = {
  chat: USUAL_PRICES.chat,
  embeddings: ['input', 'cachedInput', 'cacheWrite5m', 'output'],
  images: ['input', 'output', 'image'],
  speech: ['input', 'output', 'character'],
  transcription: ['input', 'cachedInput', 'output', 'second'],
  rerank: ['input', 'search'],
  moderation: ['input'],
};

/** Prices that a free model shows as 0. */
export const FREE_PRICES: Record<ModelKind, readonly (keyof Prices)[]> = {
  ...USUAL_PRICES,
  images: ['image'],
  speech: ['character'],
  transcription: ['second'],
  rerank: ['search'],
};
