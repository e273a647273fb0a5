// Liveness says the process answers; readiness says it may be sent requests.

import type { Exchange, HttpTools } from '../exchange.ts';

export function healthz(): Response {
  return Response.json({ status: 'ok' });
}

export function readyz(tools: HttpTools, _exchange: Exchange): Response {
  const ready = tools.isReady() && tools.hasStore();
  return Response.json({ ready }, { status: ready ? 200 : 503 });
}
