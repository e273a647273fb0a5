// A free model takes the fields that common clients send, and no others: no hold covers what an unknown field would cost.

import { describe, expect, test } from 'bun:test';
import { useAllFormats } from '../support/all-formats.ts';
import { pictureAnswer, vectorAnswer } from '../support/media-answers.ts';
import { rerankAnswer, speechAnswer, verdictAnswer } from '../support/other-answers.ts';
import type { Script } from '../support/script.ts';
import { FLAT_CLIENTS, wireClient } from '../support/wire-clients.ts';

type Fields = Record<string, unknown>;

const STRICT = { 'x-svc-strict': '1' };

const setting = useAllFormats({ '': { price: 'free', max_output_tokens: 8_192 } });

async function ask(path: string, body: Fields, answer: Script, headers = {}) {
  setting.upstream.otherwise(answer);
  const response = await setting.gateway.call(path, { key: setting.key, body, headers });
  await response.text();
  return {
    status: response.status,
    dropped: response.headers.get('x-svc-dropped'),
    sent: setting.upstream.requests.at(-1)?.json,
  };
}

const CHAT_TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const RESPONSES_TOOL = { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false };
const MESSAGES_TOOL = { name: 'look', input_schema: { type: 'object' } };
const CACHED = { cache_control: { type: 'ephemeral' } };

/** By client, as their requests were recorded, or as their documentation has them. */
const SENT: [client: string, format: 'chat' | 'messages' | 'responses', fields: Fields][] = [
  ['OpenAI SDK', 'chat', { stream: true, stream_options: { include_usage: true } }],
  ['AI SDK', 'chat', { tools: [CHAT_TOOL], tool_choice: 'auto', response_format: { type: 'json_object' } }],
  ['LangChain', 'chat', { stream: false, n: 1, temperature: 0.7, tools: [CHAT_TOOL], user: 'u', logprobs: false }],
  ['opencode', 'chat', { tools: [CHAT_TOOL], tool_choice: 'auto', stream: true, top_p: 1, reasoning_effort: 'low' }],
  ['pi', 'chat', { max_tokens: undefined, max_completion_tokens: 100, store: false, stream: true }],
  ['clients of OpenRouter', 'chat', { usage: { include: true }, transforms: [], reasoning: { effort: 'low' } }],
  ['clients of vLLM and Qwen', 'chat', { top_k: 40, min_p: 0, chat_template_kwargs: { enable_thinking: false } }],
  [
    'the whole of the format',
    'chat',
    {
      ...{ frequency_penalty: 0, presence_penalty: 0, seed: 1, stop: ['x'], logit_bias: {}, top_logprobs: 0 },
      ...{ metadata: {}, verbosity: 'low', prompt_cache_key: 'k', safety_identifier: 's', service_tier: 'auto' },
      ...{ parallel_tool_calls: true, tools: [CHAT_TOOL], prompt_cache_retention: '24h' },
    },
  ],
  [
    'Claude Code',
    'messages',
    {
      ...{ system: [{ type: 'text', text: 'x', ...CACHED }], tools: [MESSAGES_TOOL], metadata: { user_id: 'u' } },
      ...{ thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'medium' }, stream: true },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    },
  ],
  ['Anthropic SDK', 'messages', { max_tokens: 3_000, thinking: { type: 'enabled', budget_tokens: 1_024 } }],
  ['AI SDK', 'messages', { tools: [MESSAGES_TOOL], tool_choice: { type: 'auto' }, output_format: undefined }],
  ['LangChain', 'messages', { stream: false, temperature: 1, top_k: 5, top_p: 1, stop_sequences: ['x'], ...CACHED }],
  [
    'Codex',
    'responses',
    {
      ...{ stream: true, tools: [RESPONSES_TOOL], tool_choice: 'auto', parallel_tool_calls: true, store: false },
      ...{ reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'], prompt_cache_key: 'k' },
      ...{ client_metadata: { x: '/home' }, text: { verbosity: 'low' }, instructions: 'x', service_tier: 'auto' },
    },
  ],
  ['AI SDK', 'responses', { tools: [RESPONSES_TOOL], text: { format: { type: 'text' } }, max_tool_calls: 4 }],
  [
    'the whole of the format',
    'responses',
    {
      ...{ temperature: 1, top_p: 1, top_logprobs: 0, truncation: 'auto', user: 'u', safety_identifier: 's' },
      ...{ metadata: {}, background: false, previous_response_id: null, conversation: null, prompt: null },
    },
  ],
];

test.each(SENT)('%s, %s: every field passes', async (_client, format, fields) => {
  const { call, whole, stream } = wireClient(format);
  const { path, body: sent } = call({ model: format, ...fields });
  const answered = await ask(path, sent, fields.stream ? stream() : whole(), STRICT);
  expect(answered.status).toBe(200);
  expect(answered.dropped).toBe(null);
  // These two are never sent on: one would mean nothing there, the other is private.
  const { usage: _usage, client_metadata: _private, ...expected } = JSON.parse(JSON.stringify(sent));
  const bounds = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'stream_options'];
  for (const name of Object.keys(expected)) {
    if (bounds.includes(name)) continue;
    expect(answered.sent?.[name]).toEqual(name === 'model' ? 'scripted-2026-01' : expected[name]);
  }
});

test.each([
  ['OpenAI SDK', 'embeddings', { input: ['a', 'b'], encoding_format: 'base64', dimensions: 2, user: 'u' }],
  ['OpenAI SDK', 'images', { prompt: 'A cat', n: 1, size: '1024x1024', response_format: 'b64_json', user: 'u' }],
])('%s, %s: every field passes', async (_client, kind, fields) => {
  const path = kind === 'images' ? '/v1/images/generations' : '/v1/embeddings';
  const answer = kind === 'images' ? pictureAnswer() : vectorAnswer(2);
  const { status, dropped, sent } = await ask(path, { model: kind, ...fields }, answer, STRICT);
  expect([status, dropped]).toEqual([200, null]);
  expect(sent).toEqual({ model: 'scripted-2026-01', ...fields });
});

describe.each(FLAT_CLIENTS)('$name', ({ name, call, whole }) => {
  const askWith = (fields: Fields, headers = {}) => {
    const { path, body } = call({ model: name, ...fields });
    return ask(path, body, whole(), headers);
  };
  const UNKNOWN = { ignore_eos: true, min_tokens: 100, unknown: { a: 1 }, modalities: ['audio'], vl_high: 1 };

  test('other fields are removed, and named', async () => {
    const { sent: plain } = await askWith({});
    const { status, dropped, sent } = await askWith(UNKNOWN);
    expect(status).toBe(200);
    expect(sent).toEqual(plain);
    expect(dropped?.split(',').toSorted()).toEqual(Object.keys(UNKNOWN).toSorted());
  });

  test('those that ask for nothing are removed, and not named', async () => {
    const fields = { unknown: null, other: false, list: [] };
    const { status, dropped, sent } = await askWith(fields, STRICT);
    expect([status, dropped]).toEqual([200, null]);
    for (const field of Object.keys(fields)) expect(sent).not.toHaveProperty(field);
  });

  test.each(Object.entries(UNKNOWN))('%s is refused where nothing may be lost', async (field, value) => {
    const { status } = await askWith({ [field]: value }, STRICT);
    expect(status).toBe(400);
    expect(setting.upstream.requests).toEqual([]);
  });
});

test.each([
  ['embeddings', '/v1/embeddings', { input: 'Hi' }, vectorAnswer()],
  ['images', '/v1/images/generations', { prompt: 'A cat' }, pictureAnswer()],
  ['speech', '/v1/audio/speech', { input: 'Hi', voice: 'alloy' }, speechAnswer()],
  ['rerank', '/v1/rerank', { query: 'Hi', documents: ['a'] }, rerankAnswer()],
  ['moderation', '/v1/moderations', { input: 'Hi' }, verdictAnswer()],
])('so they are of %s', async (model, path, body, answer) => {
  const { dropped, sent } = await ask(path, { model, ...body, quality: 'high', unknown: 1 }, answer);
  expect(sent).toEqual({ model: 'scripted-2026-01', ...body });
  expect(dropped).toBe('quality,unknown');
});
