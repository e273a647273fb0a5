// POST /v1/messages/count_tokens: how many tokens a messages request would be, counted here. It costs nothing, takes no
// slot and asks no upstream, so that a client may call it before every turn; only large bodies are limited.

import { readInput } from '../../dialects/anthropic-messages/read-request.ts';
import { readModel } from '../../dialects/fields.ts';
import { estimateAt } from '../../dialects/input/estimated-input.ts';
import { count, named } from '../../kit/shapes.ts';
import { chooseModel } from '../../relay/choose-model.ts';
import { answerWithoutModel } from '../answer-without-model.ts';
import type { ModelFor } from '../description.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { gatewayHeaders } from '../gateway-headers.ts';
import type { RefuseEarly } from '../large-call.ts';
import { keyedRoute } from '../operation.ts';
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
  example: (modelFor: ModelFor) => ({ model: modelFor('chat'), messages: [{ role: 'user', content: 'Hello' }] }),
  result: 'The count.',
  answer: named('CountTokensAnswer', { input_tokens: count }),
  answerHeaders: [...gatewayAnswerHeaders, ...anthropicAnswerHeaders],
  faults: [...MODEL_FAULTS, 'unsupported_endpoint', 'rate_limited'],
  envelope: 'anthropic',
  handle: handleCount,
});

async function handleCount(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const refuseEarly: RefuseEarly = (key, fields) => chooseModel(tools.catalog(), key, readModel(fields), 'chat');
  return answerWithoutModel(tools, exchange, { maxBytes: MAX_BYTES, refuseEarly }, async ({ document, key }) => {
    const { routes } = chooseModel(tools.catalog(), key, readModel(document), 'chat');
    const tokens = estimateAt(readInput(document), routes[0]?.model ?? '');
    return Response.json(
      { input_tokens: tokens },
      { headers: await gatewayHeaders(tools, exchange, exchange.envelope) },
    );
  });
}
