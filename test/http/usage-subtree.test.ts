// GET /api/usage of a tree of keys: one subtree of it, and the sums of each key alone and with what is below it.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type CreatedKey, createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createLine } from '../support/key-tree.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { UP_PRICES } from '../support/test-document.ts';

const CHARGED = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
let gateway: TestGateway;
let account: TestAccount;
let top: CreatedKey;
let middle: CreatedKey;
let bottom: CreatedKey;

/** The account's key is used once, top once, middle twice, bottom three times; middle is deleted with bottom then. */
beforeAll(async () => {
  gateway = await startTestGateway();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
  [top, middle, bottom] = (await createLine(gateway, account.key, ['top', 'middle', 'bottom'])) as [
    CreatedKey,
    CreatedKey,
    CreatedKey,
  ];
  const keys = [account, top, middle, middle, bottom, bottom, bottom];
  for (const { key } of keys) await (await gateway.chat(key, { model: 'up-paid', max_tokens: 20 })).text();
  await gateway.call(`/api/keys/${middle.id}`, { key: account.key, method: 'DELETE' });
});
afterAll(() => gateway.stop());

const get = (query: string, key = account.key) => gateway.get(`/api/usage?${query}`, key);

test('a subtree is the key and all below it, deleted ones too', async () => {
  for (const [id, requests] of [
    [top.id, 6],
    [middle.id, 5],
    [bottom.id, 3],
    [account.keyId, 1],
  ] as const) {
    const page = await get(`subtree=${id}`);
    expect([page.data.length, page.totals]).toMatchObject([
      requests,
      { requests, cost_nano: (BigInt(requests) * CHARGED).toString() },
    ]);
  }
  expect((await get(`subtree=${top.id}&key_id=${middle.id}`)).totals.requests).toBe(2);
  expect((await get(`subtree=${middle.id}&key_id=${top.id}`)).totals.requests).toBe(0);
  const csv = await (await gateway.call(`/api/usage?format=csv&subtree=${middle.id}`, { key: account.key })).text();
  expect(csv.trimEnd().split('\r\n')).toHaveLength(1 + 5);
});

test('a page of a subtree goes on where it ended', async () => {
  const first = await get(`subtree=${top.id}&limit=4`);
  const rest = await get(`subtree=${top.id}&limit=4&cursor=${first.next_cursor}`);
  expect([first.data.length, rest.data.length, rest.has_more]).toEqual([4, 2, false]);
});

test('grouped by key: each alone and with its subtree, parents before children', async () => {
  const { by_key } = await get('group_by=key');
  expect(by_key.map(({ name, depth, own, subtree }: Answer) => [name, depth, own.requests, subtree.requests])).toEqual([
    [null, 0, 1, 1],
    ['top', 0, 1, 6],
    ['middle', 1, 2, 5],
    ['bottom', 2, 3, 3],
  ]);
  expect(by_key[1]).toMatchObject({
    key_id: top.id,
    parent_id: null,
    own: { cost_nano: CHARGED.toString() },
    subtree: { cost_nano: (6n * CHARGED).toString(), output_tokens: 42 },
  });
  const below = (await get(`group_by=key&subtree=${middle.id}`)).by_key;
  expect(below.map(({ key_id }: Answer) => key_id)).toEqual([middle.id, bottom.id]);
  expect((await get('group_by=key&model=none')).by_key).toEqual([]);
  expect(await get('')).not.toHaveProperty('by_key');
});

test('the same as a file', async () => {
  const response = await gateway.call('/api/usage?format=csv&group_by=key', { key: account.key });
  expect(response.headers.get('content-type')).toStartWith('text/csv');
  const [titles = '', ...lines] = (await response.text()).replace('\uFEFF', '').trimEnd().split('\r\n');
  const columns = titles.split(',');
  const rows = lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])),
  );
  expect(rows.map(({ name, requests, subtree_requests }) => [name, requests, subtree_requests])).toEqual([
    ['', '1', '1'],
    ['top', '1', '6'],
    ['middle', '2', '5'],
    ['bottom', '3', '3'],
  ]);
});

test('another grouping is refused', async () => {
  const { error } = await get('group_by=model');
  expect(error).toMatchObject({ code: 'invalid_request', param: 'group_by', message: 'group_by must be key.' });
});

test('the subtree of a key that is unknown, or that the asking key does not see, is not found', async () => {
  const other = await gateway.register();
  const child = await createKey(gateway, top.key, { budgets: { total_ntd: 0.01 } });
  for (const [id, key] of [
    ['key_unknown', account.key],
    [other.keyId, account.key],
    [top.id, child.key],
  ]) {
    const response = await gateway.call(`/api/usage?subtree=${id}`, { key });
    const { error }: Answer = await response.json();
    expect([response.status, error.code, error.param]).toEqual([404, 'not_found', 'subtree']);
  }
  for (const id of [middle.id, child.id]) {
    expect((await gateway.call(`/api/usage?subtree=${id}`, { key: account.key })).status).toBe(200);
  }
});
