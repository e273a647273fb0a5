// GET /v1/responses as a WebSocket: turns, streams, what is remembered, and what each turn costs.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { MAX_NAMES, MAX_RUNNING, MAX_WAITING } from '../../../src/http/sockets/turn-queues.ts';
import type { Answer } from '../../support/answer.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../../support/client-gateway.ts';
import { createKey } from '../../support/create-key.ts';
import { createGate, eventually } from '../../support/eventually.ts';
import { chatStream } from '../../support/openai-chat.ts';
import { isEnd, openSocket, type SocketClient, textOf } from '../../support/response-socket.ts';
import type { Script } from '../../support/script.ts';
import { spendAll } from '../../support/spend-all.ts';

/** Translated, so every answer has an id of its own; those of the scripted upstream are all the same. */
const [, { model: MODEL } = KINDS_FOR.responses[0]] = KINDS_FOR.responses;

let gateway: ClientGateway;
let clients: SocketClient[] = [];
beforeAll(async () => {
  gateway = await startClientGateway();
});
beforeEach(() => {
  for (const { socket } of clients) socket.close();
  clients = [];
  gateway.upstream.reset();
  gateway.answer(({ prompt }) => ({ pieces: ['You said: ', prompt.replaceAll('\n', '|')] }));
});
afterAll(async () => {
  for (const { socket } of clients) socket.close();
  await gateway.stop();
});

async function connect(key: string | undefined = gateway.key, options?: Parameters<typeof openSocket>[2]) {
  const client = await openSocket(gateway.url, key, options);
  clients.push(client);
  return client;
}

/** A stream that says nothing until then. */
const slowStream = (until: Promise<void>): Script => ({
  headers: { 'content-type': 'text/event-stream' },
  framing: 'chunked',
  body: [': wait\n\n', until],
});

const usageOf = async (key: string): Promise<Answer[]> => (await gateway.get('/api/usage', key)).data;

describe.each([...KINDS_FOR.responses])('on a channel of the kind $kind', ({ model }) => {
  test('several turns go on from the last answer with only the new input', async () => {
    const { key } = await gateway.register();
    const client = await connect(key);
    const first = await client.ask({ model, input: 'one' });
    expect([first.type, textOf(first)]).toEqual(['response.completed', 'You said: one']);
    const second = await client.ask({ model, input: 'two', previous_response_id: first.response.id });
    const items = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'three' }] }];
    const third = await client.ask({ model, input: items, previous_response_id: second.response.id, store: false });
    expect(textOf(third)).toBe('You said: one|two|three');
    expect(client.messages.filter(isEnd)).toHaveLength(3);

    const records = await usageOf(key);
    expect(records.map(({ status, channel, endpoint }) => [status, channel, endpoint])).toEqual(
      Array(3).fill(['ok', model, '/v1/responses']),
    );
    const created = client.messages.filter(({ type }) => type === 'response.created');
    expect(created.map(({ svc }) => [svc.channel, svc.request_id])).toEqual(
      records.map(({ request_id: id }) => [model, id]).reverse(),
    );
    expect(third.svc.request_id).toBe(records[0]?.request_id);
    expect(third.response.usage.cost_ntd).toBe(records[0]?.cost_ntd);
    expect(gateway.audit()).toEqual([]);
  });

  test('events are those of the stream of POST, in their order', async () => {
    const posted = await gateway.call('/v1/responses', {
      key: gateway.key,
      body: { model, input: 'hi', stream: true },
    });
    const types = [...(await posted.text()).matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    const client = await connect();
    await client.ask({ model, input: 'hi' });
    expect(client.messages.map(({ type }) => type)).toEqual(types);
  });

  test('calls of tools and their results go on', async () => {
    gateway.answer(({ results }) =>
      results.length > 0
        ? { pieces: [`It is ${results[0]?.text}.`] }
        : { calls: [{ name: 'time', input: { zone: 'x' } }] },
    );
    const tools = [{ type: 'function', name: 'time', parameters: { type: 'object', properties: {} } }];
    const client = await connect();
    const asked = await client.ask({ model, input: 'what time is it', tools });
    const [{ call_id: callId }] = asked.response.output.filter(({ type }: Answer) => type === 'function_call');
    const answer = await client.ask({
      model,
      tools,
      previous_response_id: asked.response.id,
      input: [{ type: 'function_call_output', call_id: callId, output: 'noon' }],
    });
    expect(textOf(answer)).toMatch(/^It is .*noon/);
    expect((await gateway.heard(1)).calls).toMatchObject([{ name: 'time', input: { zone: 'x' } }]);
  });
});

describe('streams', () => {
  test('two run at once, and each message names its own', async () => {
    const gate = createGate();
    gateway.upstream.otherwise(() => slowStream(gate.opened));
    const client = await connect();
    client.send({ model: MODEL, input: 'slow', stream_id: 'a' });
    await eventually('the slow one is asked', () => gateway.upstream.requests.length === 1);
    gateway.answer(({ prompt }) => ({ pieces: [prompt] }));
    client.send({ model: MODEL, input: 'fast', stream_id: 'b' });
    const fast = await client.find('the end of b', (message) => isEnd(message) && message.stream_id === 'b');
    expect(textOf(fast)).toBe('fast');
    expect(new Set(client.messages.map(({ stream_id: id }) => id)).has(undefined)).toBe(false);
    expect(client.messages.some((message) => isEnd(message) && message.stream_id === 'a')).toBe(false);
    gate.open();
    await client.find('the end of a', (message) => isEnd(message) && message.stream_id === 'a');
  });

  test('the turns of one stream wait for each other', async () => {
    const client = await connect();
    for (const input of ['one', 'two', 'three']) client.send({ model: MODEL, input, stream_id: 's' });
    await eventually('three answers', () => client.messages.filter(isEnd).length === 3);
    expect(client.messages.filter(isEnd).map(textOf)).toEqual(['one', 'two', 'three'].map((it) => `You said: ${it}`));
    const order = client.messages.map(({ type }) => type).filter((type) => /created|completed/.test(type));
    expect(order).toEqual(Array(3).fill(['response.created', 'response.completed']).flat());
  });

  test('a new one can go on from an answer of another', async () => {
    const client = await connect();
    const main = await client.ask({ model: MODEL, input: 'one', stream_id: 'main' });
    const fork = await client.ask({
      model: MODEL,
      input: 'two',
      stream_id: 'fork',
      previous_response_id: main.response.id,
    });
    expect(textOf(fork)).toBe('You said: one|two');
    const on = await client.ask({
      model: MODEL,
      input: 'three',
      stream_id: 'main',
      previous_response_id: main.response.id,
    });
    expect(textOf(on)).toBe('You said: one|three');
  });

  test('sixteen run at once, the others wait for them, and one too many is refused by its name', async () => {
    const gate = createGate();
    const held = chatStream({ pieces: ['ok'] });
    gateway.upstream.otherwise(() => ({ ...held, framing: 'chunked', body: [gate.opened, ...(held.body ?? [])] }));
    const client = await connect();
    const most = MAX_RUNNING + MAX_WAITING;
    for (let turn = 0; turn < most; turn++)
      client.send({ model: MODEL, input: 'x', stream_id: `s.${turn % MAX_NAMES}` });
    client.send({ model: MODEL, input: 'x', stream_id: 's_too-many' });
    expect(await client.find('a refusal', ({ type }) => type === 'error')).toMatchObject({
      status: 429,
      stream_id: 's_too-many',
      error: { code: 'too_many_in_flight', limit: most, used: most },
      headers: { 'retry-after': '2' },
    });
    await eventually('sixteen run', () => gateway.upstream.requests.length === MAX_RUNNING);
    expect(await client.ask({ model: MODEL, input: 'x' })).toMatchObject({ status: 429 });
    expect(gateway.upstream.requests).toHaveLength(MAX_RUNNING);
    gate.open();
    const ended = () => client.messages.filter(({ type }) => type === 'response.completed');
    await eventually('all have ended', () => ended().length === most);
    expect(gateway.upstream.requests).toHaveLength(most);
  });

  test('a connection has 32 names, and any number of turns without one', async () => {
    const client = await connect();
    const warm = (fields: Record<string, unknown>) =>
      client.ask({ model: MODEL, input: 'x', generate: false, ...fields });
    for (let name = 0; name < MAX_NAMES; name++) {
      expect(await warm({ stream_id: `s${name}` })).toMatchObject({ type: 'response.completed' });
    }
    expect(await warm({ stream_id: 'more' })).toMatchObject({
      status: 400,
      stream_id: 'more',
      error: { type: 'invalid_request_error', code: 'websocket_stream_limit_reached', param: 'stream_id' },
    });
    for (const fields of [{}, { stream_id: 's0' }, { stream_id: null }]) {
      expect(await warm(fields)).toMatchObject({ type: 'response.completed' });
    }
  });

  test.each(['', 'a b', 'ä', 'x'.repeat(257), 5])('a name has 1 to 256 plain characters, so not %p', async (name) => {
    const client = await connect();
    const refused = await client.ask({ model: MODEL, input: 'x', stream_id: name });
    expect(refused).toMatchObject({ status: 400, error: { code: 'invalid_stream_id', param: 'stream_id' } });
    expect(refused.stream_id).toBeUndefined();
    const longest = 'aZ09_-.'.repeat(40).slice(0, 256);
    expect(await client.ask({ model: MODEL, input: 'x', stream_id: longest })).toMatchObject({ stream_id: longest });
  });
});

describe('what is remembered', () => {
  test('a warm-up is remembered, asks no model and costs nothing', async () => {
    const { key } = await gateway.register();
    const client = await connect(key);
    const warm = await client.ask({ model: MODEL, input: 'one', generate: false });
    expect(warm).toMatchObject({ type: 'response.completed', response: { status: 'completed', output: [] } });
    expect(await usageOf(key)).toEqual([]);
    const answer = await client.ask({ model: MODEL, input: 'two', previous_response_id: warm.response.id });
    expect(textOf(answer)).toMatch(/^You said: one\|+two$/);
  });

  test('an unknown id, an older answer and another socket are refused', async () => {
    const client = await connect();
    const first = await client.ask({ model: MODEL, input: 'one' });
    await client.ask({ model: MODEL, input: 'two', previous_response_id: first.response.id });
    for (const id of ['resp_none', first.response.id]) {
      expect(await client.ask({ model: MODEL, input: 'x', previous_response_id: id, stream_id: 'z' })).toMatchObject({
        status: 400,
        stream_id: 'z',
        error: { code: 'previous_response_not_found', param: 'previous_response_id' },
      });
    }
    const other = await connect();
    const { id } = (await client.ask({ model: MODEL, input: 'three' })).response;
    expect(await other.ask({ model: MODEL, input: 'x', previous_response_id: id })).toMatchObject({ type: 'error' });
  });

  test('after a failed turn the conversation goes on from the answer before', async () => {
    const client = await connect();
    const first = await client.ask({ model: MODEL, input: 'one' });
    const failed = await client.ask({ model: 'none', input: 'two', previous_response_id: first.response.id });
    expect(failed).toMatchObject({ status: 404, error: { code: 'model_not_found' } });
    const again = await client.ask({ model: MODEL, input: 'two', previous_response_id: first.response.id });
    expect(textOf(again)).toBe('You said: one|two');
  });
});

describe('each turn is a call of its own', () => {
  test('out of money in the middle', async () => {
    const { key } = await gateway.register();
    const client = await connect(key);
    await client.ask({ model: 'auto:free', input: 'one' });
    await spendAll(gateway, key, 'even');
    expect(await client.ask({ model: MODEL, input: 'two' })).toMatchObject({
      type: 'error',
      status: 402,
      error: {
        code: 'insufficient_balance',
        needed_ntd: expect.any(Number),
        request_id: expect.stringMatching(/^req_/),
      },
    });
  });

  test('a revoked key is refused at the next turn, and the socket ends', async () => {
    const { key: manager } = await gateway.register();
    const { key, id } = await createKey(gateway, manager);
    const client = await connect(key);
    await client.ask({ model: MODEL, input: 'one' });
    await gateway.call(`/api/keys/${id}`, { key: manager, method: 'DELETE' });
    expect(await client.ask({ model: MODEL, input: 'two' })).toMatchObject({
      status: 401,
      error: { code: 'invalid_api_key' },
    });
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  test('the rates of a key count every turn', async () => {
    const { key: manager } = await gateway.register();
    const { key } = await createKey(gateway, manager, { rates: { requests_per_minute: 1 } });
    const client = await connect(key, { headers: { 'x-svc-no-wait': '1' } });
    expect(await client.ask({ model: MODEL, input: 'one' })).toMatchObject({ type: 'response.completed' });
    expect(await client.ask({ model: MODEL, input: 'two' })).toMatchObject({
      status: 429,
      error: { code: 'rate_limited' },
    });
  });

  test('a broken upstream is reported, and the next turn works', async () => {
    gateway.upstream.otherwise(() => ({ status: 500 }));
    const client = await connect();
    const failed = await client.ask({ model: MODEL, input: 'one' });
    expect(failed).toMatchObject({ type: 'error', status: 502, error: { code: 'upstream_failed' } });
    gateway.answer(() => ({ pieces: ['ok'] }));
    await eventually(
      'the channel is back',
      async () => (await client.ask({ model: MODEL, input: 'x' })).type === 'response.completed',
    );
  });
});
