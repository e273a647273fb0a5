// GET /v1/models and /v1/models/{id}: what this key may use, in one shape that both families of clients read.

import { z } from 'zod';
import type { Catalog, Model } from '../../catalog/catalog.ts';
import { tokenBounds } from '../../catalog/token-bounds.ts';
import { count, each, flag, isList, named, partly, text, time } from '../../kit/shapes.ts';
import { chooseModel, mayUse } from '../../relay/choose-model.ts';
import type { KeyRow } from '../../store/rows.ts';
import { gatewayHeaders } from '../gateway-headers.ts';
import { keyedRoute } from '../operation.ts';
import { gatewayAnswerHeaders, MODEL_FAULTS } from './outlines.ts';

const model = partly(
  {
    id: text,
    ...each(z.literal('model'), 'object', 'type'),
    created_at: time,
    ...each(text, 'owned_by', 'display_name'),
    ...each(count, 'created', 'max_input_tokens', 'max_tokens'),
    lifecycle: z.literal('active'),
    ...each(time.nullable(), 'deprecated_at', 'retires_at'),
    line: text.nullable(),
    capabilities: z.unknown().meta({ type: ['object', 'null'] }),
  },
  { alias_of: text.describe('The model that this id is another name of.') },
).meta({ id: 'Model' });

const modelList = named('ModelList', {
  object: isList,
  data: z.array(model),
  has_more: flag,
  ...each(text.nullable(), 'first_id', 'last_id'),
});

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
      const data = publicModels(tools.catalog(), exchange.key);
      const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
      const headers = await gatewayHeaders(tools, exchange, 'openai');
      return Response.json({ object: 'list', data, has_more: false, first_id, last_id }, { headers });
    },
  }),
  keyedRoute('GET /v1/models/:id', {
    ...COMMON,
    id: 'showModel',
    summary: 'One model',
    params: { id: text.describe('An id or alias.') },
    result: 'The model.',
    answer: model,
    faults: MODEL_FAULTS,
    async handle(tools, exchange) {
      const catalog = tools.catalog();
      const { id = '' } = exchange.params;
      const kind = catalog.find(id)?.kinds[0] ?? 'chat';
      const shown = publicModel(chooseModel(catalog, exchange.key, id, kind), catalog, id);
      return Response.json(shown, { headers: await gatewayHeaders(tools, exchange, 'openai') });
    },
  }),
];

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
