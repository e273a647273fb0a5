// Every route of the public port, in one place; each is described where its handler is.

import type { Catalog } from '../catalog/catalog.ts';
import { anyObject } from '../kit/shapes.ts';
import { taggedAnswers, taggedCall } from './etag.ts';
import type { HttpTools } from './exchange.ts';
import { openapiDocument } from './openapi.ts';
import { type OpenRoute, openRoute } from './operation.ts';
import { ACCOUNT_CALLS } from './routes/account.ts';
import { showCatalog } from './routes/catalog.ts';
import { COUNT_CALLS } from './routes/count-tokens.ts';
import { listEventsCall } from './routes/events.ts';
import { GEMINI_CALLS } from './routes/gemini.ts';
import { HEALTH_CALLS } from './routes/health.ts';
import { KEY_CALLS } from './routes/keys.ts';
import { mcp } from './routes/mcp.ts';
import { MODEL_CALLS } from './routes/model-calls.ts';
import { LIST_CALLS } from './routes/models.ts';
import { createQuote } from './routes/quote.ts';
import { register } from './routes/register.ts';
import { responsesSocket } from './routes/responses-socket.ts';
import { showStatus } from './routes/status.ts';
import { WEBHOOK_CALLS } from './routes/webhooks.ts';

/** Its examples name models of the catalog. */
const openapi = taggedAnswers('openapi', 'application/json', (catalog: Catalog, tools: HttpTools): unknown =>
  openapiDocument(ROUTES, tools, catalog),
);

const showOpenapi: OpenRoute<'GET /openapi.json'> = openRoute('GET /openapi.json', {
  ...taggedCall,
  id: 'showOpenapi',
  summary: 'This document',
  result: 'OpenAPI 3.1.',
  answer: anyObject,
  handle: (tools, { request }) => openapi(request, tools.catalog(), tools),
});

export const ROUTES = [
  ...HEALTH_CALLS,
  showOpenapi,
  showCatalog,
  showStatus,
  register,
  ...ACCOUNT_CALLS,
  listEventsCall,
  ...WEBHOOK_CALLS,
  ...KEY_CALLS,
  createQuote,
  ...LIST_CALLS,
  ...COUNT_CALLS,
  ...MODEL_CALLS,
  responsesSocket,
  ...GEMINI_CALLS,
  mcp,
];
