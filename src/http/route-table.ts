// Every route of the public port, in one place: method, path, who may call it, and how large its body may be.

import type { Exchange, HttpTools, KeyedExchange, Reply } from './exchange.ts';
import { me, receipt, usage } from './routes/account.ts';
import { catalog } from './routes/catalog.ts';
import { COUNT_TOKENS_MAX_BYTES, countTokens } from './routes/count-tokens.ts';
import { healthz, readyz } from './routes/health.ts';
import { deleteKey, getKeys, KEYS_MAX_BYTES, patchKey, postKey, postRotate } from './routes/keys.ts';
import { callModel, MODEL_CALLS } from './routes/model-calls.ts';
import { listModels, showModel } from './routes/models.ts';
import { openapi } from './routes/openapi.ts';
import { REDEEM_MAX_BYTES, redeem } from './routes/redeem.ts';
import { REGISTER_MAX_BYTES, register } from './routes/register.ts';
import { status } from './routes/status.ts';

interface RouteBase {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** 0: the route takes no body. */
  maxBytes: number;
  /** While draining, new work is refused; what only informs goes on. */
  isWork: boolean;
  /** The handler sets the headers that all answers carry itself. */
  hasHeaders?: boolean;
}

export type HttpRoute =
  | (RouteBase & { auth: 'none'; handle(tools: HttpTools, exchange: Exchange): Reply | Promise<Reply> })
  | (RouteBase & { auth: 'key'; handle(tools: HttpTools, exchange: KeyedExchange): Reply | Promise<Reply> });

const READ = { maxBytes: 0, isWork: false } as const;
const work = (maxBytes: number) => ({ maxBytes, isWork: true }) as const;

export const ROUTES: readonly HttpRoute[] = [
  { method: 'GET', path: '/healthz', auth: 'none', handle: healthz, ...READ },
  { method: 'GET', path: '/readyz', auth: 'none', handle: readyz, ...READ },
  { method: 'GET', path: '/openapi.json', auth: 'none', handle: openapi, ...READ },
  { method: 'GET', path: '/api/public/catalog', auth: 'none', handle: catalog, ...READ },
  { method: 'GET', path: '/api/public/status', auth: 'none', handle: status, ...READ },
  { method: 'POST', path: '/api/agent/register', auth: 'none', handle: register, ...work(REGISTER_MAX_BYTES) },
  { method: 'GET', path: '/api/me', auth: 'key', handle: me, ...READ },
  { method: 'GET', path: '/api/usage', auth: 'key', handle: usage, ...READ },
  { method: 'GET', path: '/api/receipts/:id', auth: 'key', handle: receipt, ...READ },
  { method: 'POST', path: '/api/redeem', auth: 'key', handle: redeem, ...work(REDEEM_MAX_BYTES) },
  { method: 'GET', path: '/api/keys', auth: 'key', handle: getKeys, ...READ },
  { method: 'POST', path: '/api/keys', auth: 'key', handle: postKey, ...work(KEYS_MAX_BYTES) },
  { method: 'PATCH', path: '/api/keys/:id', auth: 'key', handle: patchKey, ...work(KEYS_MAX_BYTES) },
  { method: 'DELETE', path: '/api/keys/:id', auth: 'key', handle: deleteKey, ...work(KEYS_MAX_BYTES) },
  { method: 'POST', path: '/api/keys/:id/rotate', auth: 'key', handle: postRotate, ...work(KEYS_MAX_BYTES) },
  { method: 'GET', path: '/v1/models', auth: 'key', handle: listModels, ...READ },
  { method: 'GET', path: '/v1/models/:id', auth: 'key', handle: showModel, ...READ },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    auth: 'key',
    handle: countTokens,
    ...work(COUNT_TOKENS_MAX_BYTES),
  },
  ...MODEL_CALLS.map(
    (call): HttpRoute => ({
      method: 'POST',
      path: call.path,
      auth: 'key',
      handle: (tools, exchange) => callModel(tools, exchange, call),
      ...work(call.maxBytes),
      hasHeaders: true,
    }),
  ),
];
