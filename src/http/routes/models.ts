// GET /v1/models and /v1/models/{id}: what this key may use, in one shape that both families of clients read.

import type { Catalog, Model } from '../../catalog/catalog.ts';
import { tokenBounds } from '../../catalog/token-bounds.ts';
import { chooseModel, mayUse } from '../../relay/choose-model.ts';
import type { KeyRow } from '../../store/rows.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { gatewayHeaders } from '../gateway-headers.ts';

export async function listModels(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const data = publicModels(tools.catalog(), exchange.key);
  return Response.json(
    {
      object: 'list',
      data,
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    },
    { headers: await gatewayHeaders(tools, exchange, 'openai') },
  );
}

export async function showModel(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { key, params } = exchange;
  const catalog = tools.catalog();
  const id = params.id ?? '';
  const model = catalog.find(id);
  const kind = model?.kinds[0] ?? 'chat';
  const shown = publicModel(chooseModel(catalog, key, id, kind), catalog, id);
  return Response.json(shown, { headers: await gatewayHeaders(tools, exchange, 'openai') });
}

/** Models first, then their aliases. */
function publicModels(catalog: Catalog, key: KeyRow) {
  const models = catalog.models.filter((model) => mayUse(key, model));
  return [
    ...models.map((model) => publicModel(model, catalog, model.id)),
    ...models.flatMap((model) => model.aliases.map((alias) => publicModel(model, catalog, alias))),
  ];
}

/** Promised by the type of Anthropic's SDK. What is served is active; of the rest nothing is known. */
const UNTOLD = { lifecycle: 'active', deprecated_at: null, retires_at: null, line: null, capabilities: null };

function publicModel(model: Model, catalog: Catalog, id: string) {
  const { input, output } = tokenBounds(model, catalog);
  return {
    id,
    object: 'model',
    type: 'model',
    created: Math.floor(catalog.updatedAt / 1000),
    created_at: new Date(catalog.updatedAt).toISOString(),
    owned_by: 'gateway',
    display_name: model.name,
    max_input_tokens: input,
    max_tokens: output,
    ...UNTOLD,
    ...(id === model.id ? {} : { alias_of: model.id }),
  };
}
