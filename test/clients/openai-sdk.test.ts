// The official OpenAI SDK, as its users call it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import { createKey } from '../support/create-key.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatStream, errorScript } from '../support/openai-chat.ts';
import { breakAfter, cutAt } from '../support/script.ts';
import { upModel } from '../support/test-document.ts';

let gateway: TestGateway;
let key: string;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => ({
      ...doc,
      models: [...doc.models, upModel('dear', { price: { input: 100_000, output: 100_000 } })],
    }),
  });
  ({ key } = await gateway.register());
  client = sdk(key);
});
afterAll(() => gateway.stop());

const sdk = (apiKey: string, path = '/v1') => new OpenAI({ apiKey, baseURL: gateway.url + path, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'Hi' }];
const failure = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('models', () => {
  test('are listed', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toEqual(expect.arrayContaining(['auto:free', 'demo-small', 'claude-auto']));
  });

  test('one is retrieved, the colon in its name and all', async () => {
    const model = await client.models.retrieve('auto:free');
    expect(model).toMatchObject({ id: 'auto:free', object: 'model', owned_by: 'gateway' });
    expect(model.created).toBeNumber();
  });
});

describe('chat', () => {
  test('answers, with the channel and the cost in its headers', async () => {
    const { data, response, request_id } = await client.chat.completions
      .create({ model: 'demo-small', messages })
      .withResponse();
    expect(data.choices[0]?.message.content).toContain('demo channel');
    expect(data.model).toBe('demo-small');
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-svc-channel')).toBe('demo');
    expect(response.headers.get('x-svc-cost-ntd')).toMatch(/^0\.\d+$/);
    expect(request_id).toBe(response.headers.get('x-request-id'));
  });

  test('streams, with usage at the end', async () => {
    const stream = await client.chat.completions.create({
      model: 'demo-small',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toContain('demo channel');
    expect(usage?.completion_tokens).toBeGreaterThan(0);
    expect(usage).toHaveProperty('cost_nano');
  });

  test('streams through the helper that collects everything', async () => {
    const runner = client.chat.completions.stream({
      model: 'demo-small',
      messages,
      stream_options: { include_usage: true },
    });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]?.message.content).toContain('demo channel');
    expect(final.usage?.prompt_tokens).toBeGreaterThan(0);
  });

  test('works with a base URL that already has the version twice', async () => {
    const { choices } = await sdk(key, '/v1/v1').chat.completions.create({ model: 'auto:free', messages });
    expect(choices).toHaveLength(1);
  });
});

describe('errors are of the SDK’s own kinds', () => {
  test('401 is AuthenticationError', async () => {
    const error = await failure(sdk('sk-svc-not-a-key').models.list());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' });
    expect((error as APIError).requestID).toMatch(/^req_/);
    expect((error as APIError).message).toContain('Send a valid key');
  });

  test('400 is BadRequestError, with its param', async () => {
    const error = await failure(client.chat.completions.create({ model: 'auto:free', messages: [] }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'invalid_request', param: 'messages' });
  });

  test('402 is an APIError with the figures', async () => {
    const error = await failure(client.chat.completions.create({ model: 'dear', messages }));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 402, code: 'insufficient_balance', type: 'insufficient_quota' });
    expect((error as APIError).error).toMatchObject({ available_ntd: expect.any(Number) });
  });

  test('403 is PermissionDeniedError', async () => {
    const limited = await createKey(gateway, key, { models: ['demo-small'] });
    const error = await failure(sdk(limited.key).chat.completions.create({ model: 'auto:free', messages }));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error).toMatchObject({ code: 'model_not_allowed' });
  });

  test('404 is NotFoundError', async () => {
    // One after the other: an error that comes before anybody waits for it would be nobody's.
    for (const call of [
      () => client.models.retrieve('nope'),
      () => client.chat.completions.create({ model: 'nope', messages }),
    ]) {
      const error = await failure(call());
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({ code: 'model_not_found' });
    }
  });

  test('429 is RateLimitError', async () => {
    const other = await gateway.register();
    const options = { headers: { 'x-svc-no-wait': '1' } };
    const ask = () => sdk(other.key).chat.completions.create({ model: 'auto:free', messages }, options);
    for (let i = 0; i < 6; i++) await ask();
    const error = await failure(ask());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: 'free_minute_limit', type: 'rate_limit_error' });
  });

  test('502 is InternalServerError', async () => {
    gateway.upstream.otherwise(errorScript(500, { message: 'no' }));
    const error = await failure(client.chat.completions.create({ model: 'up-paid', messages }));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status: 502, code: 'upstream_failed' });
  });

  test('an error inside a stream is thrown, after what came before it', async () => {
    const gate = createGate();
    gateway.upstream.next(breakAfter(chatStream(), 2, gate.opened));
    gateway.upstream.otherwise(errorScript(500, { message: 'no' }));
    let text = '';
    const read = async () => {
      const stream = await client.chat.completions.create({ model: 'up-paid', messages, stream: true });
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        // Not before: read together with the end, the word would be lost.
        if (text !== '') gate.open();
      }
    };
    const error = await failure(read());
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'upstream_failed', type: 'server_error' });
    expect(text).toBe('Hello');
  });
});

test.each([
  ['401', 'sk-svc-not-a-key', 'auto:free'],
  ['402', undefined, 'dear'],
])('the SDK does not repeat a %s, which a repeat cannot mend', async (status, apiKey, model) => {
  let calls = 0;
  const retrying = new OpenAI({
    apiKey: apiKey ?? key,
    baseURL: `${gateway.url}/v1`,
    maxRetries: 3,
    fetch: (url, init) => {
      calls++;
      return fetch(url, init);
    },
  });
  expect(await failure(retrying.chat.completions.create({ model, messages }))).toMatchObject({
    status: Number(status),
  });
  expect(calls).toBe(1);
});

test('leaving a stream through the SDK ends the call', async () => {
  const parts = chatStream().body as string[];
  gateway.upstream.reset();
  gateway.upstream.next(cutAt(chatStream(), Buffer.byteLength(parts.slice(0, 2).join('')), 'stall'));
  const stream = await client.chat.completions.create({ model: 'up-paid', messages, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  const seen = await gateway.upstream.request(0);
  await eventually('the upstream to be left', () => seen.abortedAt);
});
