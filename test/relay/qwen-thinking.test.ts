// Models of Qwen that think without being asked. Their vendor counts thinking beside the output bound, so the gateway bounds
// it by a field of its own, and both share what is held.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { WIRE_CLIENTS, wireClient } from '../support/wire-clients.ts';

const ALWAYS = ['qwq-32b', 'qwq-plus', 'qvq-max', 'Qwen/Qwen3-235B-A22B-Thinking-2507', 'qwen3-max-thinking'];
const BY_DEFAULT = ['qwen3-32b', 'qwen/qwen3-8b', 'qwen.qwen3-32b-v1:0', 'qwen3:8b', 'qwen3.5-plus', 'qwen4-max'];
const NOT_UNASKED = [
  'qwen-plus',
  'qwen2.5-72b',
  'qwen3-max',
  'qwen3-30b-a3b-instruct-2507',
  'qwen3-coder-plus',
  'kimi-k2-thinking',
];

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  upstream = await startUpstream();
  const chat = wireClient('chat');
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        chat.channel('plain', upstream.baseUrl, { endpoints: ['chat'] }),
        chat.channel('vllm', upstream.baseUrl, { endpoints: ['chat'], quirks: 'vllm' }),
      ],
      models: [
        ...standard.models,
        ...['plain', 'vllm'].flatMap((channel) =>
          [...ALWAYS, ...BY_DEFAULT, ...NOT_UNASKED].map((model) =>
            upModel(idOf(channel, model), { price: { input: 10, output: 40 }, routes: [{ channel, model }] }),
          ),
        ),
      ],
    }),
  });
});
beforeEach(async () => {
  upstream.reset();
  upstream.otherwise(chatAnswer());
  ({ key } = await gateway.register());
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

function idOf(channel: string, model: string): string {
  return `${channel}-${model.toLowerCase().replace(/[^a-z\d-]/g, '-')}`;
}

const SHARED = { max_tokens: 100, thinking_budget: 100 };
const WHOLE = { max_tokens: 200, thinking_budget: undefined };

async function sentFor(model: string, fields: object = {}, client = wireClient('chat'), channel = 'plain') {
  const { path, body } = client.call({ model: idOf(channel, model), max_tokens: 200, ...fields });
  const response = await gateway.call(path, { key, body, headers: { 'x-svc-strict': '1' } });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  const { max_tokens, thinking_budget } = upstream.requests.at(-1)?.json ?? {};
  return { max_tokens, thinking_budget };
}

test.each(ALWAYS)('%s always thinks', async (model) => {
  expect(await sentFor(model)).toEqual(SHARED);
  expect(await sentFor(model, { enable_thinking: false })).toEqual(SHARED);
  expect(await sentFor(model, { thinking_budget: 30 })).toEqual({ max_tokens: 170, thinking_budget: 30 });
});

test.each(BY_DEFAULT)('%s thinks unless the request says no', async (model) => {
  expect(await sentFor(model)).toEqual(SHARED);
  expect(await sentFor(model, { enable_thinking: null })).toEqual(SHARED);
  expect(await sentFor(model, { chat_template_kwargs: { enable_thinking: false } })).toEqual(SHARED);
  expect(await sentFor(model, { enable_thinking: false })).toEqual(WHOLE);
});

test.each(NOT_UNASKED)('%s has the whole bound for its answer', async (model) => {
  expect(await sentFor(model)).toEqual(WHOLE);
  expect(await sentFor(model, { enable_thinking: true })).toEqual(SHARED);
});

test.each(WIRE_CLIENTS)('clients of $name get the same', async (client) => {
  expect(await sentFor('qwq-32b', {}, client)).toEqual(SHARED);
  expect(await sentFor('qwen3-max', {}, client)).toEqual(WHOLE);
});

test('a server whose output bound counts thinking keeps it whole', async () => {
  for (const model of ['qwq-32b', 'qwen3-32b']) {
    expect(await sentFor(model, {}, wireClient('chat'), 'vllm')).toEqual(WHOLE);
  }
});
