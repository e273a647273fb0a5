// Delegation: a key makes, changes, deletes and lists keys below itself and touches no others, whatever it is asked.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { KEY_CHANGES_PER_MINUTE } from '../../src/limits/guards.ts';
import { MAX_KEYS_A_DAY, MAX_KEYS_BELOW } from '../../src/store/book/key-count.ts';
import type { Answer } from '../support/answer.ts';
import { type CreatedKey, createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { CHILD_BUDGET, createLine, listedIds } from '../support/key-tree.ts';
import { chatAnswer } from '../support/openai-chat.ts';

let gateway: TestGateway;
let account: TestAccount;
let parent: CreatedKey;

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
  parent = await createKey(gateway, account.key, { name: 'parent', delegate: true, budgets: { total_ntd: 0.5 } });
});
afterAll(() => gateway.stop());

const send = (key: string, method: string, path: string, body?: unknown, headers = {}) =>
  gateway.call(path, { method, key, body, headers });
const create = (key: string, body: unknown, headers = {}) => send(key, 'POST', '/api/keys', body, headers);
const rows = () => gateway.sql('SELECT * FROM keys WHERE account_id = ? ORDER BY key_id', account.accountId);
const statusOf = async (key: string) => (await gateway.call('/api/me', { key })).status;
const errorOf = async (response: Response) => {
  const { error }: Answer = await response.json();
  return { status: response.status, code: error.code, param: error.param, message: String(error.message) };
};

describe('a delegating key', () => {
  test('makes children of itself, which make their own', async () => {
    const child = await createKey(gateway, parent.key, { name: 'child', delegate: true, ...CHILD_BUDGET });
    const grandchild: Answer = await (await create(child.key, { name: 'grandchild', ...CHILD_BUDGET })).json();
    expect(grandchild).toMatchObject({ parent_id: child.id, depth: 2, delegate: false, manage: false });
    expect((await gateway.get('/api/me', child.key)).key).toMatchObject({ parent_id: parent.id, depth: 1 });
    // Itself first, then what is below it.
    expect(await listedIds(gateway, parent.key)).toEqual([parent.id, child.id, grandchild.id]);
    expect(await listedIds(gateway, child.key)).toEqual([child.id, grandchild.id]);
    expect((await gateway.chat(grandchild.api_key, { model: 'up-paid', max_tokens: 20 })).status).toBe(200);
  });

  test('changes and deletes keys at any depth below it', async () => {
    const [child, grandchild] = await createLine(gateway, parent.key, ['child', 'grandchild']);
    const changed = await send(parent.key, 'PATCH', `/api/keys/${grandchild?.id}`, { budgets: { total_ntd: 0.1 } });
    expect([changed.status, ((await changed.json()) as Answer).budgets.total_ntd]).toEqual([200, 0.1]);
    const deleted = await send(parent.key, 'DELETE', `/api/keys/${child?.id}`);
    expect(await deleted.json()).toEqual({ id: child?.id, deleted: true });
    // The whole subtree has ended.
    expect([await statusOf(child?.key ?? ''), await statusOf(grandchild?.key ?? '')]).toEqual([401, 401]);
    expect(await listedIds(gateway, parent.key)).toEqual([parent.id]);
    expect(await statusOf(parent.key)).toBe(200);
  });

  test('finds no key that is not below it: siblings, parents and unknown ones are the same 404', async () => {
    const [mine, theirs] = await Promise.all(
      ['mine', 'theirs'].map((name) => createKey(gateway, parent.key, { name, delegate: true, ...CHILD_BUDGET })),
    );
    const other = await gateway.register();
    const nephew = await createKey(gateway, theirs?.key ?? '', CHILD_BUDGET);
    const before = rows();
    const unknown = await errorOf(await send(mine?.key ?? '', 'PATCH', '/api/keys/key_unknown', { name: 'x' }));
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' });
    for (const id of [theirs?.id, nephew.id, parent.id, account.keyId, other.keyId]) {
      for (const [method, body] of [
        ['PATCH', { name: 'x' }],
        ['DELETE', undefined],
      ] as const) {
        expect(await errorOf(await send(mine?.key ?? '', method, `/api/keys/${id}`, body))).toEqual(unknown);
      }
    }
    expect(rows()).toEqual(before);
  });

  test('cannot change, delete or rotate itself, nor rotate a child', async () => {
    const child = await createKey(gateway, parent.key, CHILD_BUDGET);
    const before = rows();
    for (const [method, path, body] of [
      ['PATCH', `/api/keys/${parent.id}`, { budgets: { total_ntd: 100 } }],
      ['PATCH', `/api/keys/${parent.id}`, { budgets: null }],
      ['PATCH', `/api/keys/${parent.id}`, { manage: true }],
      ['DELETE', `/api/keys/${parent.id}`, undefined],
      ['POST', `/api/keys/${parent.id}/rotate`, {}],
      ['POST', `/api/keys/${child.id}/rotate`, {}],
    ] as const) {
      expect(await errorOf(await send(parent.key, method, path, body))).toMatchObject({
        status: 403,
        code: 'key_not_permitted',
      });
    }
    expect(rows()).toEqual(before);
  });

  test('makes no keys beside or above itself', async () => {
    const child = await createKey(gateway, parent.key, { delegate: true, ...CHILD_BUDGET });
    const before = rows();
    for (const parent_id of [account.keyId, parent.id, 'key_unknown']) {
      const refused = await errorOf(await create(child.key, { parent_id, ...CHILD_BUDGET }));
      expect(refused).toMatchObject({ status: 400, param: 'parent_id' });
    }
    expect(rows()).toEqual(before);
    expect((await create(child.key, { parent_id: child.id, ...CHILD_BUDGET })).status).toBe(201);
  });

  test('gets nothing else of the account: keys, usage and receipts of others stay hidden', async () => {
    const sibling = await createKey(gateway, parent.key, { name: 'secret-sibling', ...CHILD_BUDGET });
    const child = await createKey(gateway, parent.key, { delegate: true, ...CHILD_BUDGET });
    const grandchild = await createKey(gateway, child.key, CHILD_BUDGET);
    const idOf = async (key: string) => {
      const response = await gateway.chat(key, { model: 'up-paid', max_tokens: 20 });
      await response.text();
      return response.headers.get('x-request-id') ?? '';
    };
    const [foreign, others, own, below] = [
      await idOf(account.key),
      await idOf(sibling.key),
      await idOf(child.key),
      await idOf(grandchild.key),
    ];
    const page = await gateway.get('/api/usage', child.key);
    expect(page.data.map(({ request_id }: Answer) => request_id)).toEqual([below, own]);
    expect(page.totals.requests).toBe(2);
    expect((await gateway.get(`/api/usage?key_id=${sibling.id}`, child.key)).totals.requests).toBe(0);
    for (const { id } of [sibling, parent, { id: account.keyId }]) {
      expect((await gateway.call(`/api/usage?subtree=${id}`, { key: child.key })).status).toBe(404);
    }
    const csv = await (await gateway.call('/api/usage?format=csv', { key: child.key })).text();
    const grouped = await (await gateway.call('/api/usage?format=csv&group_by=key', { key: child.key })).text();
    for (const text of [csv, grouped, JSON.stringify(await gateway.get('/api/usage?group_by=key', child.key))]) {
      expect(text).toContain(child.id);
      for (const hidden of [foreign, others, sibling.id, 'secret-sibling']) expect(text).not.toContain(hidden);
    }
    for (const [id, status] of [
      [own, 200],
      [below, 200],
      [foreign, 404],
      [others, 404],
    ] as const) {
      expect((await gateway.call(`/api/receipts/${id}`, { key: child.key })).status).toBe(status);
    }
    // A key of the account itself sees everything, as before.
    expect((await gateway.get('/api/usage', parent.key)).totals.requests).toBe(4);
  });

  test('and a key that neither manages nor delegates gets 403', async () => {
    const child = await createKey(gateway, parent.key, CHILD_BUDGET);
    for (const [method, path, body] of [
      ['GET', '/api/keys', undefined],
      ['POST', '/api/keys', CHILD_BUDGET],
      ['PATCH', `/api/keys/${child.id}`, { budgets: null }],
      ['DELETE', `/api/keys/${parent.id}`, undefined],
    ] as const) {
      expect(await errorOf(await send(child.key, method, path, body))).toMatchObject({
        status: 403,
        code: 'key_not_permitted',
      });
    }
  });
});

describe('a child', () => {
  const far = '2099-01-01T00:00:00.000Z';
  const near = '2098-01-01T00:00:00.000Z';
  const BOUNDED = {
    delegate: true,
    models: ['up-paid'],
    expires_at: near,
    budgets: { day_ntd: 0.1, month_ntd: 0.2, total_ntd: 0.3, session_ntd: 0.05 },
    rates: { requests_per_minute: 10, tokens_per_minute: 1_000, in_flight: 2 },
  };

  test.each([
    ['budgets.day_ntd', { budgets: { day_ntd: 0.100000001 } }, 'NT$0.1'],
    ['budgets.month_ntd', { budgets: { month_ntd: 1 } }, 'NT$0.2'],
    ['budgets.total_ntd', { budgets: { total_ntd: 1 } }, 'NT$0.3'],
    ['budgets.session_ntd', { budgets: { session_ntd: 1 } }, 'NT$0.05'],
    ['rates.requests_per_minute', { rates: { requests_per_minute: 11 } }, 'Set it to at most 10.'],
    ['rates.tokens_per_minute', { rates: { tokens_per_minute: 1_001 } }, '1000'],
    ['rates.in_flight', { rates: { in_flight: 3 } }, '2'],
    ['models', { models: ['up-paid', 'demo-small'] }, 'does not allow. Choose from the models of that key: up-paid.'],
    ['expires_at', { expires_at: far }, `Set it to ${near} or earlier.`],
  ])('cannot have more than its ancestors: %s', async (param, fields, figure) => {
    const top = await createKey(gateway, account.key, BOUNDED);
    const middle = await createKey(gateway, top.key, { delegate: true, budgets: { total_ntd: 0.3 } });
    const child = await createKey(gateway, middle.key, { budgets: { total_ntd: 0.01 } });
    const before = rows();
    const body = { ...fields, budgets: { total_ntd: 0.01, ...('budgets' in fields ? fields.budgets : {}) } };
    for (const response of [
      await create(middle.key, body),
      await create(account.key, { ...body, parent_id: middle.id }),
      await send(middle.key, 'PATCH', `/api/keys/${child.id}`, fields),
      await send(account.key, 'PATCH', `/api/keys/${child.id}`, fields),
    ]) {
      const refused = await errorOf(response);
      expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param });
      expect(refused.message).toContain(figure);
    }
    expect(rows()).toEqual(before);
  });

  test('needs a money budget, when it is made and after', async () => {
    for (const body of [
      {},
      { name: 'none' },
      { rates: { in_flight: 1 } },
      { budgets: {} },
      { budgets: { day_ntd: null } },
    ]) {
      expect(await errorOf(await create(parent.key, body))).toMatchObject({ status: 400, param: 'budgets' });
    }
    const child = await createKey(gateway, parent.key, { budgets: { day_ntd: 0.1 } });
    for (const body of [{ budgets: null }, { budgets: { day_ntd: null } }, { daily_budget_ntd: null }]) {
      const refused = await send(account.key, 'PATCH', `/api/keys/${child.id}`, body);
      expect(await errorOf(refused)).toMatchObject({ status: 400, param: 'budgets' });
    }
    const moved = await send(parent.key, 'PATCH', `/api/keys/${child.id}`, {
      budgets: { day_ntd: null, month_ntd: 0.1 },
    });
    expect(moved.status).toBe(200);
  });

  test('never manages, and stays where it is', async () => {
    const child = await createKey(gateway, parent.key, CHILD_BUDGET);
    expect(await errorOf(await create(parent.key, { manage: true, ...CHILD_BUDGET }))).toMatchObject({
      param: 'manage',
    });
    for (const [body, param] of [
      [{ manage: true }, 'manage'],
      [{ parent_id: null }, 'parent_id'],
      [{ depth: 0 }, 'depth'],
      [{ spent: {} }, 'spent'],
    ] as const) {
      const refused = await send(account.key, 'PATCH', `/api/keys/${child.id}`, body);
      expect(await errorOf(refused)).toMatchObject({ status: 400, param });
    }
  });

  test('is at most at depth 8', async () => {
    const line = await createLine(gateway, parent.key, ['1', '2', '3', '4', '5', '6', '7', '8']);
    expect((await gateway.get('/api/me', line.at(-1)?.key ?? '')).key.depth).toBe(8);
    const refused = await errorOf(await create(line.at(-1)?.key ?? '', CHILD_BUDGET));
    expect(refused).toMatchObject({ status: 400, param: 'parent_id' });
    expect(refused.message).toContain('depth 8');
    expect((await send(account.key, 'DELETE', `/api/keys/${parent.id}`)).status).toBe(200);
    for (const { key } of line) expect(await statusOf(key)).toBe(401);
  });

  test('sees its budgets, and what is left above it without whose it is', async () => {
    const top = await createKey(gateway, account.key, {
      name: 'secret-top',
      delegate: true,
      budgets: { month_ntd: 0.3 },
    });
    const child = await createKey(gateway, top.key, { budgets: { total_ntd: 0.25 } });
    await (await gateway.chat(top.key, { model: 'up-paid', max_tokens: 20 })).text();
    const text = await (await gateway.call('/api/me', { key: child.key })).text();
    const { key }: Answer = JSON.parse(text);
    const spent = BigInt((await gateway.get('/api/me', top.key)).key.spent.month_nano);
    expect(spent > 0n).toBe(true);
    expect(key).toMatchObject({
      spent: { total_nano: '0' },
      left: { total_nano: '250000000' },
      ancestors_left: { budget: 'month', left_nano: (300_000_000n - spent).toString() },
    });
    expect(text).not.toContain('secret-top');
  });
});

describe('a managing key', () => {
  test('makes children of any delegating key, and of no other', async () => {
    const made: Answer = await (await create(account.key, { parent_id: parent.id, ...CHILD_BUDGET })).json();
    expect(made).toMatchObject({ parent_id: parent.id, depth: 1 });
    const plain = await createKey(gateway, account.key);
    const gone = await createKey(gateway, account.key, { delegate: true });
    await send(account.key, 'DELETE', `/api/keys/${gone.id}`);
    const other = await gateway.register();
    for (const parent_id of [plain.id, gone.id, other.keyId, account.keyId, 'key_unknown', '', 5]) {
      const refused = await create(account.key, { parent_id, ...CHILD_BUDGET });
      expect(await errorOf(refused), String(parent_id)).toMatchObject({ status: 400, param: 'parent_id' });
    }
    expect((await create(account.key, { parent_id: null })).status).toBe(201);
  });

  test('lists the tree: parents before their children', async () => {
    const [first, second] = await createLine(gateway, parent.key, ['first', 'second']);
    const beside = await createKey(gateway, account.key, { name: 'beside' });
    const late = await createKey(gateway, parent.key, { name: 'late', ...CHILD_BUDGET });
    const { data } = await gateway.get('/api/keys', account.key);
    expect(data.map(({ id, depth, parent_id }: Answer) => [id, depth, parent_id])).toEqual([
      [account.keyId, 0, null],
      [parent.id, 0, null],
      [first?.id, 1, parent.id],
      [second?.id, 2, first?.id],
      [late.id, 1, parent.id],
      [beside.id, 0, null],
    ]);
  });

  test('narrows a parent: its children are bound by it at once, and stay as they are', async () => {
    const child = await createKey(gateway, parent.key, { budgets: { total_ntd: 0.4 } });
    expect((await gateway.chat(child.key, { model: 'up-paid', max_tokens: 20 })).status).toBe(200);
    expect((await send(account.key, 'PATCH', `/api/keys/${parent.id}`, { budgets: { total_ntd: 0 } })).status).toBe(
      200,
    );
    const refused = await gateway.chat(child.key, { model: 'up-paid', max_tokens: 20 });
    expect([refused.status, ((await refused.json()) as Answer).error]).toMatchObject([
      402,
      { code: 'key_budget_exceeded', budget: 'total', key_id: parent.id },
    ]);
    expect((await gateway.get('/api/me', child.key)).key).toMatchObject({
      budgets: { total_ntd: 0.4 },
      ancestors_left: { budget: 'total', left_ntd: 0 },
    });
  });

  test('takes delegation from a key and from all below it, until it is given back', async () => {
    const [child, grandchild] = await createLine(gateway, parent.key, ['child', 'grandchild']);
    const delegate = (is: boolean) => send(account.key, 'PATCH', `/api/keys/${parent.id}`, { delegate: is });
    expect((await delegate(false)).status).toBe(200);
    for (const key of [parent.key, child?.key ?? '', grandchild?.key ?? '']) {
      for (const response of [await create(key, CHILD_BUDGET), await send(key, 'GET', '/api/keys')]) {
        expect(await errorOf(response)).toMatchObject({ status: 403, code: 'key_not_permitted' });
      }
      expect((await gateway.chat(key, { model: 'up-paid', max_tokens: 20 })).status).toBe(200);
    }
    const below = await create(account.key, { parent_id: grandchild?.id, ...CHILD_BUDGET });
    expect(await errorOf(below)).toMatchObject({ status: 400, param: 'parent_id' });
    expect((await delegate(true)).status).toBe(200);
    expect((await create(grandchild?.key ?? '', CHILD_BUDGET)).status).toBe(201);
  });

  test('narrowing and making at the same time: no child has more than its parent had or has', async () => {
    for (let round = 0; round < 10; round++) {
      const top = await createKey(gateway, account.key, { delegate: true, budgets: { total_ntd: 0.4 } });
      const [narrowed, made] = await Promise.all([
        send(account.key, 'PATCH', `/api/keys/${top.id}`, { budgets: { total_ntd: 0.1 } }),
        create(top.key, { budgets: { total_ntd: 0.3 } }),
      ]);
      expect(narrowed.status).toBe(200);
      expect([201, 400]).toContain(made.status);
      // After it, nothing above the new bound is made.
      expect((await create(top.key, { budgets: { total_ntd: 0.3 } })).status).toBe(400);
      const { data } = await gateway.get('/api/keys', top.key);
      expect(data).toHaveLength(made.status === 201 ? 2 : 1);
      expect(data[0].budgets.total_ntd).toBe(0.1);
    }
  });

  test('deleting and making at the same time: no child outlives its parent', async () => {
    for (let round = 0; round < 10; round++) {
      const top = await createKey(gateway, account.key, { delegate: true, budgets: { total_ntd: 0.4 } });
      const [deleted, made] = await Promise.all([
        send(account.key, 'DELETE', `/api/keys/${top.id}`),
        create(top.key, CHILD_BUDGET),
      ]);
      expect(deleted.status).toBe(200);
      const answer: Answer = await made.json();
      if (made.status === 201) expect(await statusOf(answer.api_key)).toBe(401);
      else expect([400, 401]).toContain(made.status);
    }
    const orphans = `SELECT child.key_id FROM keys AS child JOIN keys AS parent ON parent.key_id = child.parent_id
      WHERE child.revoked_at IS NULL AND parent.revoked_at IS NOT NULL`;
    expect(gateway.sql(orphans)).toEqual([]);
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'once' };

  test('repeats what was made, also after it was changed', async () => {
    const body = {
      name: 'child',
      delegate: true,
      budgets: { month_ntd: 0.2, total_ntd: 0.3 },
      rates: { in_flight: 2 },
    };
    const first: Answer = await (await create(parent.key, body, headers)).json();
    await send(parent.key, 'PATCH', `/api/keys/${first.id}`, { name: 'renamed', budgets: { month_ntd: 0.1 } });
    const again = await create(parent.key, body, headers);
    expect([again.status, again.headers.get('idempotency-hit')]).toEqual([201, 'true']);
    expect(await again.json()).toEqual(first);
    expect(first).toMatchObject({
      parent_id: parent.id,
      depth: 1,
      budgets: { month_ntd: 0.2 },
      rates: { in_flight: 2 },
    });
    expect(await listedIds(gateway, parent.key)).toEqual([parent.id, first.id]);
  });

  test('of one key gives another key of the account nothing', async () => {
    const other = await createKey(gateway, account.key, { delegate: true, budgets: { total_ntd: 0.5 } });
    const texts = await Promise.all(
      [account.key, parent.key, other.key].map(async (key) => {
        const made: Answer = await (await create(key, CHILD_BUDGET, headers)).json();
        return made.api_key;
      }),
    );
    expect(new Set(texts).size).toBe(3);
  });
});

test('there are at most 100 keys below a delegating key, and the refusal says what to do', async () => {
  const child = await createKey(gateway, parent.key, { delegate: true, ...CHILD_BUDGET });
  for (let n = 1; n < MAX_KEYS_BELOW; n++) await createKey(gateway, child.key, CHILD_BUDGET);
  const response = await create(child.key, CHILD_BUDGET);
  expect(response.status).toBe(400);
  const { error }: Answer = await response.json();
  expect(error).toMatchObject({ code: 'invalid_request', param: 'parent_id', limit: 100, used: 100 });
  expect(error.message).toBe(
    `There are 100 keys below ${parent.id}, and 100 is the most that a key can have below itself, at all depths together. Delete one first.`,
  );
  const [list] = error.actions;
  const { data }: Answer = await (await send(child.key, list.method, new URL(list.href).pathname)).json();
  expect((await send(child.key, 'DELETE', `/api/keys/${data.at(-1).id}`)).status).toBe(200);
  expect((await create(child.key, CHILD_BUDGET)).status).toBe(201);
  // The account itself still has places.
  await createKey(gateway, account.key);
});

test('a delegating key that changes keys without end is refused, and a managing key still deletes it', async () => {
  const child = await createKey(gateway, parent.key, CHILD_BUDGET);
  const rename = () => send(parent.key, 'PATCH', `/api/keys/${child.id}`, { name: 'again' });
  for (let n = 1; n < KEY_CHANGES_PER_MINUTE; n += 20) {
    const renamed = await Promise.all(Array.from({ length: Math.min(20, KEY_CHANGES_PER_MINUTE - n) }, rename));
    expect(new Set(renamed.map(({ status }) => status))).toEqual(new Set([200]));
  }
  for (const refused of [await rename(), await create(parent.key, CHILD_BUDGET)]) {
    expect(refused.status).toBe(429);
    const { error }: Answer = await refused.json();
    expect(error).toMatchObject({ code: 'rate_limited', limit: 600, used: 600, resets_at: expect.any(String) });
  }
  expect((await send(account.key, 'DELETE', `/api/keys/${parent.id}`)).status).toBe(200);
});

test('a day has so many keys below others, which leaves the account its own', async () => {
  await createKey(gateway, parent.key, CHILD_BUDGET);
  gateway.sql(
    'UPDATE windows SET day_count = ? WHERE window_id = ?',
    ...[MAX_KEYS_A_DAY, `child-keys-made:${account.accountId}`],
  );
  const refused = await create(parent.key, CHILD_BUDGET);
  expect(refused.status).toBe(429);
  const { error }: Answer = await refused.json();
  expect(error).toMatchObject({ code: 'rate_limited', limit: MAX_KEYS_A_DAY, used: MAX_KEYS_A_DAY });
  expect(Date.parse(error.resets_at)).toBeGreaterThan(Date.now());
  await createKey(gateway, account.key);
});
