// OpenAI refuses its newer models in chat, or tools for them. A client that is translated anyway is translated to what they
// take, where the channel has it; who speaks chat stays with chat.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { responseAnswer, responseStream } from '../support/openai-responses.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const MESSAGES = '/v1/messages';

const CHANNELS: Record<string, Record<string, unknown>> = {
  openai: { quirks: 'openai' },
  azure: { quirks: 'azure' },
  'chat-only': { quirks: 'openai', endpoints: ['chat'] },
  unsaid: {},
  router: { quirks: 'openrouter' },
};
const NEWER = ['gpt-5.4', 'gpt-5.6-terra', 'gpt-5.10', 'gpt-6-luna', 'gpt-5-codex', 'gpt-5.2-pro', 'o3-pro'];
const OLDER = ['gpt-5-mini', 'gpt-5.2', 'o4-mini', 'gpt-4.1'];
const idOf = (channel: string, model: string) => `${channel}.${model}`;

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => {
      const url = upstreamUrl(doc);
      const models = Object.keys(CHANNELS).flatMap((channel) =>
        [...NEWER, ...OLDER].map((model) =>
          upModel(idOf(channel, model), { price: 'free', routes: [{ channel, model }] }),
        ),
      );
      const both = ['openai', 'azure'].map((channel, priority) => ({
        channel,
        model: 'gpt-5.6',
        priority: priority + 1,
      }));
      return {
        ...doc,
        channels: [
          ...doc.channels,
          ...Object.entries(CHANNELS).map(([name, rest]) => openaiChannel(name, url, rest)),
          openaiChannel('deployment', new URL('/openai/deployments/gpt', url).href, { quirks: 'azure' }),
        ],
        models: [
          ...doc.models,
          ...models,
          upModel('both', { price: 'free', routes: both }),
          upModel('deployed', { price: 'free', routes: [{ channel: 'deployment', model: 'gpt-5.4' }] }),
        ],
        limits: { ...doc.limits, free_per_minute: 1_000, free_per_day_zero: 1_000, free_per_day_positive: 1_000 },
      };
    },
  });
  key = (await gateway.register()).key;
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

const TOOLS = [{ name: 'look', input_schema: { type: 'object', properties: {} } }];
const CODING = {
  ...{ max_tokens: 200, messages: [{ role: 'user', content: 'Hi' }], tools: TOOLS },
  output_config: { effort: 'medium' },
};

async function sentFor(path: string, model: string, body: Record<string, unknown>) {
  const response = await gateway.call(path, { key, body: { model, ...body } });
  expect(response.status, await response.text()).toBe(200);
  const { path: asked, json } = await gateway.upstream.request(0);
  return { asked, json };
}

test.each(['openai', 'azure'].flatMap((channel) => NEWER.map((model) => idOf(channel, model))))(
  '%s is asked in responses, with tools and effort',
  async (model) => {
    gateway.upstream.next(responseAnswer());
    const { asked, json } = await sentFor(MESSAGES, model, CODING);
    expect(asked).toBe(RESPONSES);
    expect(json).toMatchObject({ tools: [{ type: 'function', name: 'look' }], reasoning: { effort: 'medium' } });
  },
);

test.each([
  ...OLDER.map((model) => idOf('openai', model)),
  ...['chat-only', 'unsaid', 'router'].map((channel) => idOf(channel, 'gpt-5.6-terra')),
])('%s is asked in chat', async (model) => {
  gateway.upstream.next(chatAnswer());
  expect((await sentFor(MESSAGES, model, CODING)).asked).toBe(CHAT);
});

test.each([MESSAGES, RESPONSES])('at the address of one model it is asked in chat: %s', async (path) => {
  gateway.upstream.next(chatAnswer());
  const body = path === MESSAGES ? CODING : { input: 'Hi' };
  expect((await sentFor(path, 'deployed', body)).asked).toBe('/openai/deployments/gpt/chat/completions');
});

test('chat clients are not translated', async () => {
  gateway.upstream.next(chatAnswer());
  const messages = [{ role: 'user', content: 'Hi' }];
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const { asked, json } = await sentFor(CHAT, idOf('openai', 'gpt-5.6-terra'), {
    messages,
    tools,
    reasoning_effort: 'none',
  });
  expect(asked).toBe(CHAT);
  expect(json).toMatchObject({ messages, tools, reasoning_effort: 'none' });
});

test('a stream that breaks goes on in responses elsewhere', async () => {
  const whole = responseStream({ pieces: ['One', ' two'] });
  gateway.upstream.next({ ...whole, body: (whole.body ?? []).slice(0, 5), framing: 'close' });
  gateway.upstream.next({ status: 500 });
  gateway.upstream.otherwise(responseStream({ pieces: ['One', ' two'], run: 'b' }));
  const response = await gateway.call(MESSAGES, { key, body: { model: 'both', stream: true, ...CODING } });
  const text = await response.text();
  expect(text).toContain('message_stop');
  expect(text.match(/"text":"[^"]+"/g)).toEqual(['"text":"One"', '"text":" two"']);
  expect(new Set(gateway.upstream.requests.map(({ path }) => path))).toEqual(new Set([RESPONSES]));
});
