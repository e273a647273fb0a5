// GET /api/public/catalog: models and prices for everyone, with an ETag so that polling is cheap. Written once per catalog.

import type { Catalog } from '../../catalog/catalog.ts';
import { publicCatalog } from '../../catalog/public-catalog.ts';
import { answerTagged, type Tagged, tagJson } from '../etag.ts';
import type { Exchange, HttpTools } from '../exchange.ts';

const written = new WeakMap<Catalog, Tagged>();

export function catalog(tools: HttpTools, { request }: Exchange): Response {
  const active = tools.catalog();
  return answerTagged(request, written.get(active) ?? write(active), 'application/json;charset=utf-8');
}

function write(active: Catalog): Tagged {
  const made = tagJson('catalog', publicCatalog(active));
  written.set(active, made);
  return made;
}
