// The embedded database in problem: a full disk, a lock that somebody else keeps. Paid calls are refused clearly, nothing
// half done is left, what was served is charged as soon as it can be, and all goes on without a restart.

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { PATIENCE_MS } from '../../src/store/batcher.ts';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';
import { UP_PRICES } from '../support/test-document.ts';

const MAX_PAGES = 400;
const TIMEOUT_MS = 180_000;
const TRIAL = 1_000_000_000n;
const USAGE = { prompt_tokens: 11, completion_tokens: 7 };
const COST = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
const MANY = 1_000_000;

let gateway: TestGateway;
let account: TestAccount;
/** Somebody else on the same disk. */
let other: Database;

async function start(options: TestGatewayOptions = {}) {
  gateway = await startTestGateway({
    ...options,
    maxPages: MAX_PAGES,
    limits: { in_flight: MANY, paid_per_minute: MANY },
  });
  gateway.upstream.otherwise(chatAnswer({ usage: USAGE }));
  account = await gateway.register();
  other = new Database(gateway.databaseFile, { readwrite: true });
  other.run('PRAGMA busy_timeout = 5000');
}
afterEach(async () => {
  other.close();
  await gateway.stop();
});

async function paidCall() {
  const response = await gateway.chat(account.key, { model: 'up-paid', max_tokens: 20 });
  const body: Answer = await response.json();
  return {
    status: response.status,
    code: body.error?.code,
    retryAfter: response.headers.get('retry-after'),
    cost: response.headers.get('x-svc-cost-ntd'),
    requestId: response.headers.get('x-request-id') ?? '',
  };
}

/** Of one look at a table, for many questions: each look copies the file while the journal is ahead of it. */
const ids = (sql: string) => gateway.sql<{ id: string }>(sql).map(({ id }) => id);
const heldIds = () => ids('SELECT request_id AS id FROM holds');
async function untilSettled() {
  const isSettled = async () => (await gateway.get('/api/me', account.key)).held_nano === '0';
  await eventually('every hold is settled', isSettled, 15_000);
  expect(heldIds()).toEqual([]);
}

async function auditedClean() {
  expect(gateway.audit()).toEqual([]);
  expect((await gateway.gateway.store.read.audit({})).differences).toEqual([]);
}

describe('a full disk', () => {
  beforeEach(() => start());

  const fill = () => {
    other.run('CREATE TABLE junk (bytes BLOB)');
    other.run(`INSERT INTO junk VALUES (zeroblob(${MAX_PAGES * 4096 * 2}))`);
  };
  const clear = () => other.run('DROP TABLE junk');

  test(
    'refuses paid calls with 503, keeps what is open, and settles when there is space again',
    async () => {
      expect((await paidCall()).cost).not.toBeNull();
      const gate = createGate();
      const answer = chatAnswer({ usage: USAGE });
      gateway.upstream.otherwise({ ...answer, body: [gate.opened, ...(answer.body ?? [])] });
      const running = Array.from({ length: 40 }, () => untilHeard(paidCall));
      await gateway.upstream.request(running.length);
      fill();
      gate.open();
      const late = Array.from({ length: 120 }, paidCall);
      const calls = await Promise.all([...running, ...late]);

      const refused = calls.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      expect(new Set((await Promise.all(running)).map(({ status }) => status))).toEqual(new Set([200]));
      for (const { status, code, retryAfter } of refused) {
        expect({ status, code }).toEqual({ status: 503, code: 'unavailable' });
        expect(Number(retryAfter)).toBeGreaterThan(0);
      }
      // Served, but the settlement did not fit: the answer came without its cost, and the hold is still open.
      const unsettled = calls.filter(({ status, cost }) => status === 200 && cost === null);
      expect(unsettled.length).toBeGreaterThan(0);
      const [held, recorded] = [heldIds(), ids('SELECT request_id AS id FROM usage_records')];
      expect(held).toHaveLength(unsettled.length);
      for (const { requestId } of unsettled) expect(recorded).not.toContain(requestId);
      for (const { requestId } of refused) expect(held).not.toContain(requestId);
      await auditedClean();
      expect((await gateway.call('/api/public/catalog')).status).toBe(200);
      // This account has never made a free call: no row tells of one, in the tables or in the journal.
      const me = await gateway.call('/api/me', { key: account.key });
      expect([me.status, ((await me.json()) as Answer).free?.day.used]).toEqual([200, 0]);

      clear();
      await untilSettled();
      const served = calls.filter(({ status }) => status === 200);
      const charged = ids(`SELECT reference AS id FROM entries WHERE kind = 'usage'`);
      for (const { requestId } of served) expect(charged.filter((one) => one === requestId)).toHaveLength(1);
      expect(await paidCall()).toMatchObject({ status: 200, cost: expect.any(String) });
      const spent = COST * BigInt(served.length + 2);
      expect((await gateway.get('/api/me', account.key)).balance_nano).toBe(String(TRIAL - spent));
      await auditedClean();
    },
    TIMEOUT_MS,
  );
});

describe('a lock that somebody else keeps', () => {
  beforeEach(() => start({ patienceMs: PATIENCE_MS }));

  test(
    'sheds waiting calls soon, charges nothing, and goes on when it is given up',
    async () => {
      other.run('BEGIN IMMEDIATE');
      const committed = spyOn(gateway.gateway.store, 'commit');
      const first = paidCall();
      let isFirstHeard = false;
      void first.then(() => {
        isFirstHeard = true;
      });
      await eventually('it is at the lock', () => committed.mock.calls.some(([name]) => name === 'admit'));
      committed.mockRestore();
      const waiting = await Promise.all(Array.from({ length: 20 }, paidCall));
      for (const { status, code, retryAfter } of waiting) {
        expect({ status, code }).toEqual({ status: 503, code: 'unavailable' });
        expect(retryAfter).not.toBeNull();
      }
      expect(isFirstHeard).toBe(false);
      expect((await gateway.call('/api/public/catalog')).status).toBe(200);
      other.run('ROLLBACK');
      expect(await first).toMatchObject({ status: 200, cost: expect.any(String) });
      expect((await paidCall()).status).toBe(200);
      expect((await gateway.get('/api/me', account.key)).balance_nano).toBe(String(TRIAL - 2n * COST));
      await auditedClean();
    },
    TIMEOUT_MS,
  );

  test(
    'leaves a served call open until it can be settled',
    async () => {
      const gate = createGate();
      const answer = chatAnswer({ usage: USAGE });
      gateway.upstream.next({ ...answer, body: [gate.opened, ...(answer.body ?? [])] });
      const call = paidCall();
      await gateway.upstream.request(0);
      other.run('BEGIN IMMEDIATE');
      gate.open();
      // Longer than the writer waits for a lock, and than an answer waits for its settlement.
      const { status, cost, requestId } = await call;
      expect({ status, cost }).toEqual({ status: 200, cost: null });
      expect(heldIds()).toEqual([requestId]);
      other.run('ROLLBACK');
      await untilSettled();
      expect(gateway.log.alarms('settle_after_release')).toEqual([]);
      const receipt: Answer = await gateway.get(`/api/receipts/${requestId}`, account.key);
      expect(receipt.cost_nano).toBe(String(COST));
      await auditedClean();
    },
    TIMEOUT_MS,
  );
});
