// The responses format through the official OpenAI SDK, over every kind of upstream.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { Answer } from '../support/answer.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../support/client-gateway.ts';
import {
  asksForTheWeather,
  describesAPerson,
  expectShapeWasAsked,
  expectToolRoundTrip,
  failure,
  PERSON,
  personShape,
  saysHello,
  WEATHER,
} from '../support/conversations.ts';
import { eventually } from '../support/eventually.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import { responseAnswer, responseObject } from '../support/openai-responses.ts';
import type { Script } from '../support/script.ts';
import type { SeenRequest } from '../support/upstream.ts';

let gateway: ClientGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startClientGateway();
  client = sdk(gateway.key);
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

const sdk = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const tool = {
  type: 'function' as const,
  name: WEATHER.name,
  description: WEATHER.description,
  parameters: WEATHER.schema,
  strict: true,
};

test('its call that counts tokens', async () => {
  const short = await client.responses.inputTokens.count({ model: 'auto:free', input: 'Hello' });
  expect(short).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
  const long = { model: 'auto:free', input: 'Hello', instructions: 'Be brief.', tools: [tool] };
  expect((await client.responses.inputTokens.count(long)).input_tokens).toBeGreaterThan(short.input_tokens);
  const refused = await failure(client.responses.inputTokens.count({ model: 'none', input: 'Hello' }));
  expect(refused).toBeInstanceOf(NotFoundError);
});

describe.each([...KINDS_FOR.responses])('on a channel of the kind $kind', ({ model }) => {
  test('answers, with the channel and the cost in its headers', async () => {
    gateway.answer(saysHello);
    const { data, response } = await client.responses
      .create({ model, instructions: 'Be brief.', input: 'Hi', store: false })
      .withResponse();
    expect(data).toMatchObject({ object: 'response', status: 'completed', model });
    expect(data.output_text).toBe('Hello there');
    expect(data.usage).toMatchObject({ input_tokens: 11, output_tokens: 7, total_tokens: 18 });
    expect(response.headers.get('x-svc-channel')).toBe(model);
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.000018');
    expect(await gateway.heard(0)).toMatchObject({ system: 'Be brief.', prompt: 'Hi' });
  });

  test('streams event by event, numbered and in order', async () => {
    gateway.answer(saysHello);
    const stream = await client.responses.create({ model, input: 'Hi', store: false, stream: true });
    const events = await Array.fromAsync(stream);
    const types = events.map(({ type }) => type);
    expect(types.at(0)).toBe('response.created');
    expect(types.at(-1)).toBe('response.completed');
    expect(types.filter((type) => type.startsWith('response.output') || type.startsWith('response.content'))).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  });

  test('streams through the helper that collects everything', async () => {
    gateway.answer(saysHello);
    const final = await client.responses.stream({ model, input: 'Hi', store: false }).finalResponse();
    expect(final.output_text).toBe('Hello there');
    expect(final).toMatchObject({ status: 'completed', model, usage: { output_tokens: 7 } });
  });

  test.each(['whole', 'streamed'])('a tool is called and its result told, %s', async (how) => {
    gateway.answer(asksForTheWeather);
    const ask = async (input: OpenAI.Responses.ResponseInput) => {
      const body = { model, input, tools: [tool], store: false };
      return how === 'whole' ? client.responses.create(body) : client.responses.stream(body).finalResponse();
    };
    const question = { role: 'user' as const, content: 'Weather?' };
    const first = await ask([question]);
    expect(first.output_text).toBe('Let me look.');
    const call = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))[0];
    expect(call).toMatchObject({ name: WEATHER.name, status: 'completed' });
    expect(JSON.parse(call?.arguments ?? '')).toEqual(WEATHER.asked);
    const result = { type: 'function_call_output' as const, call_id: call?.call_id ?? 'none', output: WEATHER.told };
    const last = await ask([question, ...(first.output as OpenAI.Responses.ResponseInput), result]);
    expect(last.output_text).toBe(WEATHER.answer);
    await expectToolRoundTrip(gateway);
  });

  test('answers in the shape that was asked for', async () => {
    gateway.answer(describesAPerson);
    const { output_parsed } = await client.responses.parse({
      model,
      input: 'Who?',
      store: false,
      text: { format: zodTextFormat(personShape, 'person') },
    });
    expect(output_parsed).toEqual(PERSON);
    await expectShapeWasAsked(gateway);
  });

  test('tells what came inside a stream, after what came before', async () => {
    const breakOff = gateway.breakOff();
    let text = '';
    const failures: unknown[] = [];
    const read = async () => {
      for await (const event of await client.responses.create({ model, input: 'Hi', store: false, stream: true })) {
        if (event.type === 'response.output_text.delta') {
          text += event.delta;
          breakOff();
        }
        if (event.type === 'response.failed') failures.push(event.response.error);
      }
    };
    await read();
    expect(text).toBe('Hello');
    expect(failures).toMatchObject([{ message: expect.stringContaining('Every channel of this model failed') }]);
  });

  test('ends the call when its stream is left', async () => {
    gateway.stall();
    const stream = await client.responses.create({ model, input: 'Hi', store: false, stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    const seen = await gateway.upstream.request(0);
    await eventually('the upstream to be left', () => seen.abortedAt);
  });
});

test('a model that thinks is told the result of its tool, though nothing of its thoughts was stored', async () => {
  const [{ model }] = KINDS_FOR.responses;
  gateway.upstream.otherwise(thinksAndLooks);
  const question = { role: 'user' as const, content: 'Weather?' };
  const first = await client.responses.create({ model, input: [question], tools: [tool] });
  const result = { type: 'function_call_output' as const, call_id: 'call_1', output: WEATHER.told };
  const input = [question, ...(first.output as OpenAI.Responses.ResponseInput), result];
  expect(input.map((item) => ('id' in item ? item.id : null))).toEqual([null, 'rs_1', 'msg_1', 'fc_1', null]);
  const last = await client.responses.create({ model, input, tools: [tool] });
  expect(last.output_text).toBe(WEATHER.answer);
});

/** Refuses, as OpenAI does, what it made after its reasoning and gets back by its id without it. */
function thinksAndLooks({ json }: SeenRequest): Script {
  const items: Answer[] = json.input;
  const lone = items.some(({ type }) => type === 'reasoning') ? undefined : items.find(({ id }) => id !== undefined);
  if (lone) {
    const message = `Item '${lone.id}' of type '${lone.type}' was provided without its required 'reasoning' item: 'rs_1'.`;
    return errorScript(400, { message, type: 'invalid_request_error', param: 'input', code: null });
  }
  if (items.some(({ type }) => type === 'function_call_output')) return responseAnswer({ pieces: [WEATHER.answer] });
  const said = responseObject({ pieces: ['Let me look.'], run: '1' });
  const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: WEATHER.name, arguments: '{}' };
  const output = [{ id: 'rs_1', type: 'reasoning', summary: [] }, ...(said.output as Answer[]), call];
  return jsonScript(200, { ...said, output });
}

describe('errors are of the SDK’s own kinds', () => {
  const [{ model }] = KINDS_FOR.responses;

  test.each([
    [
      '401',
      AuthenticationError,
      'invalid_api_key',
      () => sdk('sk-svc-not-a-key').responses.create({ model, input: 'Hi' }),
    ],
    ['400', BadRequestError, 'invalid_request', () => client.responses.create({ model, input: [] })],
    ['402', APIError, 'insufficient_balance', () => client.responses.create({ model: 'dear', input: 'Hi' })],
    ['404', NotFoundError, 'model_not_found', () => client.responses.create({ model: 'nope', input: 'Hi' })],
  ])('%s', async (status, kind, code, call) => {
    const error = await failure(call());
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status: Number(status), code });
  });
});

/** Codex compresses its bodies with zstd; the SDK sends what its `fetch` makes of them. */
test.each([
  ['gzip', (plain: string) => gzipSync(plain)],
  ['br', (plain: string) => brotliCompressSync(plain)],
  ['zstd', (plain: string) => zstdCompressSync(plain)],
] as const)('a body that is compressed with %s is answered and streamed', async (encoding, compress) => {
  const sent: number[] = [];
  const compressing = new OpenAI({
    apiKey: gateway.key,
    baseURL: `${gateway.url}/v1`,
    maxRetries: 0,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('content-encoding', encoding);
      headers.delete('content-length');
      const body = new Uint8Array(compress(String(init?.body)));
      sent.push(body.length);
      return fetch(url, { ...init, headers, body });
    },
  });
  gateway.answer(saysHello);
  const input = 'Hi there. '.repeat(1_000);
  for (const { model } of KINDS_FOR.responses) {
    const whole = await compressing.responses.create({ model, input, store: false });
    expect(whole.output_text).toBe('Hello there');
    let text = '';
    for await (const event of await compressing.responses.create({ model, input, store: false, stream: true })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect(text).toBe('Hello there');
  }
  expect((await gateway.heard(0)).prompt).toBe(input);
  expect(Math.max(...sent)).toBeLessThan(input.length / 10);
  expect(gateway.upstream.requests.every(({ headers }) => headers['content-encoding'] === undefined)).toBe(true);
});
