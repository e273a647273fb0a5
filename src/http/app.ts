// The public API: routes from the table, and around each of them the same order: size, key, handler, fault, headers.

import { type Context, Hono } from 'hono';
import type { Catalog } from '../catalog/catalog.ts';
import { type Fault, fault, isClientGone, toFault } from '../faults/fault.ts';
import type { Envelope } from '../faults/write.ts';
import { type Connection, NO_CONNECTION } from '../kit/connection.ts';
import { discoveryLinks } from '../kit/discovery-links.ts';
import { failpoint } from '../kit/failpoint.ts';
import { loadOnce } from '../kit/load-once.ts';
import { describeError } from '../kit/log.ts';
import { addressOf } from './client-address.ts';
import { addCommonHeaders } from './common-headers.ts';
import { isOpenToPages, preflight } from './cors.ts';
import { keyOf } from './credentials.ts';
import type { Exchange, HttpTools, KeyedExchange } from './exchange.ts';
import { clientName, createFaultResponses, type FaultResponse } from './fault-response.ts';
import { GEMINI_BASE, GEMINI_UPLOADS } from './gemini-path.ts';
import type { HttpRoute } from './operation.ts';
import { checkDeclaredBody } from './read-body.ts';
import { readPeerBeforeWait } from './read-keyed-body.ts';
import { routePath, routerPattern, similarRouteHint } from './route-path.ts';
import { ROUTES } from './route-table.ts';

interface AppBindings {
  connection: Connection;
}

type Router = Hono<{ Bindings: AppBindings }>;

/** Adds the routes of the pages after those of the API. */
export type AddPages = (app: Router) => void;

interface AppTools extends HttpTools {
  faultResponse: FaultResponse;
  links: string;
}

interface App {
  fetch(request: Request, connection: Connection): Response | Promise<Response>;
}

/** The plain routes of the API are found by one lookup, before the router and all pages. */
export function createApp(http: HttpTools, loadPages: () => Promise<AddPages>): App {
  const { publicUrl } = http;
  const tools: AppTools = {
    ...http,
    faultResponse: createFaultResponses(publicUrl),
    links: discoveryLinks(publicUrl),
  };
  const router = createRouter(tools, loadPages);
  const plain = new Map<string, HttpRoute>(ROUTES.map((route) => [route.name, route]));
  return {
    fetch(request, connection) {
      const path = routePath(request);
      if (hasSeveralHosts(request)) {
        return faultResponse(tools, newExchange(tools, request, path, connection), severalHosts());
      }
      const route = path.includes(':') ? undefined : plain.get(`${request.method} ${path}`);
      if (route) return serveRoute(tools, route, newExchange(tools, request, path, connection));
      // Pages need the address after a wait, when the client may be gone.
      connection.peer();
      return router.fetch(request, { connection });
    },
  };
}

/** The server joins headers of one name by commas, and no host has one in its name. */
function hasSeveralHosts({ headers }: Request): boolean {
  return headers.get('host')?.includes(',') === true;
}

/** A proxy in front of the gateway may have used the other one. */
function severalHosts(): Fault {
  return fault('invalid_request', { message: 'The request has more than one Host header. Send exactly one.' });
}

const NO_PARAMS: Exchange['params'] = {};

function newExchange(
  { newId }: HttpTools,
  request: Request,
  path: string,
  connection: Connection,
  params: Exchange['params'] = NO_PARAMS,
): Exchange {
  return { request, path, requestId: newId('req'), envelope: envelopeOf(path, request.headers), connection, params };
}

type RouterContext = Context<{ Bindings: AppBindings }>;

/** Pages are loaded with the first request that matches no route of the API: a gateway without visitors takes less memory. */
function createRouter(tools: AppTools, loadPages: () => Promise<AddPages>): Router {
  const app = newRouter(tools);
  app.options('*', (context) =>
    isOpenToPages(routePath(context.req.raw)) ? preflight(context.req.raw) : new Response(null, { status: 204 }),
  );
  for (const route of ROUTES) {
    app.on([route.method], routerPattern(route.path), (context) =>
      serveRoute(tools, route, exchangeOf(tools, context)),
    );
  }
  const rest = loadOnce(async () => createRest(tools, await loadPages()));
  app.all('*', async ({ req, env }) => (await rest()).fetch(req.raw, env));
  return app;
}

/** Pages, and requests whose path or method is unknown. */
function createRest(tools: AppTools, addPages: AddPages): Router {
  const app = newRouter(tools);
  addPages(app);
  for (const path of new Set(ROUTES.map((route) => route.path))) {
    app.on(EVERY_METHOD, routerPattern(path), (context) =>
      refuse(tools, context, methodFault(context.req.method, allowedMethods(path))),
    );
  }
  app.on(EVERY_METHOD, '*', (context) => {
    const exchange = exchangeOf(tools, context);
    const hint = similarRouteHint(exchange.path, tools.publicUrl);
    return faultResponse(
      tools,
      { ...exchange, envelope: unknownEnvelope(exchange) },
      fault('route_not_found', { hint, message: hint && `This path does not exist. ${hint}` }),
    );
  });
  return app;
}

function newRouter(tools: AppTools): Router {
  const app: Router = new Hono({ getPath: routePath });
  // A response to HEAD has no body: its source is released.
  app.use(async (context, next) => {
    await next();
    if (context.req.method === 'HEAD') context.res.body?.cancel().catch(() => {});
  });
  // An error thrown by a page becomes a fault: neither the response nor the log contains the text of the exception.
  app.onError((error, context) => refuse(tools, context, error));
  return app;
}

function refuse(tools: AppTools, context: RouterContext, error: unknown): Response {
  return faultResponse(tools, exchangeOf(tools, context), error);
}

function exchangeOf(tools: AppTools, { req, env }: RouterContext): Exchange {
  return newExchange(tools, req.raw, routePath(req.raw), env?.connection ?? NO_CONNECTION, req.param());
}

/** The router's name for all methods, including unknown ones. */
const EVERY_METHOD = ['ALL'];

async function serveRoute(tools: AppTools, route: HttpRoute, exchange: Exchange): Promise<Response> {
  exchange.route = route.name;
  /** Has the key once it was found. */
  let known: Exchange | KeyedExchange = exchange;
  try {
    if (route.maxBytes > 0) {
      checkDeclaredBody(exchange.request, route.maxBytes);
      // While draining, requests with a body are refused; other routes still answer.
      if (!tools.isReady()) throw fault('unavailable', { internal: 'draining' });
    }
    if (route.auth === 'none') return finish(tools, exchange, linked(tools, await route.handle(tools, exchange)));
    const { authenticator } = tools;
    const key = await readPeerBeforeWait(authenticator.authenticate(keyOf(exchange)), exchange.connection);
    if (!key) return faultResponse(tools, exchange, fault('invalid_api_key'));
    failpoint('key-checked');
    const keyed = { ...exchange, key };
    known = keyed;
    return finish(tools, keyed, await route.handle(tools, keyed));
  } catch (error) {
    return faultResponse(tools, known, error);
  }
}

function finish(tools: AppTools, exchange: Exchange, answer: Response | Fault): Response {
  return answer instanceof Response ? addCommonHeaders(exchange, answer) : faultResponse(tools, exchange, answer);
}

/** Tells clients that have no key yet where the documentation is. */
function linked({ links }: AppTools, answer: Response | Fault): Response | Fault {
  if (answer instanceof Response) answer.headers.set('link', links);
  return answer;
}

/** A bad key counts against its address. Beyond the limit, the response is `auth_rate_limited` in place of `refused`. */
function countBadKey(tools: HttpTools, exchange: Exchange, refused: Fault): Fault {
  const { bad_keys_per_minute: most } = tools.catalog().guards;
  if (most === null) return refused;
  try {
    tools.addressGuards.countBadKey(addressOf(tools, exchange), most);
    return refused;
  } catch (error) {
    return toFault(error);
  }
}

function faultResponse(tools: AppTools, exchange: Exchange, error: unknown): Response {
  const { request, requestId } = exchange;
  const found = toFault(error);
  const thrown = found.code === 'invalid_api_key' ? countBadKey(tools, exchange, found) : found;
  const isGone = isClientGone(thrown, request);
  if (!isGone) {
    tools.countFault(thrown.label);
    recordRefusal(tools, exchange, thrown);
  }
  if (thrown.isOurs && !isGone) {
    const detail = thrown === error ? thrown.details.internal : describeError(error);
    tools.log('error', 'fault', { request_id: requestId, code: thrown.code, detail });
  }
  return tools.faultResponse(thrown, exchange, clientName(request.headers));
}

const NO_FIGURES = {};

/**
 * Records a refused request for the operator. Nothing that the client sent is kept, but for the name of a model that the
 * catalog has. A failure of the gateway is no refusal, and an admitted call has a usage record.
 */
function recordRefusal(tools: HttpTools, exchange: Exchange | KeyedExchange, refused: Fault): void {
  if (refused.isOurs || exchange.wasAdmitted) return;
  const { requestId, route = '', requestedModel } = exchange;
  const key = 'key' in exchange ? exchange.key : undefined;
  tools.recordRefusal({
    requestId,
    accountId: key?.accountId ?? '',
    keyId: key?.keyId ?? '',
    endpoint: route,
    model: typeof requestedModel === 'string' ? knownModel(tools.catalog(), requestedModel) : null,
    status: refused.row.status,
    code: refused.label,
    figures: refused.details.figures ?? NO_FIGURES,
  });
}

function knownModel(catalog: Catalog, asked: string): string | null {
  return (catalog.retired.get(asked) ?? catalog.find(asked))?.id ?? null;
}

function envelopeOf(path: string, headers: Headers): Envelope {
  // Clients of both formats list models at this path; the header distinguishes them.
  if (isBelow(path, '/v1/models')) return headers.has('anthropic-version') ? 'anthropic' : 'openai';
  if (isBelow(path, GEMINI_BASE) || isBelow(path, GEMINI_UPLOADS)) return 'google';
  if (isBelow(path, '/v1/rerank') || isBelow(path, '/v2/rerank')) return 'cohere';
  return isBelow(path, '/v1/messages') ? 'anthropic' : 'openai';
}

/** Anthropic clients may call paths that only Anthropic has. */
function unknownEnvelope({ envelope, request }: Exchange): Envelope {
  return envelope === 'openai' && request.headers.has('anthropic-version') ? 'anthropic' : envelope;
}

function isBelow(path: string, base: string): boolean {
  return path.startsWith(base) && (path.length === base.length || path.charAt(base.length) === '/');
}

function methodFault(method: string, allowed: readonly string[]): Fault {
  return fault('method_not_allowed', {
    message: `This path does not support ${method}. Use ${allowed.join(' or ')}.`,
    headers: { allow: allowed.join(', ') },
  });
}

function allowedMethods(path: string): string[] {
  const methods: string[] = ROUTES.filter((route) => route.path === path).map((route) => route.method);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}
