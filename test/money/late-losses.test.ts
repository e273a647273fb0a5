// A node that was paused for longer than its lease: another one has released the hold of its call, and booked that as the loss.
// Whatever it finds when it goes on, losses are what upstreams bill, or the hold if that is more, and the wallet is as it was.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { sharePostgres } from '../support/postgres.ts';
import type { Script } from '../support/script.ts';
import { type TestDocument, upModel } from '../support/test-document.ts';

const TRIAL = 1_000_000_000n;
const COST = { input: 5_000n, output: 20_000n };
const PRICE = { input: 10, output: 40 };
const SALE = { input: 10_000n, output: 40_000n };
/** More input than was held for. */
const LARGE = { prompt_tokens: 4_000, completion_tokens: 7, total_tokens: 4_007 };
const SMALL = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

const billAt = ({ input, output }: typeof COST, { prompt_tokens: read, completion_tokens: written }: typeof LARGE) =>
  BigInt(read) * input + BigInt(written) * output;

function document(standard: TestDocument): TestDocument {
  const known = [{ channel: 'up', model: 'm', cost: { input: 5, output: 20 } }];
  return {
    ...standard,
    models: [
      upModel('known', { price: PRICE, routes: known }),
      upModel('unknown', { price: PRICE }),
      upModel('gratis', { price: 'free', routes: known }),
    ],
    // Losses beyond it would be charged, if there was a hold to charge.
    guards: { ...standard.guards, loss_per_account_day: 0 },
  };
}

const STORES = [
  ['SQLite', async () => ({ env: {}, stop: async () => {} })],
  [
    'PostgreSQL',
    async () => {
      const server = await sharePostgres();
      const { url } = await server.createDatabase();
      return { env: { DATABASE_URL: url, SECRETS_PEPPER: 'a pepper for losses only' }, stop: () => server.stop() };
    },
  ],
] as const;

describe.each(STORES)('on %s', (_, open) => {
  let gateway: TestGateway;
  let account: TestAccount;
  let stop = async () => {};

  beforeAll(async () => {
    const opened = await open();
    ({ stop } = opened);
    gateway = await startTestGateway({ document, env: opened.env });
  });
  beforeEach(async () => {
    gateway.upstream.reset();
    account = await gateway.register();
  });
  afterAll(async () => {
    await gateway.stop();
    await stop();
  });

  async function lossesOf({ accountId }: TestAccount) {
    const { read } = gateway.gateway.store;
    const { sums } = await read.losses({ by: 'reason', from: 0, to: 99_999, accountId, limit: 9 });
    return Object.fromEntries(sums.map(({ key, amount }) => [key, amount]));
  }

  /** A call whose hold is released while its upstream is silent. Returns the hold. */
  async function callSwept(model: string, script: Script, body: Record<string, unknown> = {}): Promise<bigint> {
    const { store } = gateway.gateway;
    const gate = createGate();
    gateway.upstream.next({ ...script, body: [gate.opened, ...(script.body ?? [])] });
    const calling = gateway.chat(account.key, { model, max_tokens: 20, ...body }).then((response) => response.text());
    await gateway.upstream.request(0);
    const [hold] = await store.read.openHolds(account.accountId);
    if (!hold) throw new Error('there is no hold');
    const { requestId, accountId, keyId, amount } = hold;
    const swept = await store.commit('sweep', { requestId, accountId, keyId, at: Date.now() });
    expect(swept).toMatchObject({ state: 'closed', charged: 0n });
    gate.open();
    await calling;
    const isEnd = ({ event, request_id: id }: Record<string, unknown>) => event === 'request' && id === requestId;
    await eventually('the call is closed', () => gateway.log.lines().some(isEnd));
    expect(await store.read.wallet(accountId)).toMatchObject({ balance: TRIAL, held: 0n, inFlight: 0 });
    return amount;
  }

  test.each([
    ['known', COST, false],
    ['known', COST, true],
    ['unknown', SALE, false],
    ['unknown', SALE, true],
  ])('an answer of more than was held, its cost %s', async (model, prices, stream) => {
    const script = stream ? chatStream({ usage: LARGE }) : chatAnswer({ usage: LARGE });
    const held = await callSwept(model, script, stream ? { stream } : {});
    const bill = billAt(prices, LARGE);
    expect(bill).toBeGreaterThan(held);
    expect(await lossesOf(account)).toEqual({ gateway_died: held, above_hold: bill - held });
  });

  test.each(['known', 'unknown'])('an answer of less than was held, its cost %s', async (model) => {
    const held = await callSwept(model, chatAnswer({ usage: SMALL }));
    expect(await lossesOf(account)).toEqual({ gateway_died: held });
  });

  test('an answer without content, which is free', async () => {
    const held = await callSwept('known', chatAnswer({ pieces: [], usage: LARGE }));
    expect(await lossesOf(account)).toEqual({ gateway_died: held, empty_answer: billAt(COST, LARGE) - held });
  });

  test('a free model', async () => {
    expect(await callSwept('gratis', chatAnswer({ usage: SMALL }))).toBe(0n);
    expect(await lossesOf(account)).toEqual({ free_model: billAt(COST, SMALL) });
  });

  test('a free model whose answer is empty', async () => {
    await callSwept('gratis', chatAnswer({ pieces: [], usage: SMALL }));
    expect(await lossesOf(account)).toEqual({ empty_answer: billAt(COST, SMALL) });
  });

  test('a failed attempt that reported what it used', async () => {
    const broken = chatStream({ usage: LARGE, finish: null });
    const held = await callSwept('known', { ...broken, body: (broken.body ?? []).slice(0, -1) }, { stream: true });
    expect(await lossesOf(account)).toEqual({ gateway_died: held, stream_broken: billAt(COST, LARGE) - held });
  });
});
