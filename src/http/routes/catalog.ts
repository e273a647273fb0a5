// GET /api/public/catalog: models and prices for everyone, with an ETag so that polling is cheap. Written once per catalog.

import { z } from 'zod';
import {
  descriptionShape,
  featuresShape,
  PRICE_UNIT,
  publicCatalog,
  retirementShape,
} from '../../catalog/public-catalog.ts';
import { publicPriceShape } from '../../catalog/public-price.ts';
import { count, flag, isDemo, isList, named, text, time } from '../../kit/shapes.ts';
import { MODEL_KINDS } from '../../vendors/endpoints.ts';
import { taggedAnswers, taggedCall } from '../etag.ts';
import { openRoute } from '../operation.ts';

const catalog = named('Catalog', {
  object: isList,
  currency: z.literal('TWD'),
  unit: z.literal(PRICE_UNIT),
  revision: count,
  updated_at: time,
  data: z.array(
    z.object({
      id: text,
      name: text,
      description: descriptionShape,
      features: featuresShape,
      aliases: z.array(text),
      kinds: z.array(z.enum(MODEL_KINDS)),
      endpoints: z.array(text),
      context_tokens: count,
      max_output_tokens: count,
      free: flag,
      demo: isDemo,
      ...retirementShape,
      price: publicPriceShape,
    }),
  ),
});

const answer = taggedAnswers('catalog', 'application/json;charset=utf-8', publicCatalog);

export const showCatalog = openRoute('GET /api/public/catalog', {
  ...taggedCall,
  id: 'showCatalog',
  summary: 'Models, where each is reached, and prices',
  result: 'The catalog.',
  answer: catalog,
  handle: (tools, { request }) => answer(request, tools.catalog()),
});
