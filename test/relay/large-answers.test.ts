// Answers of many megabytes: as many vectors and pictures as a request may ask for reach the client as they came; what is
// more than we take ends the call, is charged to nobody, and says nothing of the channel.

import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { jsonScript } from '../support/openai-chat.ts';
import type { Part, Script } from '../support/script.ts';
import { type SlowClient, startSlowClient } from '../support/slow-client.ts';
import { openaiChannel, type TestDocument, upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const MIB = 1024 * 1024;
const DIMENSIONS = 3_072;
/** The vectors that every test is about are all the same. */
const VECTOR = Array.from({ length: DIMENSIONS }, (_, index) => ((index % 7) - 3) / 4);
const PACKED = Buffer.from(new Float32Array(VECTOR).buffer).toString('base64');
let gateway: TestGateway;
let second: ScriptedUpstream;
let account: TestAccount;

async function start(guards: Record<string, number> = {}, clock?: ManualClock): Promise<void> {
  second = await startUpstream();
  gateway = await startTestGateway({
    ...(clock ? { clock } : {}),
    document: (standard: TestDocument) => {
      const routes = [
        { channel: 'up', model: 'scripted', priority: 1 },
        { channel: 'other', model: 'scripted', priority: 2 },
      ];
      return {
        ...standard,
        channels: [...standard.channels, openaiChannel('other', second.baseUrl)],
        models: [
          ...standard.models,
          upModel('vectors', { kinds: ['embeddings'], price: { input: 2 }, routes }),
          upModel('paint', { kinds: ['images'], price: { image: 0.001 }, routes }),
        ],
        guards: { ...standard.guards, ...guards },
      };
    },
  });
}
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
const stop = async () => {
  await gateway.stop();
  await second.close();
};

function* listed(count: number, item: (index: number) => string): Generator<Part> {
  for (let index = 0; index < count; index++) yield `${index === 0 ? '' : ',\n'}${item(index)}`;
}
const inChunks = (head: string, parts: Iterable<Part>, tail: string): Script => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  framing: 'chunked',
  body: [head],
  rest: (function* () {
    yield* parts;
    yield tail;
  })(),
});
const TAIL = '],"model":"scripted","usage":{"prompt_tokens":9,"total_tokens":9}}';
const vectors = (count: number, vector: unknown) => {
  const text = JSON.stringify(vector);
  const parts = listed(count, (index) => `{"object":"embedding","index":${index},"embedding": ${text}}`);
  return inChunks('{"object":"list","data":[', parts, TAIL);
};
/** Counted in a text that ends as it should: to parse millions of numbers takes long. */
const vectorsIn = (text: string) =>
  text.endsWith(TAIL.replace('scripted', 'vectors')) ? text.split('"embedding":').length - 1 : 0;
const pictures = (count: number, bytes: number) =>
  inChunks(
    '{"created":1,"data":[',
    listed(count, () => JSON.stringify({ b64_json: 'A'.repeat(bytes) })),
    ']}',
  );

const embed = (count: number, rest: Record<string, unknown> = {}, signal?: AbortSignal) =>
  gateway.call('/v1/embeddings', {
    key: account.key,
    body: { model: 'vectors', input: Array.from({ length: count }, () => 'a'), ...rest },
    ...(signal ? { signal } : {}),
  });
/** A client that takes nothing but the beginning of its answer. */
async function askSlowly(count: number): Promise<SlowClient> {
  gateway.upstream.next(vectors(count, VECTOR));
  const body = { model: 'vectors', input: Array.from({ length: count }, () => 'a') };
  const client = startSlowClient({ port: gateway.port, path: '/v1/embeddings', key: account.key, body });
  await client.begun;
  client.pause();
  return client;
}
/** Time goes on until it is over. */
async function passing<T>(clock: ManualClock, awaited: Promise<T>): Promise<T> {
  let isOver = false;
  void awaited.finally(() => {
    isOver = true;
  });
  await eventually('its end', async () => {
    if (!isOver) await clock.advance(250);
    return isOver;
  });
  return awaited;
}
const paint = (n: number) =>
  gateway.call('/v1/images/generations', { key: account.key, body: { model: 'paint', prompt: 'a cat', n } });
const receiptOf = (response: Response): Promise<Answer> =>
  gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);

describe('as much as may be asked for', () => {
  beforeAll(() => start());
  afterAll(stop);

  test.each([
    [256, 'base64', 'floats', 'base64', VECTOR, PACKED],
    [256, 'floats', 'base64', 'float', PACKED, VECTOR],
    [256, 'base64', 'base64', 'base64', PACKED, PACKED],
    [64, 'floats', 'floats', 'float', VECTOR, VECTOR],
  ])('%d vectors reach the client: %s of %s', async (count, _to, _from, encoding_format, given, expected) => {
    gateway.upstream.next(vectors(count, given));
    const response = await embed(count, { encoding_format });
    expect(response.status).toBe(200);
    const { data, ...rest } = (await response.json()) as { data: { index: number; embedding: unknown }[] };
    expect(rest as Answer).toEqual({ object: 'list', model: 'vectors', usage: { prompt_tokens: 9, total_tokens: 9 } });
    expect(data.map(({ index }) => index)).toEqual(Array.from({ length: count }, (_, index) => index));
    expect(new Set(data.map(({ embedding }) => JSON.stringify(embedding)))).toEqual(
      new Set([JSON.stringify(expected)]),
    );
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.000018');
    expect(await receiptOf(response)).toMatchObject({ input_tokens: 9, attempts: [{ channel: 'up', outcome: 'ok' }] });
  });

  /** Compared here, because a difference of so many bytes cannot be printed. */
  async function isAsItCame(response: Response, count: number): Promise<boolean> {
    const { body = [], rest = [] } = vectors(count, VECTOR);
    return (await response.text()) === [...body, ...rest].join('').replace('"scripted"', '"vectors"');
  }

  // About 72 of them are the first that are not short.
  test.each([1, 70, 72, 74, 200])('but for the model not a byte of %d is another', async (count) => {
    gateway.upstream.next(vectors(count, VECTOR));
    expect(await isAsItCame(await embed(count), count)).toBe(true);
  });

  test('nor of as many as a request may ask for', async () => {
    gateway.upstream.next(vectors(2_048, VECTOR));
    const response = await embed(2_048);
    expect(await isAsItCame(response, 2_048)).toBe(true);
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.000018');
    expect(await receiptOf(response)).toMatchObject({ input_tokens: 9, attempts: [{ channel: 'up', outcome: 'ok' }] });
  });

  test('several large pictures reach the client', async () => {
    gateway.upstream.next(pictures(4, 18 * MIB));
    const response = await paint(4);
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: { b64_json: string }[] };
    expect(data.map(({ b64_json }) => b64_json.length)).toEqual(Array(4).fill(18 * MIB));
    expect(await receiptOf(response)).toMatchObject({ images: 4, attempts: [{ channel: 'up', outcome: 'ok' }] });
  });

  test('of more large pictures than were asked for, the first ones reach the client', async () => {
    gateway.upstream.next(pictures(4, MIB));
    const response = await paint(2);
    const { data } = (await response.json()) as { data: { b64_json: string }[] };
    expect(data.map(({ b64_json }) => b64_json.length)).toEqual([MIB, MIB]);
    expect(await receiptOf(response)).toMatchObject({ images: 2, attempts: [{ outcome: 'ok' }] });
  });

  test('a large answer with anything but numbers in a vector is none', async () => {
    gateway.upstream.next(vectors(200, [...VECTOR, null]));
    second.next(vectors(200, VECTOR));
    const response = await embed(200);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe('other');
    await response.body?.cancel();
  });

  test('more than the request can have asked for is a flood: another channel is asked', async () => {
    gateway.upstream.next(pictures(1, 97 * MIB));
    second.next(jsonScript(200, { created: 1, data: [{ b64_json: 'QUJD' }] }));
    const response = await paint(1);
    expect(response.status).toBe(200);
    expect((await receiptOf(response)).attempts).toMatchObject([{ outcome: 'flood' }, { outcome: 'ok' }]);
  });
});

describe('more than we take', () => {
  beforeAll(() => start({ body_megabytes_in_flight: 25 }));
  afterAll(stop);

  test('ends the call: no other channel is tried, nothing is charged, and the error names a remedy', async () => {
    gateway.upstream.next(vectors(1_024, VECTOR));
    const response = await embed(1_024);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as Answer;
    expect(error).toMatchObject({ code: 'invalid_request', param: 'input' });
    expect(error.message).toContain('Send fewer inputs at once, or set encoding_format to base64');
    expect(second.requests).toEqual([]);
    expect(await receiptOf(response)).toMatchObject({
      status: 'invalid_request',
      cost_nano: '0',
      attempts: [{ channel: 'up', outcome: 'too_large' }],
    });
    expect((await gateway.get('/api/me', account.key)).held_ntd).toBe(0);
    const line = gateway.log.lines().find(({ event }) => event === 'answer_too_large');
    expect(line).toMatchObject({ level: 'warn', model: 'vectors', channel: 'up', endpoint: '/v1/embeddings' });
  });

  test('pictures, too', async () => {
    gateway.upstream.next(pictures(2, 9 * MIB));
    const response = await paint(2);
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error).toMatchObject({ code: 'invalid_request', param: 'n' });
    expect((await receiptOf(response)).attempts).toMatchObject([{ channel: 'up', outcome: 'too_large' }]);
  });

  test('however often, the channel stays open for everybody, and the memory is released', async () => {
    for (let time = 0; time < 6; time++) {
      gateway.upstream.next(vectors(1_024, VECTOR));
      expect((await embed(1_024)).status).toBe(400);
    }
    gateway.upstream.next(vectors(500, VECTOR));
    account = await gateway.register();
    const response = await embed(500);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe('up');
    expect(vectorsIn(await response.text())).toBe(500);
  });

  test('a client that leaves before all of it came releases its memory', async () => {
    gateway.upstream.otherwise(() => vectors(500, VECTOR));
    for (let time = 0; time < 4; time++) {
      const leaving = new AbortController();
      const response = await embed(500, {}, leaving.signal);
      expect(response.status).toBe(200);
      leaving.abort();
    }
    await eventually('room for another', async () => {
      const { status } = await embed(500);
      return status === 200;
    });
  });
});

describe('an answer that a bug of ours keeps from being closed', () => {
  beforeAll(() => start({ body_megabytes_in_flight: 25 }));
  afterAll(stop);

  test('releases its memory', async () => {
    const { store } = gateway.gateway;
    const { commit } = store;
    const breaks = spyOn(store, 'commit').mockImplementation((name, input) =>
      name === 'settle' || name === 'release' ? Promise.reject(new Error('a bug')) : commit(name, input),
    );
    gateway.upstream.next(vectors(750, VECTOR));
    expect((await embed(750)).status).toBe(500);
    breaks.mockRestore();

    account = await gateway.register();
    gateway.upstream.next(vectors(500, VECTOR));
    const response = await embed(500);
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });
});

describe('no memory for it now', () => {
  const clock = createManualClock();
  beforeAll(() => start({ body_megabytes_in_flight: 50 }, clock));
  afterAll(() => passing(clock, stop()));

  /** An answer of another account that is there, and that its client does not take. */
  async function untaken(): Promise<SlowClient> {
    const client = await askSlowly(1_500);
    gateway.upstream.next(vectors(1_000, VECTOR));
    account = await gateway.register();
    return client;
  }

  test('it waits until another answer has released memory', async () => {
    const client = await untaken();
    const waiting = embed(1_000);
    await gateway.upstream.request(1);
    client.resume();
    const response = await waiting;
    expect(response.status).toBe(200);
    expect(vectorsIn(await response.text())).toBe(1_000);
    client.hangUp();
  });

  test('after 30 s the response says to retry, and the channel is not blamed', async () => {
    const client = await untaken();
    const waiting = embed(1_000);
    await gateway.upstream.request(1);
    const refused = await passing(clock, waiting);
    expect(refused.status).toBe(503);
    expect(((await refused.json()) as Answer).error.code).toBe('unavailable');
    const { cost_nano, attempts } = await receiptOf(refused);
    expect(cost_nano).toBe('0');
    expect(attempts).toMatchObject([{ channel: 'up', outcome: 'too_large' }]);
    expect(attempts[0].ms).toBeGreaterThanOrEqual(30_000);
    expect(second.requests).toEqual([]);
    const told = gateway.log.lines().filter(({ event }) => String(event).startsWith('answer_'));
    expect(told).toMatchObject([{ event: 'answer_without_room', level: 'warn', model: 'vectors', channel: 'up' }]);
    client.hangUp();
  });
});

describe('a drain', () => {
  const clock = createManualClock();
  beforeAll(() => start({}, clock));
  afterAll(stop);

  test('waits until a client has what it paid for', async () => {
    const client = await askSlowly(1_000);
    const draining = gateway.gateway.drain(40_000);
    await clock.advance(30_000);
    client.resume();
    await passing(clock, draining);
    await client.closed;
    expect(client.text().slice(-100)).toContain(TAIL.replace('scripted', 'vectors'));
  });
});
