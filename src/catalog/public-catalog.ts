// The public catalog: prices in NT$, no channels, no upstream names.

import { z } from 'zod';
import { text, time } from '../kit/shapes.ts';
import { canServe, type Endpoint, type ModelKind } from '../vendors/endpoints.ts';
import { type Catalog, type Model, tokenBounds } from './catalog.ts';
import { MODEL_FEATURES } from './document.ts';
import { publicPrice } from './public-price.ts';

export const PRICE_UNIT = 'NT$ per 1M tokens';

export const successor = text.optional().describe('The model to use instead, if it retires and has a successor.');
export const retirementShape = {
  retires_at: time.optional().describe('From then on the model is not served; left out if no date is set.'),
  replaced_by: successor,
};

export const descriptionShape = z
  .object({ en: text, 'zh-TW': text })
  .partial()
  .optional()
  .describe('A few sentences of the operator, by language; left out if there are none.');

export const featuresShape = z
  .array(z.enum(MODEL_FEATURES))
  .optional()
  .describe('What the model can do, as the operator states it; left out if nothing is stated.');

const PATHS: Record<ModelKind, readonly string[]> = {
  chat: ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1beta/models/{model}:generateContent'],
  embeddings: ['/v1/embeddings', '/v1beta/models/{model}:embedContent'],
  images: ['/v1/images/generations', '/v1/images/edits', '/v1/images/variations'],
  speech: ['/v1/audio/speech'],
  transcription: ['/v1/audio/transcriptions', '/v1/audio/translations'],
  rerank: ['/v1/rerank'],
  moderation: ['/v1/moderations'],
};

/** Paths of their own, which not every channel with such a model has. */
const ENDPOINT_OF: Readonly<Record<string, Endpoint>> = {
  '/v1/images/generations': 'images',
  '/v1/images/edits': 'image_edits',
  '/v1/images/variations': 'image_variations',
  '/v1/audio/transcriptions': 'transcription',
  '/v1/audio/translations': 'audio_translation',
};

/** The API paths of a model: those of its kinds that the channels of its routes support. */
export function pathsOf({ id, kinds, routes }: Model): string[] {
  return kinds
    .filter((kind) => routes.some(({ endpoints }) => canServe(endpoints, kind)))
    .flatMap((kind) => PATHS[kind])
    .filter((path) => {
      const endpoint = ENDPOINT_OF[path];
      return endpoint === undefined || routes.some(({ endpoints }) => endpoints.includes(endpoint));
    })
    .map((path) => path.replace('{model}', id));
}

export function publicCatalog(catalog: Catalog): Record<string, unknown> {
  return {
    object: 'list',
    currency: 'TWD',
    unit: PRICE_UNIT,
    revision: catalog.revision,
    updated_at: new Date(catalog.updatedAt).toISOString(),
    data: catalog.models.map((model) => publicModel(model, catalog)),
  };
}

function publicModel(model: Model, catalog: Catalog): Record<string, unknown> {
  const { input, output } = tokenBounds(model, catalog);
  return {
    id: model.id,
    name: model.name,
    ...publicDescription(model),
    aliases: model.aliases,
    kinds: model.kinds,
    endpoints: pathsOf(model),
    context_tokens: input,
    max_output_tokens: output,
    free: model.free,
    ...(model.demo ? { demo: true } : {}),
    ...publicRetirement(model),
    price: publicPrice(model),
  };
}

/** Description and features; left out if the operator wrote none. */
export function publicDescription({ description, features }: Pick<Model, 'description' | 'features'>) {
  return {
    ...(Object.keys(description).length === 0 ? {} : { description }),
    ...(features.length === 0 ? {} : { features }),
  };
}

function publicRetirement({ retirement }: Model) {
  if (!retirement) return {};
  const retiresAt = new Date(retirement.at).toISOString();
  return {
    retires_at: retiresAt,
    ...(retirement.successor === undefined ? {} : { replaced_by: retirement.successor }),
  };
}
