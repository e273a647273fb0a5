// GET /v1/models and /v1/models/{id}: what this key may use, in one shape that both families of clients read.

import { type Catalog, type Model, tokenBounds } from '../../catalog/catalog.ts';
import { PRICE_UNIT, pathsOf, publicDescription } from '../../catalog/public-catalog.ts';
import { publicPrice } from '../../catalog/public-price.ts';
import { text } from '../../kit/shapes.ts';
import { chooseModel, type ModelLimit, mayUse } from '../../relay/choose-model.ts';
import { gatewayHeaders } from '../common-headers.ts';
import { keyedRoute } from '../operation.ts';
import { gatewayAnswerHeaders, listedModel, MODEL_FAULTS, modelList } from './outlines.ts';

const COMMON = { tag: 'models', answerHeaders: gatewayAnswerHeaders, envelope: 'either' } as const;

export const LIST_CALLS = [
  keyedRoute('GET /v1/models', {
    ...COMMON,
    id: 'listModels',
    summary: 'The models this key may use, then their aliases',
    description: 'One shape that clients of both formats read.',
    result: 'The models.',
    answer: modelList,
    async handle(tools, exchange) {
      const data = usableModels(tools.catalog(), exchange.key);
      const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
      const list = { object: 'list', data, has_more: false, ...ends };
      return Response.json(list, { headers: await gatewayHeaders(tools, exchange, 'openai') });
    },
  }),
  keyedRoute('GET /v1/models/:id', {
    ...COMMON,
    id: 'showModel',
    summary: 'One model',
    params: { id: text.describe('An id or alias.') },
    result: 'The model.',
    answer: listedModel,
    faults: MODEL_FAULTS,
    async handle(tools, exchange) {
      const catalog = tools.catalog();
      const { id = '' } = exchange.params;
      const kind = catalog.find(id)?.kinds[0] ?? 'chat';
      const model = describeModel(chooseModel(catalog, exchange.key, id, kind), catalog, id);
      return Response.json(model, { headers: await gatewayHeaders(tools, exchange, 'openai') });
    },
  }),
];

/** Models first, then their aliases, then the names of retired models that they replace. */
export function usableModels(catalog: Catalog, key: ModelLimit) {
  const models = catalog.models.filter((model) => mayUse(key, model));
  const replaced = [...catalog.retired.keys()].flatMap((name) => {
    const model = catalog.find(name);
    return model && mayUse(key, model) ? [describeModel(model, catalog, name)] : [];
  });
  return [
    ...models.map((model) => describeModel(model, catalog, model.id)),
    ...models.flatMap((model) => model.aliases.map((alias) => describeModel(model, catalog, alias))),
    ...replaced,
  ];
}

/** Members that Anthropic's SDK requires and whose values are unknown here. */
const PROMISED = { lifecycle: 'active', deprecated_at: null, retires_at: null, line: null, capabilities: null };

/** In the shape of the lists. `id`: its own, or another name of it. */
export function describeModel(model: Model, catalog: Catalog, id: string) {
  const { input, output } = tokenBounds(model, catalog);
  const { updatedAt } = catalog;
  return {
    id,
    object: 'model',
    type: 'model',
    endpoints: pathsOf(model),
    created: Math.floor(updatedAt / 1000),
    created_at: new Date(updatedAt).toISOString(),
    owned_by: 'gateway',
    display_name: model.name,
    ...publicDescription(model),
    max_input_tokens: input,
    max_tokens: output,
    ...(model.demo ? { demo: true } : {}),
    free: model.free,
    price: publicPrice(model),
    price_unit: PRICE_UNIT,
    ...PROMISED,
    ...(model.retirement ? describeRetirement(model.retirement) : {}),
    ...(id === model.id ? {} : { alias_of: model.id }),
  };
}

function describeRetirement({ at, deprecatedAt, successor }: NonNullable<Model['retirement']>) {
  return {
    lifecycle: 'deprecated',
    deprecated_at: new Date(deprecatedAt).toISOString(),
    retires_at: new Date(at).toISOString(),
    ...(successor === undefined ? {} : { replaced_by: successor }),
  };
}
