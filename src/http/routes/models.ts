// GET /v1/models and /v1/models/{id}: what this key may use, in one shape that both families of clients read.

import { type Catalog, type Model, tokenBounds } from '../../catalog/catalog.ts';
import { PRICE_UNIT, pathsOf, publicDescription } from '../../catalog/public-catalog.ts';
import { publicPrice } from '../../catalog/public-price.ts';
import { type ListedModel, writeModel, writeModelList } from '../../dialects/model-list.ts';
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
      const list = writeModelList(usableModels(tools.catalog(), exchange.key));
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
      return Response.json(writeModel(model), { headers: await gatewayHeaders(tools, exchange, 'openai') });
    },
  }),
];

/** Models first, then their aliases, then the names of retired models that they replace. */
export function usableModels(catalog: Catalog, key: ModelLimit): ListedModel[] {
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

export function describeModel(model: Model, catalog: Catalog, id: string): ListedModel {
  const { input, output } = tokenBounds(model, catalog);
  return {
    id,
    aliasOf: id === model.id ? undefined : model.id,
    name: model.name,
    described: publicDescription(model),
    endpoints: pathsOf(model),
    updatedAt: catalog.updatedAt,
    inputTokens: input,
    outputTokens: output,
    demo: model.demo,
    free: model.free,
    retirement: model.retirement,
    price: publicPrice(model),
    priceUnit: PRICE_UNIT,
  };
}
