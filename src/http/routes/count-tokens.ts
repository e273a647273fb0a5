// How many tokens a request would be, counted here. It costs nothing, takes no slot and asks no upstream, so that a client may
// call it before every turn; only large bodies are limited.

import { z } from 'zod';
import { readInput as readMessagesInput } from '../../dialects/anthropic-messages/read-request.ts';
import { readModel } from '../../dialects/fields.ts';
import type { InputCount } from '../../dialects/input/count-input.ts';
import { estimateAt } from '../../dialects/input/estimated-input.ts';
import { readInput as readResponsesInput, writeInputCount } from '../../dialects/openai-responses/read-request.ts';
import type { JsonDocument } from '../../kit/json/json.ts';
import { count, named } from '../../kit/shapes.ts';
import { chooseModel } from '../../relay/choose-model.ts';
import { gatewayHeaders } from '../common-headers.ts';
import { rewriteResponse } from '../compact-call.ts';
import type { ModelFor } from '../description.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { answerWithoutModel } from '../large-call.ts';
import { keyedRoute } from '../operation.ts';
import * as outline from './outlines.ts';

const MAX_BYTES = 20 * 1024 * 1024;

const COMMON = {
  tag: 'models',
  description:
    'Counted by the gateway. It costs nothing, takes no slot and asks no upstream; many very large bodies in a few seconds are refused.',
  maxBytes: MAX_BYTES,
  result: 'The count.',
  faults: [...outline.MODEL_FAULTS, 'unsupported_endpoint', 'rate_limited'],
} as const;

interface Format {
  /** Where the URL has it; otherwise the body names it. */
  model?: string;
  read(document: JsonDocument, tools: HttpTools, accountId: string): InputCount | Promise<InputCount>;
  write(tokens: number): Record<string, unknown>;
}

const MESSAGES: Format = { read: readMessagesInput, write: (tokens) => ({ input_tokens: tokens }) };

const RESPONSES: Format = {
  async read(document, tools, accountId) {
    const rewritten = await rewriteResponse(tools, document, accountId);
    return readResponsesInput(rewritten?.document ?? document);
  },
  write: writeInputCount,
};

export const COUNT_CALLS = [
  keyedRoute('POST /v1/messages/count_tokens', {
    ...COMMON,
    id: 'countTokens',
    summary: 'How many tokens a messages request would be',
    requestHeaders: outline.anthropicHeaders,
    body: outline.countTokensRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('chat'), messages: [{ role: 'user', content: 'Hello' }] }),
    answer: named('CountTokensAnswer', { input_tokens: count }),
    answerHeaders: [...outline.gatewayAnswerHeaders, ...outline.anthropicAnswerHeaders],
    envelope: 'anthropic',
    handle: (tools, exchange) => countTokens(tools, exchange, MESSAGES),
  }),
  keyedRoute('POST /v1/responses/input_tokens', {
    ...COMMON,
    id: 'countInputTokens',
    summary: 'How many tokens a responses request would be',
    body: outline.inputTokensRequest,
    example: (modelFor: ModelFor) => ({ model: modelFor('chat'), input: 'Hello' }),
    answer: named('InputTokensAnswer', { object: z.literal('response.input_tokens'), input_tokens: count }),
    answerHeaders: outline.gatewayAnswerHeaders,
    handle: (tools, exchange) => countTokens(tools, exchange, RESPONSES),
  }),
];

export function countTokens(
  tools: HttpTools,
  exchange: KeyedExchange,
  { model, read, write }: Format,
): Promise<Response> {
  const choose = (key: KeyedExchange['key'], fields: Parameters<typeof readModel>[0]) =>
    chooseModel(tools.catalog(), key, model ?? readModel(fields), 'chat');
  return answerWithoutModel(
    tools,
    exchange,
    { maxBytes: MAX_BYTES, refuseEarly: choose },
    async ({ document, key }) => {
      const { routes } = choose(key, document);
      const tokens = estimateAt(await read(document, tools, key.accountId), routes[0]?.model ?? '');
      return Response.json(write(tokens), { headers: await gatewayHeaders(tools, exchange, exchange.envelope) });
    },
  );
}
