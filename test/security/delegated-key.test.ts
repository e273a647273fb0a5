// A delegating key in hostile hands: whatever it does at the same time, it spends no more than its own budget and
// nothing with a deleted key, every key counts what the keys below it spent, and it changes no key beside it.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type CreatedKey, createKey } from '../support/create-key.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import type { TestDocument } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
/** NT$0.02: some fifty of the calls below. */
const BUDGET = 20_000_000n;
const STEPS = 400;
const AT_ONCE = 12;
const ACTIONS = [
  ...['create', 'create', 'raise', 'delete', 'quote', 'intrude'],
  ...['call', 'call', 'call', 'stream', 'stream', 'leave', 'quoted'],
] as const;

let gateway: TestGateway;
let account: TestAccount;
let delegate: CreatedKey;
let other: CreatedKey;
beforeAll(async () => {
  gateway = await startTestGateway({ document: priced(1) });
  gateway.upstream.otherwise(({ json }) => (json.stream === true ? chatStream() : chatAnswer()));
  account = await gateway.register();
  const { code } = await issueCard(gateway);
  await gateway.call('/api/redeem', { key: account.key, body: { code } });
  delegate = await createKey(gateway, account.key, {
    ...{ delegate: true, models: ['up-paid'] },
    budgets: { total_ntd: Number(BUDGET) / 1e9 },
  });
  other = await createKey(gateway, account.key, { name: 'other', budgets: { total_ntd: 1 } });
});
afterAll(() => gateway.stop());

/** The same numbers in every run. */
function createDice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** Deleted keys are refused as such, however many there are. */
const priced =
  (factor: number) =>
  (standard: TestDocument): TestDocument => ({
    ...standard,
    guards: { ...standard.guards, bad_keys_per_minute: 10_000 },
    models: standard.models.map((model) =>
      model.id === 'up-paid' ? { ...model, price: { input: 10 * factor, output: 40.123 * factor } } : model,
    ),
  });

test('keeps every budget, every deletion and every other key', async () => {
  const roll = createDice(7);
  const keys = [delegate];
  const quotes: string[] = [];
  const body = { model: 'up-paid', max_tokens: 40, messages: [{ role: 'user', content: 'Hello' }] };
  const anyKey = () => keys[roll(keys.length)] ?? delegate;
  const budgetsOf = () => ({ total_ntd: (1 + roll(8)) / 1_000, ...(roll(3) === 0 && { session_ntd: 0.001 }) });
  const send = async (path: string, options: Parameters<TestGateway['call']>[1]) => {
    const response = await gateway.call(path, options).catch(() => undefined);
    await response?.text().catch(() => '');
  };
  const call = (fields: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    send(CHAT, {
      key: anyKey().key,
      body: { ...body, ...fields },
      headers: { 'x-svc-session': `s${roll(3)}`, 'x-svc-no-wait': '1', ...headers },
      ...(signal && { signal }),
    });
  const act = {
    async create() {
      const asked = { budgets: budgetsOf(), delegate: roll(2) === 0 };
      const response = await gateway.call('/api/keys', { key: anyKey().key, body: asked });
      const made: Answer = await response.json();
      if (response.status === 201) keys.push({ id: made.id, key: made.api_key });
    },
    raise: () =>
      send(`/api/keys/${anyKey().id}`, { method: 'PATCH', key: anyKey().key, body: { budgets: budgetsOf() } }),
    async delete() {
      const { id, key } = anyKey();
      const response = await gateway.call(`/api/keys/${id}`, { method: 'DELETE', key: anyKey().key });
      if (response.status !== 200) return;
      expect((await gateway.call(CHAT, { key, body })).status).toBe(401);
    },
    async quote() {
      const response = await gateway.call('/api/quote', { key: anyKey().key, body: { endpoint: CHAT, body } });
      const { quote_id: id }: Answer = await response.json();
      if (id) quotes.push(id);
    },
    async intrude() {
      const targets = [other.id, account.keyId, delegate.id];
      const path = `/api/keys/${targets[roll(3)]}`;
      const methods = ['DELETE', 'PATCH'] as const;
      const method = methods[roll(2)] ?? 'PATCH';
      await send(path, { method, key: anyKey().key, body: { budgets: { total_ntd: 1_000 }, delegate: true } });
    },
    call: () => call({}),
    stream: () => call({ stream: true }),
    leave: () => call({ stream: true }, {}, AbortSignal.timeout(1 + roll(20))),
    quoted: () => call({}, { 'x-svc-quote': quotes[roll(quotes.length)] ?? '' }),
  };
  const before = await othersNow();
  let steps = 0;
  const work = async () => {
    while (steps++ < STEPS) {
      if (steps === STEPS / 2) await gateway.apply(priced(3));
      await act[ACTIONS[roll(ACTIONS.length)] ?? 'call']();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // The rest of every budget, its own first.
  for (const { key } of keys) {
    while ((await gateway.call(CHAT, { key, body: { ...body, max_tokens: 16 } })).status === 200);
  }
  await eventually('every call has ended', () => gateway.sql('SELECT 1 FROM holds').length === 0);

  const rows = gateway.sql<{ key_id: string; parent_id: string | null }>('SELECT key_id, parent_id FROM keys');
  const usage = gateway.sql<{ key_id: string; cost_nano: bigint }>('SELECT key_id, cost_nano FROM usage_records');
  const isBelow = (id: string | null, root: string): boolean =>
    id === root || (id !== null && isBelow(rows.find(({ key_id }) => key_id === id)?.parent_id ?? null, root));
  const spentBelow = (root: string) =>
    usage.filter(({ key_id }) => isBelow(key_id, root)).reduce((sum, { cost_nano }) => sum + cost_nano, 0n);
  expect(spentBelow(delegate.id)).toBeLessThanOrEqual(BUDGET);
  expect(spentBelow(delegate.id)).toBeGreaterThan(BUDGET / 2n);
  const pages = gateway.sql<{ key_id: string; total_spent_nano: bigint; held_nano: bigint }>(
    'SELECT key_id, total_spent_nano, held_nano FROM budgets',
  );
  for (const { key_id: id, total_spent_nano: spent, held_nano: held } of pages) {
    expect([id, spent, held]).toEqual([id, spentBelow(id), 0n]);
  }
  expect(await othersNow()).toEqual(before);
  expect(gateway.audit()).toEqual([]);
});

/** The keys that are not below the delegate, and itself. */
async function othersNow() {
  const { data } = await gateway.get('/api/keys', account.key);
  return data
    .filter(({ parent_id }: Answer) => parent_id === null)
    .map(({ id, budgets, delegate: mayDelegate, models }: Answer) => ({ id, budgets, mayDelegate, models }));
}
