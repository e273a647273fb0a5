// GET /api/public/catalog: models and prices for everyone, with an ETag so that polling is cheap.

import { publicCatalog } from '../../catalog/public-catalog.ts';
import { isKnown } from '../etag.ts';
import type { Exchange, HttpTools } from '../exchange.ts';

export function catalog(tools: HttpTools, { request }: Exchange): Response {
  const active = tools.catalog();
  const etag = `"catalog-${active.revision}"`;
  const headers = { etag, 'cache-control': 'public, max-age=0, must-revalidate' };
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers });
  return Response.json(publicCatalog(active), { headers });
}
