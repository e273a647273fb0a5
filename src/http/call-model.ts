// The handler of every call that reaches a model. The calls differ in their format, the kind of model they are for, and how
// large a body they take: `routes/model-calls.ts`.

import { hasPassed, LOOP_HEADER } from '../channels/loop-guard.ts';
import { readConversationName } from '../dialects/conversation.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { Form } from '../dialects/form/form.ts';
import { Fault, fault } from '../faults/fault.ts';
import { assert } from '../kit/assert.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import { readTrace, TRACE_HEADER, writeTrace } from '../kit/traceparent.ts';
import { UNCOUNTED_WORK } from '../limits/large-work.ts';
import { setRetirement } from '../relay/answer-headers.ts';
import type { Answer, Call, IncomingCall } from '../relay/call.ts';
import { emptyAnswer, prepareCall, prepareLargeCall, refuseEarly } from '../relay/prepare-call.ts';
import { relayRequest } from '../relay/relay-request.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import { addressOf } from './client-address.ts';
import { gatewayHeaders, newResponse, STREAM_TYPE } from './common-headers.ts';
import type { RewrittenCall } from './compact-call.ts';
import type { Exchange, HttpTools, KeyedExchange } from './exchange.ts';
import type { CallUrl } from './gemini-path.ts';
import { type LargeCall, openLargeCall, type RefuseEarly } from './large-call.ts';
import { openQuote, QUOTE_HEADER, type QuotedPrice, requireQuoted } from './quoted-price.ts';
import { pause, readBody } from './read-body.ts';
import { needsForm, parseKeyed, readFiles, readPeerBeforeWait } from './read-keyed-body.ts';
import { takeRouting } from './take-routing.ts';

export interface ModelCall {
  path: string;
  kind: ModelKind;
  dialect: Dialect;
  /** Maximum size of a body in JSON. */
  maxBytes: number;
  /** Headers of the client that an upstream of its own dialect may see. */
  passedOn: readonly string[];
  /** Adds the model and settings of the URL to the body. */
  complete?(body: Uint8Array, url: CallUrl): Uint8Array;
  /** Sends another body than the client's, and answers with something else than the model's answer; undefined for neither. */
  rewrite?(tools: HttpTools, document: JsonDocument, accountId: string): Promise<RewrittenCall> | undefined;
}

export async function callModel(
  tools: HttpTools,
  exchange: KeyedExchange,
  endpoint: ModelCall,
): Promise<Response | Fault> {
  const capacity = tools.load.acquire(exchange.key.accountId);
  let large: LargeCall | undefined;
  try {
    // Read while the client is connected: afterwards its address is unknown.
    if (tools.catalog().guards.free_per_address_day !== null) exchange.connection.peer();
    if (hasPassed(exchange.request.headers.get(LOOP_HEADER), tools.gatewayId)) throw fault('loop_detected');
    const quoteId = exchange.request.headers.get(QUOTE_HEADER);
    const quoted = quoteId === null ? undefined : await openQuote(tools, quoteId, endpoint);
    large = openLargeCall(tools, exchange);
    const counted = large?.counting(capacity) ?? capacity;
    const form = await readFiles(tools, exchange, endpoint, { capacity, counted });
    const sent = form?.json ?? (await readBody(exchange.request, endpoint.maxBytes, tools.clock, counted));
    const body = endpoint.complete?.(sent, exchange) ?? sent;
    const { document: asked, key } = large
      ? await large.read(body, earlyRefusal(tools, exchange, endpoint, quoted))
      : parseKeyed(body, await readPeerBeforeWait(tools.authenticator.revalidate(exchange.key), exchange.connection));
    exchange.requestedModel = asked.value.model;
    if (!form && endpoint.dialect.request.form?.takesJson === false) throw needsForm(endpoint.dialect.request.form);
    if (quoted) await requireQuoted(tools, quoted, endpoint, { accountId: key.accountId, body: asked.value });
    const catalog = quoted?.catalog ?? tools.catalog();
    const routed = await takeRouting(asked, { ...endpoint, catalog, key });
    exchange.requestedModel = routed.document.value.model;
    const rewriting = endpoint.rewrite?.(tools, routed.document, key.accountId);
    const { finish, ...rewritten }: RewrittenCall = rewriting ? await rewriting : routed;
    const work = large ?? UNCOUNTED_WORK;
    const read = { ...routed, ...rewritten, form, key, capacity, work, quoted };
    const incoming = incomingCall(tools, exchange, endpoint, read);
    const call = large ? await prepareLargeCall(incoming, large) : prepareCall(incoming);
    const empty = emptyAnswer(call);
    if (empty !== undefined) {
      large?.answeredHere();
      capacity.release();
      return await answerHere(tools, exchange, empty, call);
    }
    limitByAddress(tools, exchange, call);
    const answer = await relayRequest(call);
    if (!(answer instanceof Fault)) return newResponse(exchange, ...written(answer, finish));
    exchange.wasAdmitted = call.wasAdmitted;
    large?.failed(answer);
    capacity.release();
    return answer;
  } catch (error) {
    large?.failed(error);
    capacity.release();
    throw error;
  }
}

function written(
  { body, headers }: Answer,
  finish: RewrittenCall['finish'],
): [body: Answer['body'], Pick<Answer, 'headers'>] {
  if (!finish) return [body, { headers }];
  // A rewritten answer was requested as a whole, and no text is so long that it is sent in parts.
  assert(typeof body === 'string', 'the answer is a text');
  const { body: text, isStream } = finish(body, headers['x-svc-channel'] ?? '');
  return [text, { headers: isStream ? { ...headers, 'content-type': STREAM_TYPE } : headers }];
}

function earlyRefusal(
  tools: HttpTools,
  exchange: Exchange,
  { kind, dialect }: ModelCall,
  quoted: QuotedPrice | undefined,
): RefuseEarly {
  const noWait = isSet(exchange.request, 'x-svc-no-wait');
  return (key, unparsed) => {
    exchange.requestedModel = unparsed.value.model;
    const catalog = quoted?.catalog ?? tools.catalog();
    refuseEarly({ tools: tools.relay, catalog, key, kind, dialect, noWait }, unparsed);
  };
}

interface ReadCall extends Pick<IncomingCall, 'routing' | 'key' | 'capacity' | 'work'>, Omit<RewrittenCall, 'finish'> {
  form?: Form | undefined;
  quoted?: QuotedPrice | undefined;
}

/** A call as the relay takes it. */
export function incomingCall(
  tools: HttpTools,
  { request, requestId, connection }: Exchange,
  { path, kind, dialect: usual, passedOn }: ModelCall,
  { document, dialect = usual, routing, vendorItems = [], form, key, capacity, work, quoted }: ReadCall,
): IncomingCall {
  const trace = readTrace(request.headers.get(TRACE_HEADER));
  return {
    tools: tools.relay,
    requestId,
    key,
    catalog: quoted?.catalog ?? tools.catalog(),
    quotedMost: quoted?.most,
    kind,
    dialect,
    document,
    form,
    routing,
    vendorItems,
    endpoint: path,
    conversationName: readConversationName(request.headers, document.value),
    headers: passedHeaders(request.headers, passedOn, trace && writeTrace(trace, tools.random)),
    traceId: trace?.traceId,
    capacity,
    pause,
    work,
    isStrict: isSet(request, 'x-svc-strict'),
    noWait: isSet(request, 'x-svc-no-wait'),
    connection,
    gone: request.signal,
  };
}

function isSet({ headers }: Request, name: 'x-svc-strict' | 'x-svc-no-wait'): boolean {
  return headers.get(name) === '1';
}

/** Where free calls are limited by the client's address, the call carries it. */
export function limitByAddress(tools: HttpTools, exchange: Exchange, call: Call): void {
  const { model, catalog } = call;
  if (model.free && catalog.guards.free_per_address_day !== null) call.freeAddress = addressOf(tools, exchange);
}

/** No upstream is asked, and nothing is charged. */
async function answerHere(tools: HttpTools, exchange: KeyedExchange, body: string, call: Call): Promise<Response> {
  const isStream = call.request.stream;
  const type = isStream ? STREAM_TYPE : 'application/json';
  const headers = await gatewayHeaders(tools, exchange, exchange.envelope, { isStream });
  setRetirement(headers, call.named, call.model, tools.publicUrl);
  return newResponse(exchange, body, { headers: { 'content-type': type, ...headers } });
}

/** The client's headers that upstreams may see. */
function passedHeaders(headers: Headers, names: readonly string[], trace: string | undefined): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) passed[name] = value;
  }
  const hops = headers.get(LOOP_HEADER);
  if (hops !== null) passed[LOOP_HEADER] = hops;
  if (trace !== undefined) passed[TRACE_HEADER] = trace;
  return passed;
}
