// Leases: a node lives by one, and what it held is released when it is gone. Nothing is charged for a call whose gateway
// died, and a settlement that comes too late changes no wallet.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fault } from '../../../src/faults/fault.ts';
import { ENDED } from '../../../src/server/jobs/keep-lease.ts';
import { createSweep } from '../../../src/server/jobs/sweep-holds.ts';
import { isOfAnotherBoot } from '../../../src/server/processes/processes.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Answer } from '../../support/answer.ts';
import { createKey } from '../../support/create-key.ts';
import { createGate, eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { chatAnswer, chatStream } from '../../support/openai-chat.ts';
import { operatorOf } from '../../support/operator.ts';
import type { Script } from '../../support/script.ts';
import { parseSse, readSse, textOf, usageOf } from '../../support/sse.ts';
import { upModel } from '../../support/test-document.ts';

const LEASE_MS = 15_000;
const GRACE_MS = 60_000;
const APART_MS = 5_000;
const RENEW_MS = 3_000;
const SWEEP_MS = 5_000;
let gateway: TestGateway;
let clock: ManualClock;
let account: TestAccount;

beforeEach(async () => {
  clock = createManualClock();
  gateway = await startTestGateway({ clock, document: patient });
  account = await gateway.register();
});
afterEach(() => gateway.stop());

/** An upstream may be silent for as long as a node sleeps here. */
function patient({ channels, ...rest }: Answer): Answer {
  const timeouts = { first_token_ms: 600_000, idle_ms: 600_000 };
  return { ...rest, channels: channels.map((one: Answer) => (one.kind === 'demo' ? one : { ...one, timeouts })) };
}

const chat = (model: string) => gateway.chat(account.key, { model, max_tokens: 20 });
const holds = () =>
  gateway
    .sql<{ request_id: string }>('SELECT request_id FROM holds ORDER BY request_id')
    .map(({ request_id }) => request_id);
const walletOf = (accountId: string) =>
  gateway.sql('SELECT balance_nano, held_nano, in_flight FROM wallets WHERE account_id = ?', accountId)[0];
const UNTOUCHED = { balance_nano: 1_000_000_000n, held_nano: 0n, in_flight: 0n };

describe('a node that cannot renew its lease', () => {
  test('says that it is not ready once it has run out, why it could not, and is ready again afterwards', async () => {
    const { commit } = gateway.gateway.store;
    const ready = async () => (await gateway.call('/readyz')).status;
    gateway.gateway.store.commit = () => Promise.reject(fault('unavailable', { internal: 'store: it is full' }));
    await clock.advance(LEASE_MS - 1);
    // The store is read in real time, however fast this clock goes: until it was heard again, the node is not ready either.
    await eventually('the store is heard', async () => (await ready()) === 200);
    await clock.advance(1);
    expect(await ready()).toBe(503);
    expect((await operatorOf(gateway).scrape()).value('gateway_ready')).toBe(0);
    expect(gateway.log.text()).toContain('store: it is full');
    // The next renewal fails without a lease.
    await clock.advance(2 * RENEW_MS);
    const alarms = gateway.log.alarms('store_failed');
    expect(alarms.map(({ detail }) => detail)).toEqual(['store: it is full']);
    gateway.gateway.store.commit = commit;
    await clock.advance(RENEW_MS);
    await eventually('it is ready again', async () => (await ready()) === 200);
  });
});

describe('a node whose lease has run out', () => {
  test('admits nothing, free or paid, until it has a new one', async () => {
    const { commit } = gateway.gateway.store;
    const noLeases = (name: string, input: unknown) =>
      name === 'lease' ? Promise.reject(fault('unavailable')) : commit(name as never, input as never);
    gateway.gateway.store.commit = noLeases as typeof commit;
    clock.step(LEASE_MS - 1);
    expect((await chat('demo-small')).status).toBe(200);
    clock.step(1);
    for (const model of ['demo-small', 'auto:free']) {
      const refused = await chat(model);
      expect(refused.status).toBe(503);
      expect(refused.headers.has('retry-after')).toBe(true);
      expect(((await refused.json()) as Answer).error.code).toBe('unavailable');
    }
    expect(holds()).toEqual([]);
    expect((await gateway.get('/api/usage', account.key)).data).toHaveLength(1);

    gateway.gateway.store.commit = commit;
    expect((await chat('auto:free')).status).toBe(200);
    expect((await chat('demo-small')).status).toBe(200);
  });

  test.each(['demo-small', 'auto:free'])('only by a wall clock that leapt has a new one at once: %s', async (model) => {
    clock.step(3_600_000);
    expect((await chat(model)).status).toBe(200);
    clock.step(-7_200_000);
    expect((await chat(model)).status).toBe(200);
  });
});

describe('a node that may have been taken for dead', () => {
  let commit: Store['commit'];

  /** A call whose first try fails when the gate opens. The lease has run out meanwhile, and so has its grace. */
  async function sleepIn(
    first: (gate: Promise<void>) => Script,
    body: Record<string, unknown> = {},
    sleepMs = LEASE_MS + GRACE_MS,
  ) {
    const gate = createGate();
    gateway.upstream.next(first(gate.opened));
    gateway.upstream.otherwise(body.stream ? chatStream() : chatAnswer());
    const running = gateway.chat(account.key, { model: 'up-paid', max_tokens: 100, ...body });
    await gateway.upstream.request(0);
    ({ commit } = gateway.gateway.store);
    const noLeases = (name: string, input: unknown) =>
      name === 'lease' ? Promise.reject(fault('unavailable')) : commit(name as never, input as never);
    gateway.gateway.store.commit = noLeases as typeof commit;
    await clock.advance(sleepMs);
    const read = running.then(async (response) => ({ status: response.status, text: await response.text() }));
    return async () => {
      gate.open();
      let answer: Awaited<typeof read> | undefined;
      void read.then((one) => {
        answer = one;
      });
      return eventually('the answer', async () => {
        await clock.advance(100);
        return answer;
      });
    };
  }
  function wake(): void {
    gateway.gateway.store.commit = commit;
  }
  async function wakeAndRenew(): Promise<void> {
    wake();
    await clock.advance(RENEW_MS);
    await eventually('it is ready', async () => (await gateway.call('/readyz')).status === 200);
  }
  /** As another node does that takes this one for dead. */
  async function release(): Promise<void> {
    const [requestId = ''] = holds();
    const { accountId, keyId } = account;
    await commit('sweep', { requestId, accountId, keyId, at: clock.now() });
    expect(holds()).toEqual([]);
  }
  const failed = (gate: Promise<void>): Script => ({ status: 500, body: [gate, '{}'] });
  const broken = (gate: Promise<void>): Script => ({
    ...chatStream(),
    // It shows a sign of life before it ends: after a long silence the same channel would not be asked again.
    body: [...(chatStream().body ?? []).slice(0, 2), gate, ': still here\n\n', 50],
  });

  test.each([
    ['a hold was released', release, wake, LEASE_MS + GRACE_MS],
    ['a hold was released, though it has a new lease', release, wakeAndRenew, LEASE_MS + GRACE_MS],
    ['it has no lease', async () => {}, () => {}, LEASE_MS + GRACE_MS],
    [
      'it has no lease, and the clock of another may be ahead',
      async () => {},
      () => {},
      LEASE_MS + GRACE_MS - APART_MS,
    ],
  ])('asks no channel again when %s', async (_, meanwhile, then, sleepMs) => {
    const answered = await sleepIn(failed, {}, sleepMs);
    await meanwhile();
    await then();
    const { status, text } = await answered();
    wake();
    expect(status).toBe(503);
    expect(JSON.parse(text).error.code).toBe('unavailable');
    expect(gateway.upstream.requests).toHaveLength(1);
    expect(walletOf(account.accountId)).toEqual(UNTOUCHED);
    expect(gateway.audit()).toEqual([]);
    // The channel that was not asked is counted nowhere, and nothing was to be settled.
    expect((await operatorOf(gateway).scrape()).sum('gateway_upstream_attempts_total')).toBe(1);
    expect(gateway.log.alarms('settle_after_release')).toEqual([]);
  });

  test('gives the probe back of a channel that it does not ask', async () => {
    await gateway.stop();
    gateway = await startTestGateway({
      clock,
      document: (doc) => ({
        ...doc,
        channels: [...doc.channels, { ...doc.channels[1], name: 'second' }],
        models: [
          ...doc.models,
          upModel('two', {
            price: { input: 10, output: 40 },
            // Not before the first channel has failed may the second be asked.
            hedge: 600_000,
            routes: [
              { channel: 'up', model: 'm', priority: 1 },
              { channel: 'second', model: 'm', priority: 2 },
            ],
          }),
        ],
      }),
    });
    account = await gateway.register();
    const openBreakers = async () =>
      (await operatorOf(gateway).scrape()).sum('gateway_breaker_state', { channel: 'second', state: 'open' });

    gateway.upstream.next({ status: 404, body: ['{}'] }, { status: 401, body: ['{}'] });
    await chat('two');
    expect(await openBreakers()).toBe(1);
    gateway.upstream.reset();
    const answered = await sleepIn((gate) => ({ status: 404, body: [gate, '{}'] }), { model: 'two' });
    await release();
    wake();
    expect((await answered()).status).toBe(503);
    expect(gateway.upstream.requests).toHaveLength(1);
    expect(await openBreakers()).toBe(1);
  });

  test('resumes no stream whose hold was released', async () => {
    const answered = await sleepIn(broken, { stream: true });
    await release();
    wake();
    const events = parseSse((await answered()).text);
    expect(textOf(events)).toBe('Hello');
    expect(events.at(-1)?.json.error.code).toBe('unavailable');
    expect(gateway.upstream.requests).toHaveLength(1);
  });

  test.each([
    ['tries again when the hold is still there', failed, {}, LEASE_MS + GRACE_MS, wake],
    ['resumes when the hold is still there', broken, { stream: true }, LEASE_MS + GRACE_MS, wake],
    ['tries again without the store, as long as nobody takes it for dead', failed, {}, LEASE_MS + 45_000, () => {}],
  ])('%s', async (_, first, body, sleepMs, then) => {
    const answered = await sleepIn(first, body, sleepMs);
    then();
    const { status, text } = await answered();
    wake();
    expect(status).toBe(200);
    expect(text).not.toContain('error');
    expect(gateway.upstream.requests).toHaveLength(2);
    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toMatchObject([{ status: 'ok' }]);
    expect(data[0].cost_nano).not.toBe('0');
    expect(gateway.audit()).toEqual([]);
  });
});

describe('the holds of a node that is gone', () => {
  /** Another node, on another host, with a paid request under way. */
  async function plant(requestId: string, leaseUntil: number, host = 'elsewhere.example'): Promise<void> {
    const { store } = gateway.gateway;
    const nodeId = `node_${requestId}`;
    await store.commit('lease', { nodeId, host, pid: 1, expiresAt: clock.now() + 1 });
    const admitted = await store.commit('admit', {
      requestId,
      accountId: account.accountId,
      keyId: account.keyId,
      nodeId,
      at: clock.now(),
      model: 'demo-small',
      endpoint: '/v1/chat/completions',
      stream: false,
      revision: 1,
      charge: {
        free: false,
        hold: { base: 100_000_000n, unit: 0n, wanted: 1, least: 1 },
        limits: { perMinute: 600, inFlight: 32 },
      },
    });
    expect(admitted.ok).toBe(true);
    await store.commit('lease', { nodeId, host, pid: 1, expiresAt: leaseUntil });
  }

  /** A node with a clock of its own, on a third host. */
  function otherNode(isAlone = false) {
    const others = createManualClock();
    const node = { nodeId: 'node_other', host: 'other.example boot-2 pid:[1]', pid: 1 };
    const { store } = gateway.gateway;
    const alive = { isProcessAlive: () => true, isOfAnotherBoot };
    const sweep = createSweep({ store, clock: others, log: () => {}, node, isAlone, ...alive });
    return { clock: others, sweep, node };
  }

  test('are released 60 s after its lease must have run out, and not before', async () => {
    const other = otherNode();
    await plant('req_gone', clock.now() - 1_000_000);
    await other.sweep();
    await other.clock.advance(LEASE_MS + 60_000 - 1);
    await other.sweep();
    expect(holds()).toEqual(['req_gone']);
    expect(walletOf(account.accountId)).toMatchObject({ held_nano: 100_000_000n, in_flight: 1n });

    await other.clock.advance(1);
    await other.sweep();
    expect(holds()).toEqual([]);
    expect(walletOf(account.accountId)).toEqual(UNTOUCHED);
    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toMatchObject([{ status: 'gateway_died', channel: null, cost_nano: '0', output_tokens: 0 }]);
    expect(gateway.audit()).toEqual([]);
  });

  test('are released at once when it gave its lease back', async () => {
    await plant('req_gone', ENDED);
    await otherNode().sweep();
    expect(holds()).toEqual([]);
  });

  test('are released by the first sweep of a node that has the database for itself', async () => {
    const alone = otherNode(true);
    await plant('req_alive', alone.clock.now() - 59_999);
    await alone.sweep();
    expect(holds()).toEqual(['req_alive']);
    await plant('req_gone', alone.clock.now() - 60_000);
    await alone.sweep();
    expect(holds()).toEqual(['req_alive']);
  });

  test('stay when a clock leaps that makes its lease look old, while its process lives on this host', async () => {
    const alone = otherNode(true);
    const lease = { nodeId: 'node_req_alive', host: alone.node.host, pid: 2, expiresAt: alone.clock.now() + LEASE_MS };
    await plant('req_alive', lease.expiresAt);
    await gateway.gateway.store.commit('lease', lease);
    await alone.sweep();
    alone.clock.step(3_600_000);
    await alone.sweep();
    expect(holds()).toEqual(['req_alive']);
    // Its number may have gone to another process, which renews nothing.
    await alone.clock.advance(LEASE_MS + GRACE_MS);
    await alone.sweep();
    expect(holds()).toEqual([]);
  });

  test('are released at once when its machine was started anew, by one that has the database for itself', async () => {
    await plant('req_gone', clock.now() + LEASE_MS, 'other.example boot-1 pid:[1]');
    await plant('req_same_boot', clock.now() + LEASE_MS, 'other.example boot-2 pid:[2]');
    await plant('req_unknown', clock.now() + LEASE_MS, 'other.example');
    await otherNode(false).sweep();
    expect(holds()).toHaveLength(3);
    await otherNode(true).sweep();
    expect(holds()).toEqual(['req_same_boot', 'req_unknown']);
  });

  test('are released by the gateway’s own sweeps', async () => {
    await plant('req_gone', clock.now());
    await eventually('the sweep', async () => {
      await clock.advance(SWEEP_MS);
      return holds().length === 0;
    });
  });

  test('stay while its lease is renewed, whatever the wall clocks say', async () => {
    const other = otherNode();
    await plant('req_alive', clock.now());
    for (let renewed = 1; renewed <= 40; renewed++) {
      other.clock.step(renewed % 2 === 0 ? 86_400_000 : -86_000_000);
      await other.sweep();
      await other.clock.advance(SWEEP_MS);
      const renewal = { nodeId: 'node_req_alive', host: 'elsewhere.example', pid: 1, expiresAt: clock.now() + renewed };
      await gateway.gateway.store.commit('lease', renewal);
    }
    expect(holds()).toEqual(['req_alive']);
  });

  test('stay for a while when the store was away, which keeps a node from renewing', async () => {
    const other = otherNode();
    await plant('req_alive', clock.now());
    await other.sweep();
    await other.clock.advance(LEASE_MS + 60_000);
    const { read } = gateway.gateway.store;
    const { leases } = read;
    read.leases = () => Promise.reject(fault('unavailable'));
    expect(await other.sweep().catch(() => 'failed')).toBe('failed');
    read.leases = leases;
    await other.sweep();
    expect(holds()).toEqual(['req_alive']);
    await other.clock.advance(LEASE_MS + 60_000);
    await other.sweep();
    expect(holds()).toEqual([]);
  });
});

describe('a settlement after the release', () => {
  /** A second gateway of this very process takes the first for dead, as one does after a restart, and releases its holds. */
  async function takeOver(): Promise<void> {
    const second = await startTestGateway({ clock, dataDir: gateway.dataDir });
    await eventually('the holds are released', () => holds().length === 0);
    await second.stop();
  }

  test.each([
    ['whole', chatAnswer(), {}],
    ['streamed', chatStream(), { stream: true }],
  ])('of a %s answer: a record of cost 0, an alarm, and the wallet as it was', async (_, script, body) => {
    const { key, id } = await createKey(gateway, account.key, { daily_budget_ntd: 0.5 });
    const gate = createGate();
    gateway.upstream.next({ ...script, body: [gate.opened, ...(script.body ?? [])] });
    const running = gateway.chat(key, { model: 'up-paid', max_tokens: 100, ...body });
    await gateway.upstream.request(0);
    expect(holds()).toHaveLength(1);
    await takeOver();
    gate.open();

    const response = await running;
    expect(response.status).toBe(200);
    expect(response.headers.has('x-svc-cost-ntd')).toBe(false);
    if ('stream' in body) expect(usageOf(await readSse(response))?.cost_nano).toBeUndefined();
    const requestId = response.headers.get('x-request-id') ?? '';
    await eventually('the alarm', () => gateway.log.alarms('settle_after_release').length > 0);
    expect(gateway.log.alarms('settle_after_release').map(({ request_id }) => request_id)).toEqual([requestId]);
    expect(walletOf(account.accountId)).toEqual(UNTOUCHED);
    expect(gateway.sql('SELECT spent_nano, held_nano FROM budgets WHERE key_id = ?', id)).toEqual([
      { spent_nano: 0n, held_nano: 0n },
    ]);
    const { data } = await gateway.get('/api/usage', account.key);
    expect(data).toMatchObject([{ request_id: requestId, cost_nano: '0' }]);
    expect(gateway.sql('SELECT * FROM entries WHERE kind = ?', 'usage')).toEqual([]);
    expect(gateway.audit()).toEqual([]);
  });
});
