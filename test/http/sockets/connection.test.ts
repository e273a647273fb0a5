// The connection of GET /v1/responses: who may open it and how many, what ends it, and what a client can do wrong.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MAX_SOCKETS } from '../../../src/http/sockets/open-sockets.ts';
import { IDLE_MS } from '../../../src/http/sockets/response-socket.ts';
import type { Answer } from '../../support/answer.ts';
import { createKey } from '../../support/create-key.ts';
import { createGate, eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { model } from '../../support/model/model.ts';
import { responseStream } from '../../support/openai-responses.ts';
import { isEnd, openSocket, type SocketClient, textOf } from '../../support/response-socket.ts';
import { breakAfter, type Part } from '../../support/script.ts';

const MODEL = 'up-paid';
const HELLO = model(() => ({ pieces: ['Hello', ' there'] }));

let gateway: TestGateway;
let key: string;
let clients: SocketClient[] = [];

async function start(options?: TestGatewayOptions): Promise<void> {
  gateway = await startTestGateway(options);
  gateway.upstream.otherwise(HELLO);
  ({ key } = await gateway.register());
}

beforeEach(() => start({ limits: { paid_per_minute: 1_000 } }));
afterEach(async () => {
  for (const { socket } of clients) socket.close();
  clients = [];
  await gateway.stop();
});

async function restart(options: TestGatewayOptions): Promise<void> {
  await gateway.stop();
  await start(options);
}

async function connect(options?: Parameters<typeof openSocket>[2], by: string | undefined = key) {
  const client = await openSocket(gateway.url, by, options);
  clients.push(client);
  return client;
}

const afterFirstWord = (body: readonly Part[] = []) =>
  body.findIndex((part) => typeof part === 'string' && part.includes('"Hello"')) + 1;

const usage = async (): Promise<Answer[]> => (await gateway.get('/api/usage', key)).data;
const hello = { model: MODEL, input: 'Hi' };

test('a key is needed, and no cookie is one', async () => {
  const handshake = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const headers = { ...handshake, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', cookie: `session=${key}` };
  expect((await gateway.call('/v1/responses', { headers })).status).toBe(401);
  expect(
    (await gateway.call('/v1/responses', { headers: { ...headers, authorization: 'Bearer sk-svc-x' } })).status,
  ).toBe(401);
  expect(openSocket(gateway.url, undefined)).rejects.toThrow();
});

test('a browser sends the key as a protocol, and the server confirms another one', async () => {
  const protocols = ['responses', `openai-insecure-api-key.${key}`];
  const client = await openSocket(gateway.url, undefined, { protocols, headers: { origin: 'https://page.example' } });
  clients.push(client);
  expect(client.socket.protocol).toBe('responses');
  expect(textOf(await client.ask(hello))).toBe('Hello there');
});

test('a plain GET and a quote are refused', async () => {
  const plain = await gateway.call('/v1/responses', { key });
  expect([plain.status, plain.headers.get('allow')]).toEqual([405, 'POST']);
  expect(connect({ headers: { 'x-svc-quote': 'qte_x' } })).rejects.toThrow();
});

test('a key has so many sockets, and one that is closed makes room', async () => {
  for (let count = 0; count < MAX_SOCKETS.key; count++) await connect();
  await expect(connect()).rejects.toThrow();
  clients[0]?.socket.close();
  await eventually('a place', () => connect().catch(() => undefined));
});

test('the keys of an account have so many sockets together', async () => {
  for (let count = 0; count < MAX_SOCKETS.account; count += MAX_SOCKETS.key) {
    const { key: other } = await createKey(gateway, key);
    for (let own = 0; own < MAX_SOCKETS.key; own++) await connect({}, other);
  }
  await expect(connect()).rejects.toThrow();
  const stranger = await gateway.register();
  expect(textOf(await (await connect({}, stranger.key)).ask(hello))).toBe('Hello there');
});

test.each([{}, { generate: false }])(
  'a key that is revoked ends its socket at the next message (%j)',
  async (fields) => {
    const made = await createKey(gateway, key);
    const client = await connect({}, made.key);
    await gateway.call(`/api/keys/${made.id}`, { key, method: 'DELETE' });
    expect((await client.ask({ ...hello, ...fields })).error.code).toBe('invalid_api_key');
    expect(await client.closed).toMatchObject({ code: 1008 });
  },
);

test('messages that are no requests are refused, and the socket goes on', async () => {
  const client = await connect();
  const wrong = ['', 'x', '[]', '{}', '{"type":"response.steer"}', '{"type":"response.create","type":"x"}'];
  for (const message of [...wrong, '{"type":"response.create","stream_id":5}', new Uint8Array([1, 2])])
    client.send(message);
  await eventually('eight refusals', () => client.messages.length === 8);
  expect(client.messages.map(({ type, status }) => [type, status])).toEqual(Array(8).fill(['error', 400]));
  expect(client.messages.map(({ error }) => error.code).filter((code) => code !== 'invalid_request')).toEqual([
    'invalid_stream_id',
  ]);
  expect(textOf(await client.ask(hello))).toBe('Hello there');
});

test('any message has an answer, and nothing breaks', async () => {
  const client = await connect();
  const field = fc.constantFrom(
    'type',
    'model',
    'input',
    'stream_id',
    'previous_response_id',
    'generate',
    'stream',
    'x',
  );
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('response.create', MODEL, false));
  const message = fc.oneof(
    fc.string(),
    fc
      .array(fc.tuple(field, value), { maxLength: 6 })
      .map(
        (fields) =>
          `{"type":"response.create"${fields.map(([name, it]) => `,${JSON.stringify(name)}:${JSON.stringify(it)}`).join('')}}`,
      ),
    fc.string().map((text) => `{"type":"response.create","model":"${MODEL}","input":[${text}]}`),
  );
  await fc.assert(
    fc.asyncProperty(message, async (text) => {
      const before = client.messages.length;
      client.send(text);
      await eventually(`an answer to ${text}`, () => client.messages.slice(before).find(isEnd));
    }),
    { numRuns: 100 },
  );
  expect(textOf(await client.ask({ ...hello, stream_id: 'last' }))).toBe('Hello there');
  expect(gateway.log.lines().filter(({ level }) => level === 'error')).toEqual([]);
});

test('a message may be as long as a body of POST, and a longer one closes the socket', async () => {
  const client = await connect();
  const most = 20 * 1024 * 1024;
  const input = (chars: number) =>
    JSON.stringify({ type: 'response.create', ...hello, generate: false, input: 'x'.repeat(chars) });
  client.send(input(most - 100));
  expect(await client.find('the answer', isEnd)).toMatchObject({ type: 'response.completed' });
  client.send(input(most + 64 * 1024));
  expect(await client.closed).toMatchObject({ code: 1009 });
});

test('input for a response that runs is returned: no response can be steered', async () => {
  const client = await connect();
  const input = [{ type: 'message', role: 'user', content: 'Stop.' }];
  client.send(JSON.stringify({ type: 'response.steer', previous_response_id: 'resp_1', input }));
  expect(await client.find('the refusal', ({ type }) => type === 'response.steer.failed')).toEqual({
    type: 'response.steer.failed',
    sequence_number: expect.any(Number),
    error: { type: 'invalid_request_error', code: 'steering_not_supported', message: expect.stringMatching(/steered/) },
    steer: { previous_response_id: 'resp_1', input },
  });
  client.send('{"type":"response.steer","previous_response_id":"resp_1","input":[}');
  expect(await client.find('a refusal', isEnd)).toMatchObject({ status: 400, error: { code: 'invalid_request' } });
  expect(textOf(await client.ask({ ...hello, stream_id: 'next' }))).toBe('Hello there');
});

test('who leaves in the middle pays as one who hangs up on POST', async () => {
  const never = new Promise<void>(() => {});
  const stream = responseStream({ pieces: ['Hello', ' there'] });
  gateway.upstream.otherwise(() => breakAfter(stream, afterFirstWord(stream.body), never));

  const abort = new AbortController();
  const posted = await gateway.call('/v1/responses', { key, body: { ...hello, stream: true }, signal: abort.signal });
  const reader = posted.body?.getReader();
  for (let text = ''; !text.includes('"Hello"'); ) text += new TextDecoder().decode((await reader?.read())?.value);
  abort.abort();
  await eventually('the first record', async () => (await usage()).length === 1);

  const client = await connect();
  client.send(hello);
  await client.find('the first word', ({ delta }) => delta === 'Hello');
  client.socket.close();
  const [socket, post] = await eventually('both records', async () => {
    const records = await usage();
    return records.length === 2 && records;
  });
  const { status, cost_nano, input_tokens, output_tokens, estimated } = post ?? {};
  expect(status).toBe('client_gone');
  expect(socket).toMatchObject({ status, cost_nano, input_tokens, output_tokens, estimated });
  expect(gateway.audit()).toEqual([]);
});

test('who leaves at any message leaves nothing behind', async () => {
  for (let count = 1; count <= 8; count++) {
    const client = await connect();
    client.send(hello);
    await eventually('so many messages', () => client.messages.length >= count);
    client.socket.close();
  }
  await eventually('nothing held', async () => (await gateway.get('/api/me', key)).held_nano === '0');
  expect(await usage()).toHaveLength(8);
  expect(gateway.audit()).toEqual([]);
});

test('while draining, an idle socket is closed at once and a busy one after its turn', async () => {
  const gate = createGate();
  const { body = [], ...stream } = responseStream({ pieces: ['Hello', ' there'] });
  const at = afterFirstWord(body);
  const parts = [...body.slice(0, at), gate.opened, ...body.slice(at)];
  gateway.upstream.otherwise(() => ({ ...stream, framing: 'chunked', body: parts }));
  const idle = await connect();
  const busy = await connect();
  busy.send(hello);
  await busy.find('a beginning', ({ type }) => type === 'response.created');
  const drained = gateway.gateway.drain();
  expect(await idle.closed).toMatchObject({ code: 1001 });
  busy.send({ ...hello, stream_id: 'late' });
  expect(await busy.find('a refusal', ({ type }) => type === 'error')).toMatchObject({
    status: 503,
    stream_id: 'late',
  });
  gate.open();
  expect(textOf(await busy.find('the end', ({ type }) => type === 'response.completed'))).toBe('Hello there');
  expect(await busy.closed).toMatchObject({ code: 1001 });
  await drained;
});

test('a socket without a turn for a quarter of an hour is closed, and one that is an hour old', async () => {
  const clock = createManualClock();
  await restart({ clock });
  const idle = await connect();
  const old = await connect();
  for (let passed = 0; passed < 60; passed += 12) {
    await old.ask({ ...hello, model: 'auto:free', generate: false });
    await clock.advance(12 * 60_000);
  }
  expect(12 * 60_000).toBeLessThan(IDLE_MS);
  expect(await idle.closed).toMatchObject({ code: 1000 });
  expect(await old.closed).toMatchObject({ code: 1001 });
  expect(idle.messages).toEqual([]);
  expect(old.messages.at(-1)).toMatchObject({
    type: 'error',
    status: 400,
    error: { type: 'invalid_request_error', code: 'websocket_connection_limit_reached' },
  });
});

test('a turn that runs when the hour is over ends, and a new one is refused', async () => {
  const clock = createManualClock();
  await restart({ clock });
  const client = await connect();
  for (let passed = 0; passed < 60; passed += 12) {
    await client.ask({ ...hello, generate: false });
    await clock.advance(12 * 60_000 - 6_000);
  }
  await eventually('a renewed lease', async () => {
    await clock.advance(100);
    return (await client.ask(hello)).type === 'response.completed';
  });
  const before = gateway.upstream.requests.length;
  const gate = createGate();
  const stream = responseStream({ pieces: ['Hello', ' there'] });
  gateway.upstream.otherwise(() => ({ ...stream, body: [gate.opened, ...(stream.body ?? [])] }));
  client.send({ ...hello, stream_id: 'runs' });
  await eventually('the turn runs', () => gateway.upstream.requests.length > before);
  await clock.advance(30_000);
  client.send({ ...hello, stream_id: 'late' });
  const limit = { status: 400, error: { code: 'websocket_connection_limit_reached' } };
  const refused = await client.find('a refusal', ({ type, stream_id: id }) => type === 'error' && id === 'late');
  expect(refused).toMatchObject(limit);
  gate.open();
  expect(await client.closed).toMatchObject({ code: 1001 });
  const [ended, last] = client.messages.slice(-2);
  expect([ended?.type, ended?.stream_id]).toEqual(['response.completed', 'runs']);
  expect(last).toMatchObject({ type: 'error', ...limit });
  expect(last?.stream_id).toBeUndefined();
});
