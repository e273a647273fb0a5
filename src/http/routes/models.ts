// GET /v1/models and /v1/models/{id}: what this key may use, in one shape that both families of clients read.

import { readFreeAllowances } from '../../accounts/free-allowances.ts';
import type { Catalog, Model } from '../../catalog/catalog.ts';
import { RESERVED_CHANNEL } from '../../catalog/document.ts';
import { rateHeaders } from '../../limits/rate-headers.ts';
import { chooseModel, mayUse } from '../../relay/choose-model.ts';
import type { KeyRow } from '../../store/rows.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';

export async function listModels(tools: HttpTools, { key }: KeyedExchange): Promise<Response> {
  const data = publicModels(tools.catalog(), key);
  return Response.json(
    {
      object: 'list',
      data,
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    },
    { headers: await answerHeaders(tools, key) },
  );
}

export async function showModel(tools: HttpTools, { key, params }: KeyedExchange): Promise<Response> {
  const catalog = tools.catalog();
  const id = params.id ?? '';
  const model = catalog.find(id);
  const kind = model?.kinds[0] ?? 'chat';
  const shown = publicModel(chooseModel(catalog, key, id, kind), catalog, id);
  return Response.json(shown, { headers: await answerHeaders(tools, key) });
}

async function answerHeaders(tools: HttpTools, key: KeyRow): Promise<Record<string, string>> {
  const { tighter } = await readFreeAllowances(tools, key.accountId);
  return { 'x-svc-channel': RESERVED_CHANNEL, ...rateHeaders(tighter, tools.clock.now()) };
}

/** Models first, then their aliases. */
function publicModels(catalog: Catalog, key: KeyRow) {
  const models = catalog.models.filter((model) => mayUse(key, model));
  return [
    ...models.map((model) => publicModel(model, catalog, model.id)),
    ...models.flatMap((model) => model.aliases.map((alias) => publicModel(model, catalog, alias))),
  ];
}

function publicModel(model: Model, catalog: Catalog, id: string) {
  return {
    id,
    object: 'model',
    type: 'model',
    created: Math.floor(catalog.updatedAt / 1000),
    created_at: new Date(catalog.updatedAt).toISOString(),
    owned_by: 'gateway',
    display_name: model.name,
    max_input_tokens: model.contextTokens,
    max_tokens: model.maxOutputTokens,
    ...(id === model.id ? {} : { alias_of: model.id }),
  };
}
