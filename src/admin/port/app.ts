// The operator's port: routes from the table, and around each of them the same order: host, token, handler, refusal.

import { type Context, Hono } from 'hono';
import { isClientGone } from '../../faults/fault.ts';
import { loadOnce } from '../../kit/load-once.ts';
import { describeError } from '../../kit/log.ts';
import { type CheckToken, createCheckToken, tokenIn } from './guard-token.ts';
import { PortRefused, refusalResponse } from './refused.ts';
import { OPERATOR_ROUTES } from './route-table.ts';
import type { OperatorExchange, OperatorTools } from './tools.ts';

type Handle = (exchange: OperatorExchange) => Response | Promise<Response>;

/** Adds pages for people. They have their own sign-in page, which asks for the same token. */
export type AddPages = (app: Hono, check: CheckToken) => void;

/** Pages come after the routes for programs, and are loaded with the first request for one. */
export function createOperatorApp(tools: OperatorTools, loadPages: () => Promise<AddPages>): Hono {
  const check = createCheckToken(tools.clock, tools.adminToken);
  const app = newRouter(tools);
  const serve = (router: Hono, method: string, path: string, handle: Handle) =>
    router.on(method, path, (context) => answer(tools, check, exchangeOf(tools, context), handle));

  for (const { method, path, handle } of OPERATOR_ROUTES)
    serve(app, method, path, (exchange) => handle(tools, exchange));
  for (const path of new Set(OPERATOR_ROUTES.map((route) => route.path))) {
    serve(app, EVERY_METHOD, path, () => {
      const methods = OPERATOR_ROUTES.filter((route) => route.path === path).map((route) => route.method);
      const headers = { allow: methods.join(', ') };
      throw new PortRefused(
        405,
        'method_not_allowed',
        'This path does not support this method. Use one of the methods in the allow header.',
        { headers },
      );
    });
  }
  app.use('*', async (context, next) => {
    if (isLoopbackName(context.req.header('host'))) return next();
    return answer(tools, check, exchangeOf(tools, context), () => refuseHost());
  });
  const pages = loadOnce(async () => {
    const addPages = await loadPages();
    const router = newRouter(tools);
    addPages(router, check);
    serve(router, EVERY_METHOD, '*', () => {
      throw new PortRefused(404, 'route_not_found', 'This path does not exist. Check it.');
    });
    return router;
  });
  app.all('*', async (context) => (await pages()).fetch(context.req.raw));
  return app;
}

/** An error that a page does not handle itself is handled as on a route. */
function newRouter(tools: OperatorTools): Hono {
  const router = new Hono();
  router.onError((error, context) => refused(tools, exchangeOf(tools, context), error));
  return router;
}

/** The router's name for any method, also one that HTTP does not know. */
const EVERY_METHOD = 'ALL';

function exchangeOf(tools: OperatorTools, context: Context): OperatorExchange {
  return { request: context.req.raw, requestId: tools.newId('req'), params: context.req.param() };
}

async function answer(tools: OperatorTools, check: CheckToken, exchange: OperatorExchange, handle: Handle) {
  try {
    if (!isLoopbackName(exchange.request.headers.get('host') ?? undefined)) refuseHost();
    await check(tokenIn(exchange.request.headers));
    return withHeaders(exchange, await handle(exchange));
  } catch (error) {
    return refused(tools, exchange, error);
  }
}

function refused(tools: OperatorTools, exchange: OperatorExchange, error: unknown): Response {
  const { request, requestId } = exchange;
  const response = refusalResponse(error, requestId);
  if (response.status >= 500 && !isClientGone(error, request)) {
    tools.log('error', 'operator_fault', { request_id: requestId, detail: describeError(error) });
  }
  return withHeaders(exchange, response);
}

function withHeaders({ requestId }: OperatorExchange, response: Response): Response {
  response.headers.set('x-request-id', requestId);
  response.headers.set('x-content-type-options', 'nosniff');
  return response;
}

/** Stops DNS rebinding: another site whose name resolves to this machine must not use the browser's cookies. */
function isLoopbackName(host: string | undefined): boolean {
  return LOOPBACK_NAMES.has((host ?? '').toLowerCase().replace(/:\d+$/, ''));
}

function refuseHost(): never {
  throw new PortRefused(403, 'host_refused', 'Reach this port as localhost or 127.0.0.1.');
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
