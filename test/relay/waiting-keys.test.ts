// A call that waits for money or for a free slot is admitted on its key as that is by then, not as it was at first.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type CreatedKey, createKey } from '../support/create-key.ts';
import { createGate, eventually, type Gate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { upModel } from '../support/test-document.ts';

const clock = createManualClock();
const ROUND_MS = 50;
const EXPIRES_MS = 120_000;
const PRICE = { input: 10, output: 10_000 };
let gateway: TestGateway;
let account: TestAccount;
let waiting: CreatedKey;
/** Refused admissions, and operations of the store under way. */
let refused = 0;
let committing = 0;

beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    document: (doc) => ({
      ...doc,
      models: [
        ...doc.models,
        upModel('dear', { price: PRICE, fallbacks: ['dearest'] }),
        upModel('dearest', { price: { input: 10, output: 20_000 } }),
      ],
      guards: { ...doc.guards, free_in_flight: null },
    }),
  });
  const { store } = gateway.gateway;
  const { commit } = store;
  store.commit = async (name, input) => {
    committing++;
    const result = await commit(name, input).finally(() => committing--);
    if (name === 'admit' && 'ok' in Object(result) && !(result as { ok: boolean }).ok) refused++;
    return result;
  };
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
  waiting = await createKey(gateway, account.key, { expires_at: new Date(clock.now() + EXPIRES_MS).toISOString() });
  refused = 0;
});

const change = async (changes: Record<string, unknown>) => {
  const path = `/api/keys/${waiting.id}`;
  expect((await gateway.call(path, { method: 'PATCH', key: account.key, body: changes })).status).toBe(200);
};
const remove = async () =>
  expect((await gateway.call(`/api/keys/${waiting.id}`, { method: 'DELETE', key: account.key })).status).toBe(200);

/** Begins a call that is refused for now, and waits. */
async function begin(body: Record<string, unknown>): Promise<Promise<Response>[]> {
  const call = gateway.chat(waiting.key, body);
  await eventually('the call to wait', () => refused > 0 && committing === 0);
  return [call];
}

/** Lets time pass in small steps, and none while the store is at work. */
async function answered(call: Promise<Response> | undefined): Promise<[status: number, code: string | undefined]> {
  if (!call) throw new Error('a call was begun');
  let response: Response | undefined;
  void call.then((came) => (response = came));
  await eventually('an answer', async () => {
    if (!response && committing === 0) await clock.advance(ROUND_MS);
    return response !== undefined;
  });
  const answer: Answer = await (await call).json();
  return [(await call).status, answer.error?.code];
}

const ends: [how: string, end: () => unknown, expected: [number, string]][] = [
  ['was deleted', remove, [401, 'invalid_api_key']],
  ['has expired', () => clock.step(EXPIRES_MS), [401, 'invalid_api_key']],
  ['may not use the model any more', () => change({ models: ['up-paid'] }), [403, 'model_not_allowed']],
];

describe('money that another call holds', () => {
  let gate: Gate;
  let first: Promise<Response>;
  beforeEach(async () => {
    gate = createGate();
    gateway.upstream.next({ ...chatAnswer(), body: [gate.opened, ...(chatAnswer().body ?? [])] }, chatAnswer());
    // With its fallback it holds all but a little of NT$1.
    first = gateway.chat(account.key, { model: 'dear', max_tokens: 45 });
    await gateway.upstream.request(0);
  });
  const release = async () => {
    gate.open();
    expect((await first).status).toBe(200);
  };
  const spent = async () => (await gateway.get(`/api/usage?key_id=${waiting.id}`, account.key)).data;

  test.each([
    ...ends,
    ['has a budget of 0', () => change({ daily_budget_ntd: 0 }), [402, 'key_budget_exceeded']] as (typeof ends)[number],
  ])('a key that %s meanwhile is refused, though the money is there', async (_, end, expected) => {
    const [call] = await begin({ model: 'dear', max_tokens: 45 });
    await end();
    await release();
    expect(await answered(call)).toEqual(expected);
    expect(await spent()).toEqual([]);
  });

  test('a fallback that the key may not use any more is not paid for', async () => {
    const [call] = await begin({ model: 'dear', max_tokens: 90 });
    await change({ models: ['dear'] });
    await release();
    expect(await answered(call)).toEqual([200, undefined]);
    const [record] = await spent();
    // With the fallback, twice as dear, the wallet would not have paid for all of it.
    expect(record.model).toBe('dear');
    expect((await call)?.headers.get('x-svc-max-tokens')).toBeNull();
  });

  test('a key that is as it was is served, whatever became of others', async () => {
    const [call] = await begin({ model: 'dear', max_tokens: 45 });
    await createKey(gateway, account.key);
    await change({ name: 'renamed' });
    await release();
    expect(await answered(call)).toEqual([200, undefined]);
  });
});

describe('a free slot', () => {
  test.each(ends)('a key that %s meanwhile does not take it', async (_, end, expected) => {
    for (let n = 0; n < 6; n++) expect((await gateway.chat(account.key, { model: 'auto:free' })).status).toBe(200);
    await clock.advance(58_000);
    const [call] = await begin({ model: 'auto:free' });
    await end();
    expect(await answered(call)).toEqual(expected);
    expect((await gateway.get(`/api/usage?key_id=${waiting.id}`, account.key)).data).toEqual([]);
  });
});
