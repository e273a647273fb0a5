// Two nodes on one PostgreSQL race for the same things, 64 racers each time: the counts are exact.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/kit/clock.ts';
import { taipeiDay } from '../../src/kit/taipei.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { appliedLine } from '../support/applied-line.ts';
import { eventually } from '../support/eventually.ts';
import { sharePostgres, type TestDatabase, type TestDatabases } from '../support/postgres.ts';
import { loss } from './suite/losses.ts';
import {
  type Account,
  admitted,
  admitting,
  createAccount,
  createKey,
  free,
  fresh,
  issueCards,
  paid,
  redeeming,
  registration,
  releasing,
  renewLease,
  sampleKey,
  setDayBudget,
  settling,
  T0,
} from './suite/samples.ts';

const RACERS = 64;
const UNLIMITED_PAID = { perMinute: 10_000, inFlight: 10_000 };

let server: TestDatabases;
let database: TestDatabase;
let nodes: Store[];
beforeAll(async () => {
  server = await sharePostgres();
  database = await server.createDatabase();
  nodes = await Promise.all(
    [1, 2, 2].map((writers) => openPostgresStore({ url: database.url, clock: systemClock, writers })),
  );
  await renewLease(nodes[0] as Store);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await server.stop();
});

/** Every racer on the next node, in turns of the event loop so that batches of all nodes overlap. */
function race<Result>(start: (node: Store, racer: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(
    Array.from({ length: RACERS }, async (_, racer) => {
      await Bun.sleep(racer % 5);
      return start(nodes[racer % nodes.length] as Store, racer);
    }),
  );
}
const first = () => nodes[0] as Store;

describe('racing for', () => {
  test('the next revision: one edit of each is made, the others are stale', async () => {
    // The very first one is made by a server that starts, and follows none.
    const log = appliedLine(T0);
    await first().commit('revise', { document: '{}', source: 'default', sourceHash: 'x', at: T0, log });
    for (const turn of ['first', 'second', 'third']) {
      const { revision: expects } = await first().read.pulse();
      const results = await race((node, racer) =>
        node.commit('revise', {
          document: '{}',
          source: 'operator',
          sourceHash: `${turn} ${racer}`,
          at: T0,
          expects,
          log: { at: T0, actor: 'token', action: 'config.apply', subject: turn, detail: {} },
        }),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      const lines = await first().read.actions({ subject: turn, limit: RACERS });
      const [made] = await first().read.revisions(Number.MAX_SAFE_INTEGER, 1);
      expect(made).toMatchObject({ actor: 'token' });
      expect(lines).toMatchObject([{ detail: { revision: made?.revision } }]);
    }
  });

  test('one wallet: it pays for ten', async () => {
    const account = await createAccount(first(), 20_500n);
    const charge = {
      free: false,
      hold: { base: 1_000n, unit: 10n, wanted: 100, least: 100 },
      limits: { perMinute: 600, inFlight: RACERS },
    } as const;
    const results = await race((node) => admitting(node, paid(account, { charge })));
    expect(results.filter(({ ok }) => ok)).toHaveLength(10);
    expect(await first().read.wallet(account.accountId)).toMatchObject({ held: 20_000n, inFlight: 10 });
  });

  test('the free slots of one account, whose window nobody has made yet', async () => {
    const account = await createAccount(first());
    const limits = { perMinute: 6, perDayZero: 100, perDayPositive: 300, inFlight: RACERS };
    const results = await race((node) => admitting(node, free(account, { charge: { free: true, limits } })));
    expect(results.filter(({ ok }) => ok)).toHaveLength(6);
  });

  test('one card', async () => {
    const accounts = await race((node) => createAccount(node, 1n));
    const [card] = (await issueCards(first(), 1, { amount: 50n })).cards;
    const results = await race((node, racer) =>
      node.commit('redeem', redeeming(accounts[racer]?.accountId ?? '', card?.hash ?? '')),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    const balances = await Promise.all(accounts.map(({ accountId }) => first().read.wallet(accountId)));
    expect(balances.filter((wallet) => wallet?.balance === 51n)).toHaveLength(1);
  });

  test('one card that both have to wait for: the second hears that it is gone', async () => {
    const [one, other] = [await createAccount(first(), 1n), await createAccount(first(), 1n)];
    const [card] = (await issueCards(first(), 1, { amount: 50n })).cards;
    const redeem = (node: Store | undefined, { accountId }: Account) =>
      node?.commit('redeem', redeeming(accountId, card?.hash ?? ''));
    await database.sql('BEGIN');
    await database.sql('SELECT 1 FROM cards WHERE hash = $1 FOR UPDATE', card?.hash);
    const redeemed = Promise.all([redeem(nodes[0], one), redeem(nodes[1], other)]);
    const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await eventually('both to wait', async () => {
      // A transaction sees the same activity as long as it lasts.
      await database.sql('SELECT pg_stat_clear_snapshot()');
      return (await database.sql(waiting)).length === 2;
    });
    await database.sql('COMMIT');
    const results = await redeemed;
    expect(results.filter((result) => result?.ok)).toHaveLength(1);
    expect(results.filter((result) => result?.ok === false)).toMatchObject([{ reason: 'card_not_redeemable' }]);
  });

  test('the slots of one address', async () => {
    const address = fresh('address');
    const results = await race((node) => node.commit('register', registration({ address })));
    expect(results.filter(({ ok }) => ok)).toHaveLength(3);
  });

  test('the last wrong cards of an account’s day', async () => {
    const { accountId } = await createAccount(first());
    const at = (n: number) => T0 + n * 660_000;
    for (let n = 0; n < 17; n++) await first().commit('redeem', redeeming(accountId, 'wrong', { at: at(n) }));
    const results = await race((node) => node.commit('redeem', redeeming(accountId, 'wrong', { at: at(17) })));
    expect(results.filter((result) => !result.ok && result.reason === 'card_not_redeemable')).toHaveLength(3);
  });

  test('one idempotency key', async () => {
    const id = fresh('replay');
    const results = await race((node, racer) =>
      node.commit('register', registration({ replay: { id, bodyHash: 'body', salt: `salt ${racer}` } })),
    );
    expect(new Set(results.map((result) => result.ok && result.accountId)).size).toBe(1);
    expect(results.filter((result) => result.ok && result.replayedSalt === undefined)).toHaveLength(1);
  });

  test('one key’s budget', async () => {
    const { accountId } = await createAccount(first());
    const key = await createKey(first(), accountId, { dailyBudget: 6_000n });
    const results = await race((node) => admitting(node, paid(key, { hold: { least: 100 } })));
    expect(results.filter(({ ok }) => ok)).toHaveLength(3);
  });

  test('a budget that one node lowers: the next call on another node has the new one', async () => {
    const { accountId } = await createAccount(first());
    const key = await createKey(first(), accountId, { dailyBudget: 100_000n });
    const [, other] = nodes as [Store, Store];
    await admitted(other, paid(key));
    await setDayBudget(first(), key, 3_000n);
    expect(await admitting(other, paid(key))).toMatchObject({ reason: 'budget_in_use', short: { limit: 3_000n } });
  });

  test('the end of one request', async () => {
    const account = await createAccount(first(), 10_000n);
    const input = paid(account);
    await admitted(first(), input);
    const results = await race((node) => node.commit('settle', settling(input, 500n)));
    expect(results.filter(({ state }) => state === 'closed')).toHaveLength(1);
    expect(await first().read.wallet(account.accountId)).toMatchObject({ balance: 9_500n, held: 0n });
  });

  test('the free losses of one account and day: not a nano above the guard is booked', async () => {
    const account = await createAccount(first(), 1_000_000n);
    const { accountId } = account;
    const inputs = await Promise.all(
      Array.from({ length: RACERS }, async () => {
        const hold = { base: 2_000n, unit: 0n, wanted: 1, least: 1 };
        const input = paid(account, { charge: { free: false, hold, limits: UNLIMITED_PAID } });
        await admitted(first(), input);
        return input;
      }),
    );
    const amountOf = (racer: number) => BigInt(37 + racer);
    const guard = 1_000n;
    const results = await race((node, racer) => {
      const input = inputs[racer];
      if (!input) throw new Error('there is one for each');
      const losses = { items: [loss({ amount: amountOf(racer), charge: 100n })], guard };
      return racer % 2 === 0
        ? node.commit('settle', { ...settling(input, 0n), losses })
        : node.commit('release', { ...releasing(input, false), losses });
    });
    const closed = results.filter((one) => one.state === 'closed');
    expect(closed).toHaveLength(RACERS);
    expect(closed.filter(({ lossGuard }) => lossGuard === 'reached')).toHaveLength(1);
    const day = taipeiDay(T0);
    const booked = await first().read.losses({ by: 'reason', from: day, to: day + 1, accountId, limit: 9 });
    expect(booked.amount).toBe(guard);
    const charged = closed.reduce((sum, one) => sum + one.charged, 0n);
    const whole = closed.filter(({ lossGuard, freeLosses }) => lossGuard && freeLosses === 0n);
    expect(Number(charged)).toBeWithin(100 * whole.length, 100 * (whole.length + 1));
    expect(await first().read.wallet(accountId)).toMatchObject({ balance: 1_000_000n - charged, held: 0n });
    expect((await first().read.audit({})).differences).toEqual([]);
  });

  test('the last managing key', async () => {
    const account = await createAccount(first());
    const keys = [account.keyId];
    for (let n = 1; n < RACERS; n++) {
      const key = sampleKey(account.accountId);
      keys.push(key.keyId);
      await first().commit('createKey', { key, at: T0 });
    }
    const { accountId } = account;
    const results = await race((node, racer) =>
      node.commit('revokeKey', { accountId, keyId: keys[racer] ?? '', at: T0 }),
    );
    expect(results.filter(({ ok }) => !ok)).toEqual([{ ok: false, reason: 'last_key' }]);
  });

  test('one name for signing in', async () => {
    const accounts = await race((node) => createAccount(node, 1n));
    const name = fresh('name');
    const accountOf = (racer: number) => accounts[racer]?.accountId ?? '';
    const setLogin = (node: Store, accountId: string, before: string | null, wanted: string) =>
      node.commit('setLogin', { accountId, before, name: wanted, passwordHash: 'x', at: T0 });
    const results = await race((node, racer) => setLogin(node, accountOf(racer), null, name));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.filter((result) => !result.ok && result.reason === 'name_taken')).toHaveLength(RACERS - 1);
    const winner = results.findIndex(({ ok }) => ok);
    expect(await first().read.accountByLogin(name)).toBe(accountOf(winner));
    // Given up by its owner while all the others want it: again one has it, and the old owner only the new one.
    const other = fresh('name');
    const again = await race((node, racer) =>
      setLogin(node, accountOf(racer), racer === winner ? name : null, racer === winner ? other : name),
    );
    expect(again[winner]).toEqual({ ok: true });
    expect(again.filter(({ ok }) => ok).length).toBeLessThanOrEqual(2);
    expect(await first().read.accountByLogin(other)).toBe(accountOf(winner));
    const rows = await database.sql<{ name: string }>('SELECT name FROM logins ORDER BY name');
    const names = await database.sql<{ name: string }>('SELECT name FROM login_names ORDER BY name');
    expect(rows).toEqual(names);
  });

  test('the sessions of one account, which has none yet', async () => {
    const { accountId } = await createAccount(first());
    await race((node, racer) =>
      node.commit('openSession', {
        accountId,
        session: { hash: `hash ${racer}`, keyId: null, createdAt: T0, seenAt: T0 },
        at: T0,
      }),
    );
    expect((await first().read.login(accountId))?.sessions).toHaveLength(20);
  });

  test('the sums of one account’s day', async () => {
    const account = await createAccount(first());
    const charge = {
      free: false,
      hold: { base: 1_000n, unit: 10n, wanted: 100, least: 100 },
      limits: { perMinute: 600, inFlight: RACERS },
    } as const;
    await race(async (node) => {
      const input = paid(account, { charge });
      await admitted(node, input);
      await node.commit('settle', settling(input, 500n));
    });
    const [day] = await first().read.spendByDay(account.accountId, 0);
    expect(day).toMatchObject({ requests: RACERS, cost: BigInt(RACERS) * 500n });
  });

  test('one reference of a credit', async () => {
    const { accountId } = await createAccount(first(), 1n);
    const credit = { accountId, amount: 10n, reference: fresh('reference'), reason: 'race', at: T0 };
    const results = await race((node) => node.commit('credit', credit).catch((error) => error.code));
    expect(results.filter((result) => result === 'internal_error')).toHaveLength(RACERS - 1);
    expect((await first().read.wallet(accountId))?.balance).toBe(11n);
  });
});

test('many accounts on all nodes at once: the books balance', async () => {
  const accounts = await race((node) => createAccount(node, 1_000_000n));
  await race(async (node, racer) => {
    for (let n = 0; n < 10; n++) {
      const account = accounts[(racer * 7 + n * 13) % RACERS] ?? { accountId: '', keyId: '' };
      const input = n % 3 === 0 ? free(account) : paid(account);
      const opened = await admitting(node, input);
      if (opened.ok) await node.commit('settle', settling(input, n % 3 === 0 ? 0n : BigInt(n * 100)));
    }
  });
  const report = await first().read.audit({});
  expect(report.differences).toEqual([]);
  // One for each lane, and at most one for each node on which somebody had to wait for a lock.
  const [count] = await database.sql<{ writers: bigint }>('SELECT count(*) AS writers FROM writers');
  expect([5n, 6n, 7n, 8n]).toContain(count?.writers ?? 0n);
});

test('a writer whose row was forgotten makes a new one, and loses nothing', async () => {
  const node = await openPostgresStore({ url: database.url, clock: systemClock });
  await createAccount(node);
  await database.sql('DELETE FROM writers');
  const { accountId } = await createAccount(node, 5n);
  expect((await node.read.wallet(accountId))?.balance).toBe(5n);
  expect(await database.sql('SELECT count(*) AS writers FROM writers')).toEqual([{ writers: 1n }]);
  await node.close();
});

test('a writer that leaves takes its row with it', async () => {
  const node = await openPostgresStore({ url: database.url, clock: systemClock });
  const count = async () => (await database.sql<{ n: bigint }>('SELECT count(*) AS n FROM writers'))[0]?.n;
  const before = await count();
  await createAccount(node);
  expect(await count()).toBe((before ?? 0n) + 1n);
  await node.close();
  expect(await count()).toBe(before);
});
