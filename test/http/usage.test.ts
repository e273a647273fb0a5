// GET /api/usage: the record of every admitted request, filtered and summed.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { readSse } from '../support/sse.ts';

/** Two in the morning in Taipei, where it is already the 20th. */
const START = Date.UTC(2026, 4, 19, 18, 0, 0);
const clock = createManualClock(START);
let gateway: TestGateway;
let account: TestAccount;
let ids: string[];

beforeAll(async () => {
  gateway = await startTestGateway({ clock });
  account = await gateway.register();
  ids = [];
  const { upstream } = gateway;
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 50,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  const step = async (response: Response) => {
    await response.text();
    ids.push(response.headers.get('x-request-id') ?? '');
    await clock.advance(1_000);
  };
  upstream.next(chatAnswer({ usage }));
  await step(await gateway.chat(account.key, { model: 'claude-up-paid' }));
  await step(await gateway.chat(account.key, { model: 'auto:free' }));
  // Not a failure that is tried again: the clock stands still.
  upstream.otherwise(errorScript(404, { message: 'no' }));
  await step(await gateway.chat(account.key, { model: 'up-paid' }));
  upstream.reset();
  upstream.next(chatStream());
  const stream = await gateway.chat(account.key, { model: 'up-paid', stream: true });
  ids.push(stream.headers.get('x-request-id') ?? '');
  await readSse(stream);
  const stranger = await gateway.register();
  await gateway.chat(stranger.key, { model: 'auto:free' });
});
afterAll(() => gateway.stop());

const list = (query = '') => gateway.get(`/api/usage${query}`, account.key);
const idsIn = async (query: string) => (await list(query)).data.map(({ request_id }: Answer) => request_id);

test('newest first, all of this account, none of another', async () => {
  const page = await list();
  expect(Object.keys(page)).toEqual(['object', 'data', 'has_more', 'next_cursor', 'totals']);
  expect(page).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
  expect(page.data.map(({ request_id }: Answer) => request_id)).toEqual(ids.toReversed());
});

test('a record has exactly these fields, exact to the nano', async () => {
  const cost = 30n * 10_000n + 60n * 1_000n + 10n * 12_500n + 50n * 40_123n;
  const record = (await list()).data.at(-1);
  expect(record).toEqual({
    request_id: ids[0],
    at: new Date(START).toISOString(),
    key_id: account.keyId,
    model: 'up-paid',
    channel: 'up',
    endpoint: '/v1/chat/completions',
    status: 'ok',
    stream: false,
    input_tokens: 30,
    cached_input_tokens: 60,
    cache_write_5m_tokens: 10,
    cache_write_1h_tokens: 0,
    output_tokens: 50,
    reasoning_tokens: 20,
    images: 0,
    seconds: 0,
    characters: 0,
    searches: 0,
    first_token_ms: null,
    total_ms: 0,
    cost_ntd: 0.00249115,
    cost_nano: cost.toString(),
    balance_after_ntd: 0.99750885,
    balance_after_nano: (1_000_000_000n - cost).toString(),
    estimated: false,
    revision: 1,
  });
});

test('the channel is the one the answer named; a failed request has none and costs nothing', async () => {
  const [stream, failed, free] = (await list()).data;
  expect(stream).toMatchObject({ channel: 'up', stream: true, status: 'ok', first_token_ms: 0 });
  expect(failed).toMatchObject({ channel: null, status: 'upstream_failed', cost_nano: '0', input_tokens: 0 });
  expect(free).toMatchObject({ channel: 'demo', model: 'auto:free', cost_nano: '0', cost_ntd: 0 });
});

describe('filters', () => {
  test('by model, channel, key and status', async () => {
    expect(await idsIn('?model=auto:free')).toEqual([ids[1]]);
    expect(await idsIn('?channel=up')).toEqual([ids[3], ids[0]]);
    expect(await idsIn('?status=upstream_failed')).toEqual([ids[2]]);
    expect(await idsIn('?status=failed')).toEqual([ids[2]]);
    expect(await idsIn(`?key_id=${account.keyId}`)).toHaveLength(4);
    expect(await idsIn('?key_id=key_other')).toEqual([]);
    expect(await idsIn('?model=up-paid&status=ok&channel=up')).toEqual([ids[3], ids[0]]);
  });

  test('by an alias as by the model it means, also as CSV', async () => {
    const ofModel = await list('?model=up-paid');
    expect(ofModel.data).toHaveLength(3);
    expect(await list('?model=claude-up-paid')).toEqual(ofModel);
    const csv = await gateway.call('/api/usage?format=csv&model=claude-up-paid', { key: account.key });
    expect((await csv.text()).trimEnd().split('\r\n')).toHaveLength(1 + 3);
  });

  test('by time: from is inside, to is not', async () => {
    const at = (index: number) => encodeURIComponent(new Date(START + index * 1_000).toISOString());
    expect(await idsIn(`?from=${at(1)}`)).toEqual([ids[3], ids[2], ids[1]]);
    expect(await idsIn(`?to=${at(1)}`)).toEqual([ids[0]]);
    expect(await idsIn(`?from=${at(1)}&to=${at(3)}`)).toEqual([ids[2], ids[1]]);
    expect(await idsIn(`?from=${START + 3_000}`)).toEqual([ids[3]]);
  });

  test('a time in another zone is the same time, also with a + that was not escaped', async () => {
    const written = '2026-05-20T02:00:01+08:00';
    for (const from of [written, encodeURIComponent(written), '2026-05-19T13:00:01-05:00']) {
      expect(await idsIn(`?from=${from}`)).toEqual([ids[3], ids[2], ids[1]]);
    }
  });

  test('a bare date is a day in Taipei', async () => {
    expect(await idsIn('?from=2026-05-20&to=2026-05-21')).toHaveLength(4);
    expect(await idsIn('?from=2026-05-21')).toEqual([]);
    expect(await idsIn('?to=2026-05-20')).toEqual([]);
  });

  test('what looks like SQL is a value like any other', async () => {
    for (const name of ['model', 'channel', 'key_id', 'status']) {
      expect(await idsIn(`?${name}=${encodeURIComponent("' OR 1=1 --")}`)).toEqual([]);
    }
  });

  test('an unknown parameter is ignored', async () => {
    expect(await idsIn('?account_id=acc_other&foo=bar')).toHaveLength(4);
  });
});

describe('totals', () => {
  test('sum everything the filter finds, not only the page', async () => {
    const page = await list('?limit=1');
    expect(page.data).toHaveLength(1);
    const all = (await list()).data;
    const sum = (name: string) => all.reduce((total: number, record: Answer) => total + record[name], 0);
    expect(page.totals).toMatchObject({
      requests: 4,
      input_tokens: sum('input_tokens'),
      cached_input_tokens: 60,
      cache_write_5m_tokens: 10,
      cache_write_1h_tokens: 0,
      output_tokens: sum('output_tokens'),
      reasoning_tokens: 20,
      images: 0,
      seconds: 0,
      characters: 0,
      searches: 0,
    });
    const cost = all.reduce((total: bigint, record: Answer) => total + BigInt(record.cost_nano), 0n);
    expect(page.totals.cost_nano).toBe(cost.toString());
    const { balance_nano } = await gateway.get('/api/me', account.key);
    expect(BigInt(balance_nano)).toBe(1_000_000_000n - cost);
  });

  test('follow the filter', async () => {
    expect((await list('?model=auto:free')).totals).toMatchObject({ requests: 1, cost_nano: '0' });
    expect((await list('?model=none')).totals).toMatchObject({ requests: 0, cost_nano: '0', cost_ntd: 0 });
  });
});

describe('refuses', () => {
  test.each([
    'limit=0',
    'limit=-1',
    'limit=abc',
    'limit=1.5',
    'cursor=garbage',
    'cursor=MS5yZXFfMSBPUiAxPTE',
    'from=yesterday',
    'to=2026-13-45',
    'from=99999999999999999999',
    'from=1779213600',
    'to=20260520',
    'from=2026',
    'to=2026-02-30',
    'to=2026-02-30T09:00:00Z',
    'from=2026-05-20T02:00:00',
    'from=2026-05-20 02:00',
    'format=xml',
    'format=CSV',
  ])('%s', async (query) => {
    const response = await gateway.call(`/api/usage?${query}`, { key: account.key });
    expect(response.status).toBe(400);
    const { error }: Answer = await response.json();
    expect(error).toMatchObject({ code: 'invalid_request', param: query.split('=')[0] });
  });
});

// Last in the file: it changes the catalog for good.
test('an id that became an alias still finds what was recorded under it', async () => {
  await gateway.apply((standard) => ({
    ...standard,
    models: standard.models.map((model) =>
      model.id === 'up-paid' ? { ...model, id: 'up-renamed', aliases: ['up-paid'] } : model,
    ),
  }));
  gateway.upstream.next(chatAnswer());
  await (await gateway.chat(account.key, { model: 'up-paid' })).text();
  const found = (await list('?model=up-paid')).data.map(({ model }: Answer) => model);
  expect(found.toSorted()).toEqual(['up-paid', 'up-paid', 'up-paid', 'up-renamed']);
});
