// A whole answer of the demo channel: headers, price to the nano, bounds, choices, language.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { nano } from '../support/nano.ts';
import { DEMO_PRICES } from '../support/test-document.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

async function ask(body: Record<string, unknown>): Promise<{ response: Response; answer: Answer; key: string }> {
  const { key } = await gateway.register();
  const response = await gateway.chat(key, body);
  expect(response.status).toBe(200);
  return { response, answer: await response.json(), key };
}

test('is a chat completion under the id that was asked for', async () => {
  const { response, answer } = await ask({ model: 'demo-small' });
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(answer).toMatchObject({
    object: 'chat.completion',
    model: 'demo-small',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }],
    system_fingerprint: null,
  });
  expect(answer.id).toMatch(/^chatcmpl-/);
  expect(answer.choices[0].message.content).toContain('demo channel');
});

test('names its channel and its request', async () => {
  const { response, key } = await ask({ model: 'demo-small' });
  expect(response.headers.get('x-svc-channel')).toBe('demo');
  const id = response.headers.get('x-request-id');
  expect(id).toMatch(/^req_[0-9a-z]{26}$/);
  expect(response.headers.get('request-id')).toBe(id);
  const { data } = await gateway.get('/api/usage', key);
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ request_id: id, channel: 'demo' });
});

test('costs price times tokens, to the nano, in headers, wallet and record', async () => {
  const { response, answer, key } = await ask({ model: 'demo-small', max_tokens: 5 });
  const { prompt_tokens, completion_tokens } = answer.usage;
  expect(completion_tokens).toBe(5);
  const cost = BigInt(prompt_tokens) * DEMO_PRICES.input + 5n * DEMO_PRICES.output;
  expect(nano(response.headers.get('x-svc-cost-ntd'))).toBe(cost);
  expect(nano(response.headers.get('x-svc-balance-ntd'))).toBe(1_000_000_000n - cost);
  const me = await gateway.get('/api/me', key);
  expect(me).toMatchObject({ balance_nano: (1_000_000_000n - cost).toString(), held_nano: '0' });
  const { data } = await gateway.get('/api/usage', key);
  expect(data[0]).toMatchObject({ cost_nano: cost.toString(), estimated: false, input_tokens: prompt_tokens });
  expect(gateway.audit()).toEqual([]);
});

describe('the input', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where the file is, from the root of the project.' },
      limit: { type: 'number', description: 'How many lines are wanted at most.' },
    },
    required: ['path'],
  };
  const description = 'Reads a file of the project, and gives back its lines with their numbers. '.repeat(4);
  const named = Array.from({ length: 20 }, (_, n) => ({ name: `read_${n}`, description }));
  const messagesTools = named.map((tool) => ({ ...tool, input_schema: schema }));
  const chatTools = named.map((tool) => ({ type: 'function', function: { ...tool, parameters: schema } }));

  const picture = { type: 'base64', media_type: 'image/png', data: `iVBORw0KGgo${'QUJD'.repeat(10_000)}` };
  const called = [...messages, { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'dig', input: {} }] }];
  const shown = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: picture }] };

  const model = 'demo-small';

  async function post(path: string, body: Record<string, unknown>): Promise<Answer> {
    const { key } = await gateway.register();
    const response = await gateway.call(path, { key, body: { model, messages, max_tokens: 5, ...body } });
    expect(response.status).toBe(200);
    return response.json();
  }

  test.each([
    ['tools', { tools: messagesTools }],
    ['a small tool', { tools: [{ name: 'dig', description: 'Digs.', input_schema: { type: 'object' } }] }],
    ['a system text', { system: 'You are a careful gardener. '.repeat(30) }],
    ['system parts', { system: [{ type: 'text', text: 'You are a careful gardener. '.repeat(30) }] }],
    ['an image', { messages: [{ role: 'user', content: [{ type: 'image', source: picture }] }] }],
    ['an image in the result of a tool', { messages: [...called, { role: 'user', content: [shown] }] }],
  ])('%s: as many as count_tokens says', async (_, more) => {
    const { input_tokens } = await post('/v1/messages/count_tokens', more);
    const { usage } = await post('/v1/messages', more);
    expect(usage.input_tokens).toBe(input_tokens);
  });

  test.each([['an image', { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.data}` } }]])(
    '%s of a chat is not counted as text',
    async (_, part) => {
      const { usage } = await post('/v1/chat/completions', { messages: [{ role: 'user', content: [part] }] });
      expect(usage.prompt_tokens).toBeWithin(30, 2_600);
    },
  );

  test('tools of a chat are about as many', async () => {
    const { usage } = await post('/v1/chat/completions', { tools: chatTools });
    const { input_tokens } = await post('/v1/messages/count_tokens', { tools: messagesTools });
    expect(usage.prompt_tokens / input_tokens).toBeWithin(0.75, 1.34);
  });
});

describe('the output bound', () => {
  test.each(['max_tokens', 'max_completion_tokens'])('%s is honoured, and the finish reason says so', async (field) => {
    const { answer } = await ask({ model: 'demo-small', [field]: 3 });
    expect(answer.choices[0].finish_reason).toBe('length');
    expect(answer.usage.completion_tokens).toBe(3);
  });

  test('the smaller of two counts', async () => {
    const { answer } = await ask({ model: 'demo-small', max_tokens: 9, max_completion_tokens: 2 });
    expect(answer.usage.completion_tokens).toBe(2);
  });
});

test.each([false, true])('max_tokens 0 costs nothing; as a stream: %p', async (stream) => {
  const { key } = await gateway.register();
  const messages = [{ role: 'user', content: 'Hi' }];
  const body = { model: 'demo-small', max_tokens: 0, stream, messages };
  const response = await gateway.call('/v1/messages', { key, body });
  expect(response.status).toBe(200);
  const text = await response.text();
  if (!stream) expect(JSON.parse(text)).toMatchObject({ content: [], stop_reason: 'max_tokens' });
  expect(text).not.toContain('demo channel');
  expect((await gateway.get('/api/me', key)).balance_nano).toBe('1000000000');
});

test('n choices are n answers, and paid as such', async () => {
  const { response, answer } = await ask({ model: 'demo-small', n: 3, max_tokens: 4 });
  expect(answer.choices.map(({ index }: Answer) => index)).toEqual([0, 1, 2]);
  expect(answer.usage.completion_tokens).toBe(12);
  const cost = BigInt(answer.usage.prompt_tokens) * DEMO_PRICES.input + 12n * DEMO_PRICES.output;
  expect(nano(response.headers.get('x-svc-cost-ntd'))).toBe(cost);
});

test('a question in Chinese is answered in Chinese', async () => {
  const { answer } = await ask({ model: 'auto:free', messages: [{ role: 'user', content: '你好，請介紹一下' }] });
  expect(answer.choices[0].message.content).toContain('示範線路');
  expect(answer.choices[0].message.content).not.toContain('\ufffd');
});

test('an alias is answered under the name it was asked by, and recorded under its own', async () => {
  const { answer, key } = await ask({ model: 'claude-auto' });
  expect(answer.model).toBe('claude-auto');
  const { data } = await gateway.get('/api/usage', key);
  expect(data[0].model).toBe('auto:free');
});

test('the free model costs nothing and moves nothing', async () => {
  const { response, key } = await ask({ model: 'auto:free' });
  expect(response.headers.get('x-svc-cost-ntd')).toBe('0');
  expect(response.headers.get('x-svc-balance-ntd')).toBe('1');
  const { accountId } = { accountId: (await gateway.get('/api/me', key)).account_id };
  expect(gateway.sql('SELECT kind FROM entries WHERE account_id = ?', accountId)).toEqual([{ kind: 'trial' }]);
});

test('the answer has none of the headers an upstream or a framework would add', async () => {
  const { response } = await ask({ model: 'demo-small' });
  for (const name of ['server', 'set-cookie', 'x-powered-by', 'openai-organization']) {
    expect(response.headers.has(name), name).toBe(false);
  }
});
