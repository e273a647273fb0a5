// More work than fits: refused at once, before anything is read, and told when to come back; free calls make room first.

import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { Load } from '../../src/limits/load.ts';
import type { Input } from '../../src/store/operations.ts';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { operatorOf } from '../support/operator.ts';
import { untilHeard } from '../support/race.ts';
import { rawCall } from '../support/raw-call.ts';
import { cutAt, type Script } from '../support/script.ts';
import { upModel } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
/** A stream's role and first word, and a little of what follows. */
const BEGUN = ((chatStream().body ?? []) as string[]).slice(0, 2).join('').length + 9;
const MEGABYTE = 1024 * 1024;
let gateway: TestGateway;
let account: TestAccount;
const sockets = new Set<Socket>();

async function start(guards: Record<string, number>): Promise<void> {
  gateway = await startTestGateway({
    limits: { free_per_minute: 1_000, paid_per_minute: 10_000, in_flight: 1_000 },
    document: (doc) => ({
      ...doc,
      models: [...doc.models, upModel('dear', { price: { input: 100_000, output: 100_000 } })],
      guards: { ...doc.guards, free_in_flight: null, ...guards },
    }),
  });
  account = await gateway.register();
}
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await gateway.stop();
});

const paid = (rest?: Record<string, unknown>) =>
  gateway.chat(account.key, { model: 'up-paid', max_tokens: 20, ...rest });
const free = (headers: Record<string, string> = {}) => gateway.chat(account.key, { model: 'auto:free' }, { headers });
const holds = () => Number(gateway.sql<{ n: bigint }>('SELECT count(*) AS n FROM holds')[0]?.n);

/** So many paid calls that run until the gate opens; who finds no room yet comes again. */
async function fill(count: number) {
  const gate = createGate();
  gateway.upstream.reset();
  gateway.upstream.otherwise({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
  const running = Array.from({ length: count }, () => untilHeard(paid));
  await gateway.upstream.request(count - 1);
  return async () => {
    gate.open();
    for (const call of running) expect((await call).status).toBe(200);
    await eventually('the calls to be closed', () => holds() === 0);
    gateway.upstream.reset();
  };
}

/** A request of which only the headers are sent. */
function headersOnly(framing: string, path = CHAT): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\n${framing}\r\n\r\n`;
}
function openHeaders(framing: string, begun = ''): Socket {
  const socket = connect(gateway.port, '127.0.0.1', () => socket.write(headersOnly(framing) + begun));
  socket.on('error', () => socket.destroy());
  sockets.add(socket);
  return socket;
}

describe('running requests', () => {
  beforeEach(() => start({ requests_in_flight: 10 }));

  test('free calls are refused when 80 % of the capacity is used, paid ones when all of it is', async () => {
    const empty = await fill(7);
    expect((await free()).status).toBe(200);
    const more = [paid()];
    await gateway.upstream.request(7);
    const refused = await free();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('2');
    more.push(paid(), paid());
    await gateway.upstream.request(9);
    expect((await paid()).status).toBe(503);
    expect((await free()).status).toBe(503);
    await empty();
    for (const call of more) expect((await call).status).toBe(200);
    expect((await free()).status).toBe(200);
  });

  test('a refusal has the error format of its caller, with the time to wait', async () => {
    const empty = await fill(10);
    const openai = await paid();
    expect(openai.status).toBe(503);
    expect(openai.headers.get('retry-after')).toBe('2');
    expect(await openai.json()).toMatchObject({ error: { code: 'unavailable', type: 'server_error' } });
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      const body = { model: 'demo-small', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] };
      const anthropic = await gateway.call(path, { key: account.key, body });
      expect(anthropic.status).toBe(529);
      expect(anthropic.headers.get('retry-after')).toBe('2');
      expect(await anthropic.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    }
    await empty();
  });

  test('nothing of a refused call is read, held or counted', async () => {
    const empty = await fill(10);
    const counted = async () => {
      const { free: allowances, ...money }: Answer = await gateway.get('/api/me', account.key);
      return { ...money, minute: allowances.minute.used, day: allowances.day.used };
    };
    const before = await counted();
    const unsent = await rawCall(gateway.port, headersOnly('content-length: 1000'));
    expect(unsent.status).toBe(503);
    expect((await paid()).status).toBe(503);
    expect((await free()).status).toBe(503);
    expect(holds()).toBe(10);
    expect(await counted()).toEqual(before);
    expect(gateway.upstream.requests).toHaveLength(10);
    await empty();
    expect((await gateway.get('/api/usage', account.key)).data).toHaveLength(10);
  });

  test('what only informs is never refused', async () => {
    const empty = await fill(10);
    for (const path of ['/v1/models', '/api/me', '/api/usage', '/healthz', '/readyz']) {
      expect((await gateway.call(path, { key: account.key })).status, path).toBe(200);
    }
    expect((await gateway.call('/api/agent/register', { body: {} })).status).toBe(201);
    await empty();
  });

  test('a new document counts at once', async () => {
    const empty = await fill(6);
    await gateway.apply((doc) => ({ ...doc, guards: { ...doc.guards, requests_in_flight: 6 } }));
    expect((await paid()).status).toBe(503);
    await empty();
  });
});

describe('capacity is released', () => {
  beforeEach(() => start({ requests_in_flight: 3 }));

  /** Exactly three fit again, so nothing was lost and nothing was given back twice. */
  async function expectAllRoom(): Promise<void> {
    await eventually('every call to be closed', () => holds() === 0);
    const empty = await fill(3);
    expect((await paid()).status).toBe(503);
    await empty();
  }

  const whole: [what: string, script: Script, body: Record<string, unknown>, status: number][] = [
    ['success', chatAnswer(), {}, 200],
    ['a stream', chatStream(), { stream: true }, 200],
    ['failure', errorScript(500, { message: 'broken' }), {}, 502],
    ['a refusal by the upstream', errorScript(400, { message: 'no' }), {}, 400],
    ['a broken stream', cutAt(chatStream(), BEGUN, 'rst', 50), { stream: true }, 200],
    ['a cut answer', cutAt(chatAnswer(), 40, 'fin'), {}, 502],
  ];
  test.each(whole)('after %s', async (_, script, body, status) => {
    for (let round = 0; round < 2; round++) {
      gateway.upstream.otherwise(script);
      const response = await paid(body);
      await response.text();
      expect(response.status).toBe(status);
    }
    await expectAllRoom();
  });

  const refused: [what: string, body: unknown, status: number][] = [
    ['bad JSON', '{', 400],
    ['an unknown model', { model: 'nope', messages: [] }, 404],
    ['a bad field', { model: 'up-paid', messages: 7 }, 400],
    ['too much for the wallet', { model: 'dear', messages: [{ role: 'user', content: 'x' }] }, 402],
  ];
  test.each(refused)('after %s', async (_, body, status) => {
    for (let round = 0; round < 5; round++) {
      expect((await gateway.call(CHAT, { key: account.key, body })).status).toBe(status);
    }
    await expectAllRoom();
  });

  test.each([
    ['before the first byte', cutAt(chatAnswer(), 'head', 'stall'), {}],
    ['in the middle of a stream', cutAt(chatStream(), BEGUN, 'stall'), { stream: true }],
  ] as [string, Script, Record<string, unknown>][])('after a client left %s', async (_, script, body) => {
    for (let round = 0; round < 5; round++) {
      gateway.upstream.reset();
      gateway.upstream.otherwise(script);
      const leaving = new AbortController();
      const call = gateway
        .chat(account.key, { model: 'up-paid', max_tokens: 20, ...body }, { signal: leaving.signal })
        .then((response) => response.body?.getReader().read());
      await gateway.upstream.request(0);
      if (body.stream) await call;
      leaving.abort();
      await call.catch(() => {});
      await eventually('the call to be closed', () => holds() === 0);
    }
    await expectAllRoom();
  });

  test('after calls that a bug of ours made impossible to close', async () => {
    const { store } = gateway.gateway;
    const { commit } = store;
    // Nothing accepts such a time.
    const breaks = spyOn(store, 'commit').mockImplementation((name, input) => {
      const isEnd = name === 'settle' || name === 'release';
      const { outcome } = input as Partial<Input<'settle'>>;
      return commit(name, isEnd ? { ...input, outcome: { ...outcome, totalMs: Number.NaN } } : input);
    });
    for (let round = 0; round < 3; round++) {
      gateway.upstream.next(chatAnswer());
      const response = await paid();
      await response.text();
      expect(response.status).toBe(500);
    }
    expect(gateway.log.alarms('close_failed').length).toBeGreaterThanOrEqual(1);
    breaks.mockRestore();
    expect((await operatorOf(gateway).scrape()).sum('gateway_requests_open')).toBe(0);
    gateway.upstream.next(chatAnswer());
    expect((await paid()).status).toBe(200);
  });

  test('after clients left in the middle of their bodies', async () => {
    for (let round = 0; round < 3; round++) {
      const begun = Array.from({ length: 2 }, () => openHeaders('content-length: 1000', '{"model":'));
      await eventually('both to have their room', async () => (await free()).status === 503);
      for (const socket of begun) socket.destroy();
      await eventually('it to be given back', async () => (await free()).status === 200);
    }
    await expectAllRoom();
  });
});

describe('bytes of bodies', () => {
  beforeEach(() => start({ body_megabytes_in_flight: 25, requests_in_flight: 8 }));
  const withBody = (megabytes: number) => ({
    model: 'up-free',
    messages: [{ role: 'user', content: 'Hi' }],
    user: ' '.repeat(megabytes * MEGABYTE),
  });
  const send = (megabytes: number, path = CHAT) =>
    gateway.call(path, { key: account.key, body: { ...withBody(megabytes), max_tokens: 20 } });
  /** Spaces between words cost nothing. */
  const sendPaid = (megabytes: number) => {
    const body = JSON.stringify({ ...withBody(0), model: 'up-paid', max_tokens: 20 });
    return gateway.call(CHAT, { key: account.key, body: body + ' '.repeat(megabytes * MEGABYTE) });
  };

  test.each([2, 4, 20])('%i MiB that are only declared take no memory: declarations shut nobody out', async (size) => {
    for (let n = 0; n < 5; n++) openHeaders(`content-length: ${size * MEGABYTE}`);
    openHeaders('transfer-encoding: chunked');
    // With all six of them, what is left is kept for those who pay.
    await eventually('their headers to be read', async () => (await free()).status === 503);
    gateway.upstream.next(chatAnswer());
    expect((await sendPaid(19)).status).toBe(200);
  });

  test('bytes that have arrived take memory until the call ends', async () => {
    const gate = createGate();
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] }, chatAnswer());
    const running = send(19);
    await gateway.upstream.request(0);
    expect((await send(7)).status).toBe(503);
    expect((await send(7, '/v1/messages')).status).toBe(529);
    gateway.upstream.next(chatAnswer());
    expect((await paid()).status).toBe(200);
    gate.open();
    expect((await running).status).toBe(200);
    gateway.upstream.next(chatAnswer());
    await eventually('its room', async () => (await send(7)).status === 200);
  });

  test('free calls are refused when 80 % of the memory is used, paid ones are not', async () => {
    const gate = createGate();
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] });
    const running = sendPaid(17);
    await gateway.upstream.request(0);
    gateway.upstream.otherwise(chatAnswer());
    expect((await send(2)).status).toBe(200);
    const refused = await send(4);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect((await send(4, '/v1/messages')).status).toBe(529);
    expect((await sendPaid(4)).status).toBe(200);
    gate.open();
    expect((await running).status).toBe(200);
    await eventually('its room', async () => (await send(4)).status === 200);
  });
});

test('the smallest capacity still serves a free call', async () => {
  await start({ requests_in_flight: 1 });
  expect((await free()).status).toBe(200);
  const empty = await fill(1);
  const answer: Answer = await (await free()).json();
  expect(answer.error.code).toBe('unavailable');
  await empty();
});

test('capacity is released once, however often release is called', async () => {
  await start({});
  const load = new Load({ requests: 2, bodyBytes: 10 });
  const [first, second] = [load.acquire('a'), load.acquire('b')];
  first.grow(4);
  second.grow(6);
  expect(() => load.acquire('c')).toThrow('unavailable');
  first.release();
  first.release();
  first.grow(9);
  expect(load.requests).toBe(1);
  const third = load.acquire('c');
  expect(() => third.grow(5)).toThrow('unavailable');
  third.grow(4);
  third.release();
  second.release();
  expect(load.requests).toBe(0);
});

test('bodies that are only declared take a fifth of the capacity, and of what one account gets', async () => {
  await start({});
  const load = new Load({ requests: 1_000, bodyBytes: 1_000 * MEGABYTE });
  const [first, second] = [load.acquire('a'), load.acquire('a')];
  expect([first.reserve(40 * MEGABYTE), second.reserve(10 * MEGABYTE), second.reserve(1)]).toEqual([true, true, false]);
  second.grow(MEGABYTE);
  first.release();
  expect(second.reserve(39 * MEGABYTE)).toBe(true);
  for (const account of ['b', 'c', 'd']) expect(load.acquire(account).reserve(50 * MEGABYTE)).toBe(true);
  expect(load.acquire('e').reserve(MEGABYTE)).toBe(false);
});

test('one account never takes more than a quarter of a large gateway', async () => {
  await start({});
  const load = new Load({ requests: 1_000, bodyBytes: 1_000 * MEGABYTE });
  const rooms = Array.from({ length: 250 }, () => load.acquire('greedy'));
  expect(() => load.acquire('greedy')).toThrow('unavailable');
  rooms[0]?.grow(250 * MEGABYTE);
  expect(() => rooms[1]?.grow(1)).toThrow('unavailable');
  load.acquire('other').grow(20 * MEGABYTE);
  for (const room of rooms) room.release();
  load.acquire('greedy').release();
  expect(load.requests).toBe(1);
});
