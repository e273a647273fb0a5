// POST /api/quote: what a call can cost, likely costs, and whether it would be refused now. Nothing is held, charged or
// counted, no upstream is asked, and nothing of the body is kept.

import { z } from 'zod';
import { QUOTE_MS } from '../../accounts/quotes.ts';
import { publicPrice, publicPriceShape } from '../../catalog/public-price.ts';
import { nearestWithin } from '../../catalog/schedule.ts';
import { readModel } from '../../dialects/fields.ts';
import { estimateAt } from '../../dialects/input/estimated-input.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { writeRefusal } from '../../faults/write.ts';
import { isObject, type JsonDocument, type JsonObject } from '../../kit/json/json.ts';
import { minNano, moneyFields, type Nano } from '../../kit/money.ts';
import { chargedTier } from '../../kit/prices.ts';
import { amount, anyObject, count, named, text, time } from '../../kit/shapes.ts';
import { costOf } from '../../ledger/cost.ts';
import { UNCOUNTED_WORK } from '../../limits/large-work.ts';
import { type Preview, previewCall } from '../../relay/admit.ts';
import type { Call, IncomingCall } from '../../relay/call.ts';
import { otherUnits } from '../../relay/measure.ts';
import { emptyAnswer, prepareCall, prepareLargeCall } from '../../relay/prepare-call.ts';
import { NO_BUCKETS } from '../../store/rows.ts';
import { incomingCall, limitByAddress, type ModelCall } from '../call-model.ts';
import type { RewrittenCall } from '../compact-call.ts';
import type { ModelFor } from '../description.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { refusalShape } from '../fault-shapes.ts';
import { GEMINI_BASE } from '../gemini-path.ts';
import { answerWithoutModel, type BodyWithoutModel, type LargeCall } from '../large-call.ts';
import { keyedRoute } from '../operation.ts';
import { finishScan, openScan, parseScannedText, tooLarge } from '../read-body.ts';
import { takeRouting } from '../take-routing.ts';
import { findGeminiCall } from './gemini.ts';
import { MODEL_CALLS } from './model-calls.ts';
import { MODEL_FAULTS, strict } from './outlines.ts';

const CALLS = MODEL_CALLS.map(({ call }) => call);
const ENDPOINTS: ReadonlyMap<unknown, ModelCall> = new Map(CALLS.map((call) => [call.path, call]));
const PATHS = CALLS.map(({ path }) => path);
const WRAPPER_BYTES = 64 * 1024;
const MAX_BYTES = Math.max(...CALLS.map(({ maxBytes }) => maxBytes)) + WRAPPER_BYTES;

const quote = named('Quote', {
  quote_id: text.regex(/^qte_[\w-]+$/),
  expires_at: time,
  model: text,
  ...amount('max_cost', 'the most that the call can cost: what would be held for it'),
  ...amount('likely_cost', 'what it likely costs'),
  input_tokens: z.object({ upper: count, estimate: count }),
  output_tokens: z.object({ bound: count }).describe('All answers together.'),
  price: publicPriceShape,
  refusal: refusalShape.nullable().describe('The error that the call would get now; null if it would be admitted.'),
});

export const createQuote = keyedRoute('POST /api/quote', {
  id: 'createQuote',
  tag: 'account',
  summary: 'What a model call can cost, before it is made',
  description:
    'Costs nothing, takes no slot and asks no upstream. An account may ask for 600 quotes in a minute and 32 at once; many very large bodies in a few seconds are refused. Send `quote_id` as `x-svc-quote` with the same body to have this price until `expires_at`: 10 minutes, or until the model retires.',
  maxBytes: MAX_BYTES,
  requestHeaders: strict,
  body: z.object({
    endpoint: z
      .union([z.enum(PATHS), text.regex(/^\/v1beta\/models\//)])
      .describe('The path of the call; of a Gemini call with its model, and with `?alt=sse` if it has that.'),
    body: anyObject.describe('The body of the call.'),
  }),
  example: (modelFor: ModelFor) => ({
    endpoint: '/v1/chat/completions',
    body: { model: modelFor('chat'), messages: [{ role: 'user', content: 'Hello' }] },
  }),
  result: 'The quote.',
  answer: quote,
  faults: [...MODEL_FAULTS, 'unsupported_endpoint', 'rate_limited', 'too_many_in_flight'],
  handle: handleQuote,
});

function handleQuote(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  return answerWithoutModel(tools, exchange, { maxBytes: MAX_BYTES }, async (read) => {
    // Not before: a body that comes slowly costs no CPU time.
    const end = tools.quoteGuard.begin(read.key.accountId);
    try {
      return Response.json(await quoteCall(tools, exchange, read));
    } finally {
      end();
    }
  });
}

async function quoteCall(
  tools: HttpTools,
  exchange: KeyedExchange,
  { document, key, capacity, large }: BodyWithoutModel,
) {
  const { endpoint, body } = await readQuoted(document);
  const work = large ?? UNCOUNTED_WORK;
  const routed = await takeRouting(body, { ...endpoint, catalog: tools.catalog(), key });
  const rewritten: RewrittenCall = (await endpoint.rewrite?.(tools, routed.document, key.accountId)) ?? routed;
  const incoming = incomingCall(tools, exchange, endpoint, { ...routed, ...rewritten, key, capacity, work });
  const { call, refused } = await prepare(incoming, large);
  limitByAddress(tools, exchange, call);
  const preview = await previewOf(call);
  return quoteOf(tools, call, body.value, { ...preview, refused: refused ?? preview.refused });
}

/** The call that is asked about: its endpoint, and its body as if it had come alone. */
async function readQuoted({ text, value, spans }: JsonDocument): Promise<{ endpoint: ModelCall; body: JsonDocument }> {
  const span = spans.get('body');
  if (span && !isObject(value.body)) throw notABody();
  const inUrl = typeof value.endpoint === 'string' ? findGeminiCall(value.endpoint) : undefined;
  const endpoint = inUrl?.call ?? ENDPOINTS.get(value.endpoint);
  if (!endpoint) {
    const paths = `${PATHS.join(', ')}, or ${GEMINI_BASE}/models/{model}:generateContent with the id of a model`;
    throw fault('invalid_request', { param: 'endpoint', message: `endpoint must be one of ${paths}.` });
  }
  if (!span) throw notABody();
  const sent = text.slice(span.valueStart, span.valueEnd);
  if (Buffer.byteLength(sent) > endpoint.maxBytes) throw tooLarge(endpoint.maxBytes);
  const own = inUrl ? completed(sent, inUrl) : sent;
  return { endpoint, body: await parseScannedText(own, await finishScan(openScan(own))) };
}

/** Adds the model and settings of the call's URL. */
function completed(sent: string, { call, url }: NonNullable<ReturnType<typeof findGeminiCall>>): string {
  const body = call.complete?.(new TextEncoder().encode(sent), url);
  return body ? new TextDecoder().decode(body) : sent;
}

function notABody(): Fault {
  return fault('invalid_request', { param: 'body', message: 'body must be an object: the body of the call.' });
}

interface Prepared {
  call: Call;
  refused?: Fault;
}

/** A key that may not use the model is quoted, too: the quote says that the call would be refused. */
async function prepare(incoming: IncomingCall, large: LargeCall | undefined): Promise<Prepared> {
  const prepared = async (one: IncomingCall) => (large ? prepareLargeCall(one, large) : prepareCall(one));
  try {
    return { call: await prepared(incoming) };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'model_not_allowed') throw error;
    const { key, catalog, document, routing } = incoming;
    const asked = [readModel(document), ...(routing?.models ?? []).map(({ id }) => id)];
    const ids = asked.map((id) => catalog.find(id)?.id ?? '');
    const allowed = { ...key, allowedModels: [...(key.allowedModels ?? []), ...ids] };
    return { call: await prepared({ ...incoming, key: allowed }), refused: error };
  }
}

/** A call that only warms a cache which its upstream does not have is answered without one, and free. */
function previewOf(call: Call): Preview | Promise<Preview> {
  return emptyAnswer(call) === undefined ? previewCall(call) : NOTHING_ASKED;
}

const NOTHING_ASKED: Preview = { most: 0n, inputTokens: 0, outputTokens: 0, refused: undefined };

/** `body`: as it was sent. */
async function quoteOf(tools: HttpTools, call: Call, body: JsonObject, preview: Preview) {
  const { quotes, clock, publicUrl } = tools;
  const { requestId, key, endpoint, dialect, model, catalog, request } = call;
  const { most, inputTokens: upper, outputTokens: bound, refused } = preview;
  const estimate = Math.min(upper, estimateAt(request.input, model.routes[0]?.model ?? ''));
  const pricedAt = nearestWithin(catalog, clock.now());
  const expiresAt = Math.min(pricedAt + QUOTE_MS, model.retirement?.at ?? Number.POSITIVE_INFINITY);
  const subject = await quotes.hashRequest({ accountId: key.accountId, endpoint, body });
  return {
    quote_id: quotes.ids.write({ expiresAt, revision: catalog.revision, pricedAt, most, subject }),
    expires_at: new Date(expiresAt).toISOString(),
    model: model.id,
    ...moneyFields('max_cost', most),
    ...moneyFields('likely_cost', minNano(most, await likelyCost(tools, call, estimate, bound))),
    input_tokens: { upper, estimate },
    output_tokens: { bound },
    price: publicPrice(model),
    refusal: refused ? writeRefusal(refused, dialect.envelope, { publicUrl, requestId }) : null,
  };
}

/** The estimated input, not cached, and as much output as such calls had on average. */
async function likelyCost({ quotes }: HttpTools, call: Call, input: number, bound: number): Promise<Nano> {
  const { key, model, request } = call;
  if (model.free) return 0n;
  const mean = bound === 0 ? 0 : ((await quotes.likelyOutput(key.accountId, model.id)) ?? bound);
  const output = Math.min(bound, Math.round(mean));
  const tier = chargedTier(model.prices, { sent: request.serviceTier, reported: undefined });
  const used = { ...NO_BUCKETS, input, output, images: request.images, ...otherUnits(request) };
  return costOf(used, model.prices, tier);
}
