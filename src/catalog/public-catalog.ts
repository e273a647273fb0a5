// The catalog as the public sees it: prices in NT$, no channels, no upstream names.

import { ntdNumber } from '../kit/money.ts';
import type { Prices } from '../kit/prices.ts';
import type { Catalog, Model } from './catalog.ts';
import type { Endpoint, ModelKind } from './document.ts';

const CHAT: readonly Endpoint[] = ['chat', 'messages', 'responses', 'gemini'];

/** The paths of each kind, and what a channel must have to serve them; chats are translated wherever they must be. */
const KINDS: Record<ModelKind, { servedBy: readonly Endpoint[]; paths: readonly string[] }> = {
  chat: { servedBy: CHAT, paths: ['/v1/chat/completions', '/v1/responses', '/v1/messages'] },
  embeddings: { servedBy: ['embeddings'], paths: ['/v1/embeddings'] },
  images: { servedBy: ['images'], paths: ['/v1/images/generations'] },
};

/** What a model serves: what its kinds mean, as far as the channels of its routes have it. */
function endpointsOf({ kinds, routes }: Model): string[] {
  const isServed = (kind: ModelKind) =>
    routes.some(({ channel }) => channel.endpoints.some((endpoint) => KINDS[kind].servedBy.includes(endpoint)));
  return kinds.filter(isServed).flatMap((kind) => KINDS[kind].paths);
}

export function publicCatalog(catalog: Catalog): Record<string, unknown> {
  return {
    object: 'list',
    currency: 'TWD',
    unit: 'NT$ per 1M tokens',
    revision: catalog.revision,
    updated_at: new Date(catalog.updatedAt).toISOString(),
    data: catalog.models.map(publicModel),
  };
}

function publicModel(model: Model): Record<string, unknown> {
  return {
    id: model.id,
    name: model.name,
    aliases: model.aliases,
    kinds: model.kinds,
    endpoints: endpointsOf(model),
    context_tokens: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    free: model.free,
    price: {
      input: perMillion(model, 'input'),
      cached_input: perMillion(model, 'cachedInput'),
      cache_write_5m: perMillion(model, 'cacheWrite5m'),
      cache_write_1h: perMillion(model, 'cacheWrite1h'),
      output: perMillion(model, 'output'),
      image: model.priced.has('image') ? ntdNumber(model.prices.image) : null,
    },
  };
}

function perMillion(model: Model, name: keyof Prices): number | null {
  return model.priced.has(name) ? ntdNumber(model.prices[name] * 1_000_000n) : null;
}
