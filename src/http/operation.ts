// The calls of the public API: each is a described call with who may make it, how large its body may be, and its handler.

import { z } from 'zod';
import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import { requireDelegate, requireManage } from '../accounts/keys/manage-keys.ts';
import { readQuery, readShape } from '../accounts/read-shape.ts';
import { idempotencyHeaders, type Replayable } from '../accounts/replays.ts';
import { type Fault, fault } from '../faults/fault.ts';
import type { FaultCode } from '../faults/table.ts';
import type { Envelope } from '../faults/write.ts';
import type { BeginIdempotency, Idempotency } from '../kit/idempotency.ts';
import { type JsonDocument, readJsonObject } from '../kit/json/json.ts';
import { requestUrl } from '../kit/request-url.ts';
import { text } from '../kit/shapes.ts';
import { type Call, type Description, describeCall, type Params, type RouteName } from './description.ts';
import type { Exchange, HttpTools, KeyedExchange } from './exchange.ts';
import { parseBody, parseOptionalBody } from './read-body.ts';
import { type KeyedBody, readKeyedJson } from './read-keyed-body.ts';

const MAX_CHARS = 255;

export const idempotencyKey = (minChars: number) => ({
  'Idempotency-Key': text
    .min(minChars)
    .max(MAX_CHARS)
    .describe(
      'The same one with the same body, within 24 hours, gives the same result, whatever changed since; nothing happens twice.',
    ),
});

interface IdempotencyScope {
  /** The owner of the key: the account, or on register the client's address. */
  scope: string;
  /** Where anyone may call, a guessable key would hand one caller's result to another. */
  minChars: number;
}

export function readIdempotencyKey(
  begin: BeginIdempotency,
  request: Request,
  body: string,
  { scope, minChars }: IdempotencyScope,
): Idempotency | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (key.length < minChars || key.length > MAX_CHARS) {
    throw fault('invalid_request', {
      param: 'Idempotency-Key',
      message: `The Idempotency-Key must have ${minChars} to ${MAX_CHARS} characters. Send for example a random UUID.`,
    });
  }
  return begin(scope, key, body);
}

interface PublicDescription extends Description {
  tag: 'models' | 'account' | 'public' | 'operation';
  /** 0 if left out: no body is taken. While draining, calls that take one are refused. */
  maxBytes?: number;
  /** Besides the faults of the key and the body. */
  faults?: readonly FaultCode[];
  /** The envelope of its faults; `either`: by the client's headers. */
  envelope?: Envelope | 'either';
}

type RouteBase<Name extends RouteName> = Call<Name> &
  Required<Pick<PublicDescription, 'maxBytes' | 'faults' | 'envelope'>>;

/** A refusal may be returned as well as thrown: to throw costs more than all else that a flood of refused calls needs. */
type Answer = Response | Fault;
type Handle<Given extends Exchange> = (tools: HttpTools, exchange: Given) => Answer | Promise<Answer>;

export interface OpenRoute<Name extends RouteName = RouteName> extends RouteBase<Name> {
  auth: 'none';
  handle: Handle<Exchange>;
}

/** `manage`: a key that may manage. `delegate`: such a key, or one that delegates, for the keys below it. */
type KeyAuth = 'key' | 'manage' | 'delegate';

const RIGHTS: Readonly<Record<KeyAuth, (key: PresentedKey) => void>> = {
  key: () => {},
  manage: requireManage,
  delegate: requireDelegate,
};

interface KeyedRoute<Name extends RouteName = RouteName> extends RouteBase<Name> {
  auth: KeyAuth;
  handle: Handle<KeyedExchange>;
}

export type HttpRoute = OpenRoute | KeyedRoute;

export const OURS: readonly FaultCode[] = ['unavailable', 'internal_error'];
const KEYED: readonly FaultCode[] = ['invalid_api_key', 'auth_rate_limited', ...OURS];
const WITH_BODY: readonly FaultCode[] = ['invalid_request', 'request_timeout', 'request_too_large'];

type Handled<Given extends Exchange> = PublicDescription & { handle: Handle<Given> };

/** A call that needs no key. */
export function openRoute<Name extends RouteName>(name: Name, call: Handled<Exchange>): OpenRoute<Name> {
  return { ...routeBase(name, true, call), auth: 'none', handle: call.handle };
}

/** A call whose handler reads the request itself. */
export function keyedRoute<Name extends RouteName>(name: Name, call: Handled<KeyedExchange>): KeyedRoute<Name> {
  return { ...routeBase(name, false, call), auth: 'key', handle: call.handle };
}

function routeBase<Name extends RouteName>(
  name: Name,
  isOpen: boolean,
  description: PublicDescription,
): RouteBase<Name> {
  const { body, bodyAs, faults = [], maxBytes = 0, envelope = 'openai', answerHeaders = [] } = description;
  return {
    ...describeCall(name, isOpen, description),
    maxBytes,
    envelope,
    answerHeaders: ['x-request-id', ...answerHeaders],
    faults: [...(body || bodyAs ? WITH_BODY : []), ...faults, ...(isOpen ? [] : KEYED)],
  };
}

/** The read-only type of a shape. */
type Shown<Value> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Shown<Value[Name]> }
    : Value;

interface Given<Name extends RouteName, Query, Body> {
  /** As it is once the body is there. */
  key: PresentedKey;
  params: Params<Name>;
  query: Query;
  body: Body;
  document: JsonDocument;
  idempotency: Idempotency | undefined;
  exchange: KeyedExchange;
}

interface AccountCall<Name extends RouteName, Query extends z.ZodObject, Body extends z.ZodObject, Answer>
  extends Omit<PublicDescription, 'tag' | 'body'> {
  auth?: KeyAuth;
  query?: Query;
  body?: Body;
  /** A body that the use case reads from the document. */
  outline?: z.ZodObject;
  answer: z.ZodType<Answer>;
  /** The scope in which an Idempotency-Key is unique. */
  once?(key: PresentedKey, params: Params<Name>): string;
  run(
    tools: HttpTools,
    given: Given<Name, z.output<Query>, z.output<Body>>,
  ): Promise<Shown<Answer> | Replayable<Shown<Answer>> | Response>;
}

/** A call on an account: its input is checked before it runs, and its result is returned as JSON. */
export function accountCall<
  Name extends RouteName,
  Answer,
  Query extends z.ZodObject = typeof NOTHING,
  Body extends z.ZodObject = typeof NOTHING,
>(name: Name, call: AccountCall<Name, Query, Body, Answer>): KeyedRoute<Name> {
  const { auth = 'key', query, body, outline, once, run, ...description } = call;
  const { status = 200, maxBytes = 0, faults = [], isBodyOptional = false } = description;
  const described = body ?? outline;
  const base = routeBase(name, false, {
    ...description,
    tag: 'account',
    query,
    body: described,
    faults: [
      ...onlyIf(query, 'invalid_request'),
      ...faults,
      ...onlyIf(once, 'idempotency_key_reused'),
      ...onlyIf(auth !== 'key', 'key_not_permitted'),
    ],
    ...(once ? { requestHeaders: idempotencyKey(1), answerHeaders: ['idempotency-hit'] } : {}),
  });

  async function handle(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
    const { request } = exchange;
    const params = exchange.params as Params<Name>;
    RIGHTS[auth](exchange.key);
    const asked = readQuery(query ?? NOTHING, requestUrl(request).searchParams) as z.output<Query>;
    const { document, key } = described
      ? await readJson(tools, exchange)
      : { document: NO_DOCUMENT, key: exchange.key };
    const idempotency =
      once &&
      readIdempotencyKey(tools.beginIdempotency, request, document.text, { scope: once(key, params), minChars: 1 });
    const sent = readShape(body ?? NOTHING, document.value) as z.output<Body>;
    const result = await run(tools, { key, params, query: asked, body: sent, document, idempotency, exchange });
    if (result instanceof Response) return result;
    if (!isReplayable(result)) return Response.json(result, { status });
    return Response.json(result.answer, { status, headers: idempotencyHeaders(result.isReplay) });
  }

  /** Checks the key again: it may have lost its rights while the body arrived. */
  async function readJson(tools: HttpTools, exchange: KeyedExchange): Promise<KeyedBody> {
    // Read while the client is connected: a bad key counts against its address.
    exchange.connection.peer();
    const keyed = await readKeyedJson(tools, exchange, maxBytes, isBodyOptional ? parseOptionalBody : parseBody);
    RIGHTS[auth](keyed.key);
    return keyed;
  }

  return { ...base, auth, handle };
}

const onlyIf = (isSo: unknown, code: FaultCode): FaultCode[] => (isSo ? [code] : []);
const NOTHING = z.object({});
const NO_DOCUMENT = readJsonObject('{}');

function isReplayable<Answer>(result: Answer | Replayable<Answer>): result is Replayable<Answer> {
  return typeof result === 'object' && result !== null && 'isReplay' in result;
}
