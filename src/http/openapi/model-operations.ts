// The calls under /v1: the vendors' formats.

import type { FaultCode } from '../../faults/table.ts';
import { type Answer, idParameter, json, KEYED, type Operation, parameter, WITH_BODY } from './operation.ts';
import { oneWord, refTo, type Schema, TEXT, told } from './schema.ts';

const MODEL_FAULTS: readonly FaultCode[] = ['model_not_found', 'model_not_allowed'];
const CALL_FAULTS: readonly FaultCode[] = [
  ...WITH_BODY,
  ...MODEL_FAULTS,
  'unsupported_endpoint',
  'context_length_exceeded',
  'content_rejected',
  'insufficient_balance',
  'key_budget_exceeded',
  'balance_in_use',
  'rate_limited',
  'free_minute_limit',
  'free_daily_limit',
  'too_many_in_flight',
  'upstream_failed',
  'loop_detected',
  ...KEYED,
];

const switchHeader = (name: string, description: string) => parameter('header', name, description, oneWord('1'));
const NO_WAIT = switchHeader('x-svc-no-wait', 'Answer 429 at once instead of waiting up to 3 s for a free slot.');
const STRICT = switchHeader(
  'x-svc-strict',
  'Answer 400 instead of dropping a setting that the upstream cannot have, and 402 instead of lowering a thinking budget.',
);
const VERSION = parameter('header', 'anthropic-version', 'Passed on to upstreams of this format.', TEXT);
const BETA = parameter('header', 'anthropic-beta', 'Passed on to Anthropic, not to others of its format.', TEXT);

const RATES = ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'];
const ANTHROPIC_RATES = ['limit', 'remaining', 'reset'].map((name) => `anthropic-ratelimit-requests-${name}`);
const OF_THE_GATEWAY = ['x-svc-channel', 'x-request-id', ...RATES, 'x-svc-cost-ntd', 'x-svc-balance-ntd'];
const OF_A_CALL = [...OF_THE_GATEWAY, 'x-svc-max-tokens', 'x-svc-dropped', 'x-svc-translated'];

function answer(name: string, events?: string): Answer {
  const streamed: Record<string, Schema> = events === undefined ? {} : { 'text/event-stream': told(events, TEXT) };
  return {
    description: events === undefined ? 'The answer.' : 'The answer; with `stream: true` as server-sent events.',
    content: { ...json(refTo(name)), ...streamed },
    headers: OF_A_CALL,
  };
}

const HELLO = { role: 'user', content: 'Hello' };

export const MODEL_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    id: 'createChatCompletion',
    tag: 'models',
    summary: 'Chat in the OpenAI format',
    parameters: [NO_WAIT, STRICT],
    body: { schema: refTo('ChatRequest'), example: { model: 'auto:free', messages: [HELLO] } },
    answers: {
      200: answer(
        'ChatAnswer',
        'Chunks of `chat.completion.chunk`, ended by `[DONE]`. The last usage has `cost_ntd` and `cost_nano`. A failure is a last event with `error`.',
      ),
    },
    faults: CALL_FAULTS,
  },
  {
    method: 'post',
    path: '/v1/responses',
    id: 'createResponse',
    tag: 'models',
    summary: 'The OpenAI responses format, without stored state',
    description:
      'Send the whole history in `input`. `previous_response_id`, `conversation`, `prompt`, `background` and references to items are refused.',
    parameters: [NO_WAIT, STRICT],
    body: { schema: refTo('ResponsesRequest'), example: { model: 'auto:free', input: 'Hello', store: false } },
    answers: {
      200: answer(
        'ResponsesAnswer',
        'Events from `response.created` to `response.completed` or `response.incomplete`. A failure is `response.failed`.',
      ),
    },
    faults: CALL_FAULTS,
  },
  {
    method: 'post',
    path: '/v1/messages',
    id: 'createMessage',
    tag: 'models',
    summary: 'Messages in the Anthropic format',
    parameters: [VERSION, BETA, NO_WAIT, STRICT],
    body: { schema: refTo('MessagesRequest'), example: { model: 'auto:free', max_tokens: 256, messages: [HELLO] } },
    answers: {
      200: {
        ...answer(
          'MessagesAnswer',
          'Events from `message_start` to `message_stop`; `message_delta` has usage and cost. A failure is `event: error`.',
        ),
        headers: [...OF_A_CALL, 'request-id', ...ANTHROPIC_RATES],
      },
    },
    faults: CALL_FAULTS,
    envelope: 'anthropic',
  },
  {
    method: 'post',
    path: '/v1/messages/count_tokens',
    id: 'countTokens',
    tag: 'models',
    summary: 'How many tokens a messages request would be',
    description:
      'Counted by the gateway. It costs nothing, takes no slot and asks no upstream; many very large bodies in a few seconds are refused.',
    parameters: [VERSION, BETA],
    body: { schema: refTo('CountTokensRequest'), example: { model: 'auto:free', messages: [HELLO] } },
    answers: {
      200: {
        description: 'The count.',
        content: json(refTo('CountTokensAnswer')),
        headers: [...OF_THE_GATEWAY, 'request-id', ...ANTHROPIC_RATES],
      },
    },
    faults: [...WITH_BODY, ...MODEL_FAULTS, 'unsupported_endpoint', 'rate_limited', ...KEYED],
    envelope: 'anthropic',
  },
  {
    method: 'post',
    path: '/v1/embeddings',
    id: 'createEmbedding',
    tag: 'models',
    summary: 'Embeddings in the OpenAI format',
    parameters: [NO_WAIT],
    body: { schema: refTo('EmbeddingsRequest') },
    answers: { 200: answer('EmbeddingsAnswer') },
    faults: CALL_FAULTS,
  },
  {
    method: 'post',
    path: '/v1/images/generations',
    id: 'createImage',
    tag: 'models',
    summary: 'Images in the OpenAI format',
    parameters: [NO_WAIT],
    body: { schema: refTo('ImagesRequest') },
    answers: { 200: answer('ImagesAnswer', 'Partial images and the last one, as events.') },
    faults: CALL_FAULTS,
  },
  {
    method: 'get',
    path: '/v1/models',
    id: 'listModels',
    tag: 'models',
    summary: 'The models this key may use, then their aliases',
    description: 'One shape that clients of both formats read.',
    answers: { 200: { description: 'The models.', content: json(refTo('ModelList')), headers: OF_THE_GATEWAY } },
    faults: KEYED,
    envelope: 'either',
  },
  {
    method: 'get',
    path: '/v1/models/{id}',
    id: 'showModel',
    tag: 'models',
    summary: 'One model',
    parameters: [idParameter('An id or alias.', TEXT)],
    answers: { 200: { description: 'The model.', content: json(refTo('Model')), headers: OF_THE_GATEWAY } },
    faults: [...MODEL_FAULTS, ...KEYED],
    envelope: 'either',
  },
];
