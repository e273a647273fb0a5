// POST /v1/messages/count_tokens: how many tokens a messages request would be, counted here. It costs nothing, takes no
// slot and asks no upstream, so that a client may call it before every turn; only large bodies are limited.

import { readInput } from '../../dialects/anthropic-messages/read-request.ts';
import { readModel } from '../../dialects/fields.ts';
import { estimateAt } from '../../dialects/input/estimated-input.ts';
import { count, named } from '../../kit/shapes.ts';
import { chooseModel } from '../../relay/choose-model.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { gatewayHeaders } from '../gateway-headers.ts';
import { type LargeCall, openLargeCall } from '../large-call.ts';
import { keyedRoute } from '../operation.ts';
import { readBody } from '../read-body.ts';
import { parseKeyed } from '../read-keyed-body.ts';
import {
  anthropicAnswerHeaders,
  anthropicHeaders,
  countTokensRequest,
  gatewayAnswerHeaders,
  MODEL_FAULTS,
} from './outlines.ts';

const MAX_BYTES = 20 * 1024 * 1024;

export const countTokens = keyedRoute('POST /v1/messages/count_tokens', {
  id: 'countTokens',
  tag: 'models',
  summary: 'How many tokens a messages request would be',
  description:
    'Counted by the gateway. It costs nothing, takes no slot and asks no upstream; many very large bodies in a few seconds are refused.',
  maxBytes: MAX_BYTES,
  requestHeaders: anthropicHeaders,
  body: countTokensRequest,
  example: { model: 'auto:free', messages: [{ role: 'user', content: 'Hello' }] },
  result: 'The count.',
  answer: named('CountTokensAnswer', { input_tokens: count }),
  answerHeaders: [...gatewayAnswerHeaders, ...anthropicAnswerHeaders],
  faults: [...MODEL_FAULTS, 'unsupported_endpoint', 'rate_limited'],
  envelope: 'anthropic',
  handle: handleCount,
});

async function handleCount(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const capacity = tools.load.acquire(exchange.key.accountId);
  let large: LargeCall | undefined;
  try {
    large = openLargeCall(tools, exchange, true);
    const body = await readBody(exchange.request, MAX_BYTES, tools.clock, capacity);
    const { document, key } = large
      ? await large.read(body, (found, fields) => chooseModel(tools.catalog(), found, readModel(fields), 'chat'))
      : parseKeyed(body, await tools.authenticator.revalidate(exchange.key));
    const { routes } = chooseModel(tools.catalog(), key, readModel(document), 'chat');
    const tokens = estimateAt(readInput(document), routes[0]?.model ?? '');
    large?.answeredHere();
    return Response.json(
      { input_tokens: tokens },
      { headers: await gatewayHeaders(tools, exchange, exchange.envelope) },
    );
  } catch (error) {
    large?.failed(error);
    throw error;
  } finally {
    capacity.release();
  }
}
