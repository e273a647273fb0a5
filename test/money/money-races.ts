// Many callers at once on one wallet, one card, one Idempotency-Key: exported once, run by every store.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createCardCode, createCardHasher, createSerial } from '../../src/accounts/card-code.ts';
import { systemRandom } from '../../src/kit/random.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { rawCall } from '../support/raw-call.ts';
import type { Script } from '../support/script.ts';
import type { SeenRequest } from '../support/upstream.ts';

export interface MoneyStore {
  /** The environment that makes a gateway use it. */
  env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const PEPPER = 'a pepper for races only';
const CALLS = 1_000;
const RACERS = 200;
const TWINS = 50;
const MANY = 1_000_000;
const TRIAL = 1_000_000_000n;
const CARD = 100_000_000_000n;
const TIMEOUT_MS = 120_000;
const CALL_MS = 60_000;

/** Every address of the loopback is a proxy, so that each caller can come from an address of its own. */
const ADDRESSES = { TRUSTED_PROXIES: '127.0.0.0/8' };

export function describeMoneyRaces(name: string, open: () => Promise<MoneyStore>): void {
  describe(`${name}: at once`, () => {
    let store: MoneyStore;
    let gateway: TestGateway;

    beforeAll(async () => {
      store = await open();
      gateway = await startTestGateway({
        env: { SECRETS_PEPPER: PEPPER, ...ADDRESSES, ...store.env },
        limits: { paid_per_minute: MANY, in_flight: MANY, register_per_ip: MANY, register_per_day: MANY },
        document: (standard) => ({
          ...standard,
          models: [
            ...standard.models,
            {
              id: 'dear',
              max_output_tokens: 1_000,
              price: { input: 10, output: 100 },
              routes: [{ channel: 'up', model: 'scripted-2026-01' }],
            },
          ],
        }),
      });
      gateway.upstream.otherwise(slowAnswer);
    }, TIMEOUT_MS);
    afterAll(async () => {
      await gateway.stop();
      await store.remove();
    }, TIMEOUT_MS);

    test(
      `${CALLS} paid calls on a wallet that can pay for about ten`,
      async () => {
        const account = await gateway.register();
        const seen = gateway.upstream.requests.length;
        const answers = await Promise.all(Array.from({ length: CALLS }, () => paidCall(gateway, account)));
        const served = answers.filter(({ status }) => status === 200);
        const refused = answers.filter(({ status }) => status !== 200);
        expect(new Set(refused.map(({ status, code }) => `${status} ${code}`)).difference(REFUSALS)).toEqual(new Set());
        expect(served.length).toBeGreaterThanOrEqual(10);
        expect(served.length).toBeLessThan(100);
        expect(gateway.upstream.requests.length - seen).toBe(served.length);

        const receipts: Answer[] = await Promise.all(
          served.map(({ requestId }) => gateway.get(`/api/receipts/${requestId}`, account.key)),
        );
        const spent = receipts.reduce((sum, receipt) => sum + BigInt(receipt.cost_nano), 0n);
        const me: Answer = await gateway.get('/api/me', account.key);
        expect(BigInt(me.balance_nano)).toBe(TRIAL - spent);
        expect(BigInt(me.balance_nano)).toBeGreaterThanOrEqual(0n);
        expect(me.held_nano).toBe('0');
        expect((await gateway.get('/api/usage?limit=200', account.key)).data).toHaveLength(served.length);
        await expectCleanLedger(gateway);
      },
      TIMEOUT_MS,
    );

    test(
      `${RACERS} accounts race for one card: one is credited, the others hear one and the same 404`,
      async () => {
        const code = await issueCard(gateway);
        const accounts = await Promise.all(Array.from({ length: RACERS }, () => gateway.register()));
        const answers = await Promise.all(
          accounts.map(async ({ key }, index) => {
            const headers = { 'x-forwarded-for': `203.0.113.${index}` };
            const response = await gateway.call('/api/redeem', { key, headers, body: { code } });
            return { status: response.status, body: (await response.json()) as Answer };
          }),
        );
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        const refusals = answers.filter(({ status }) => status !== 200);
        const bodies = new Set(
          refusals.map(({ status, body }) => JSON.stringify({ status, ...body.error, request_id: '' })),
        );
        expect(bodies.size).toBe(1);
        expect(refusals[0]).toMatchObject({ status: 404, body: { error: { code: 'card_not_redeemable' } } });
        const wallets = await Promise.all(
          accounts.map(({ accountId }) => gateway.gateway.store.read.wallet(accountId)),
        );
        const balances = wallets.map((wallet) => wallet?.balance);
        expect(balances.filter((balance) => balance === TRIAL + CARD)).toHaveLength(1);
        expect(balances.filter((balance) => balance === TRIAL)).toHaveLength(RACERS - 1);
        await expectCleanLedger(gateway);
      },
      TIMEOUT_MS,
    );

    test(
      `one Idempotency-Key ${TWINS} times: one account, one credit, one key`,
      async () => {
        const twins = async (path: string, key: string | undefined, body: unknown): Promise<Answer[]> =>
          Promise.all(
            Array.from({ length: TWINS }, async () => {
              const headers = { 'idempotency-key': `one and the same for ${path}` };
              const response = await gateway.call(path, { key, headers, body });
              expect(response.ok).toBe(true);
              const answer: Answer = await response.json();
              return { ...answer, hit: response.headers.get('idempotency-hit') };
            }),
          );
        const registered = await twins('/api/agent/register', undefined, {});
        expect(new Set(registered.map(({ api_key }) => api_key)).size).toBe(1);
        expect(registered.filter(({ hit }) => hit === null)).toHaveLength(1);
        const { api_key: key, account_id: accountId } = registered[0];

        const redeemed = await twins('/api/redeem', key, { code: await issueCard(gateway) });
        expect(redeemed.filter(({ hit }) => hit === null)).toHaveLength(1);
        expect(new Set(redeemed.map(({ balance_nano }) => balance_nano))).toEqual(new Set([String(TRIAL + CARD)]));
        expect((await gateway.gateway.store.read.wallet(accountId))?.balance).toBe(TRIAL + CARD);

        const created = await twins('/api/keys', key, { name: 'twin' });
        expect(new Set(created.map(({ api_key }) => api_key)).size).toBe(1);
        expect(await gateway.gateway.store.read.keysOf(accountId)).toHaveLength(2);
        await expectCleanLedger(gateway);
      },
      TIMEOUT_MS,
    );
  });
}

/** On a machine that is too busy, who waited too long for a commit is turned away with nothing taken. */
const REFUSALS = new Set(['402 balance_in_use', '402 insufficient_balance', '503 unavailable']);

/** Uses nearly all of what it may, a moment later. */
function slowAnswer({ json }: SeenRequest): Script {
  const most = Number(json.max_tokens ?? json.max_completion_tokens);
  const answer = chatAnswer({ usage: { prompt_tokens: 20, completion_tokens: Math.min(900, most) } });
  return { ...answer, body: [40, ...(answer.body ?? [])] };
}

/** On a socket of its own: in a test, Bun's fetch sends only 256 requests at once, the gateway's own among them. */
async function paidCall({ port }: TestGateway, { key }: TestAccount) {
  const body = JSON.stringify({ model: 'dear', max_tokens: 1_000, messages: [{ role: 'user', content: 'Hi' }] });
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
  ].join('\r\n');
  const { status, json, headers } = await rawCall(port, `${head}\r\n\r\n${body}`, CALL_MS);
  return { status, code: json?.error?.code, requestId: headers['x-request-id'] ?? '' };
}

async function issueCard(gateway: TestGateway): Promise<string> {
  const code = createCardCode(systemRandom);
  const serial = createSerial(systemRandom);
  const batch = {
    batchId: `batch_${serial}`,
    kind: 'sold' as const,
    amount: CARD,
    count: 1,
    expiresAt: null,
    note: null,
    createdAt: 0,
  };
  await gateway.gateway.store.commit('issue', { batch, cards: [{ hash: createCardHasher(PEPPER)(code), serial }] });
  return code;
}

async function expectCleanLedger(gateway: TestGateway): Promise<void> {
  const { differences, total } = await gateway.gateway.store.read.audit({});
  expect({ differences, total }).toEqual({ differences: [], total: 0n });
}
