// Two nodes on one PostgreSQL whose clocks disagree: neither takes the other for dead while it renews its lease.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createAlarms } from '../../../src/kit/alarms.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { keepLease } from '../../../src/server/jobs/keep-lease.ts';
import { createSweep } from '../../../src/server/jobs/sweep-holds.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { createAccount, paid, settling, T0, unsettled } from '../../store/suite/samples.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { sharePostgres, type TestDatabases } from '../../support/postgres.ts';

const HOUR_MS = 3_600_000;
const SWEEP_MS = 5_000;
const log = () => {};
let server: TestDatabases;
let stores: Store[];
beforeAll(async () => {
  server = await sharePostgres();
  const { url } = await server.createDatabase();
  stores = await Promise.all([1, 2].map(() => openPostgresStore({ url, clock: systemClock })));
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.stop();
});

test('a node whose clock leaps sweeps nothing of one that lives, and all of one that is gone', async () => {
  const [serving, leaping] = stores as [Store, Store];
  const clock = createManualClock(T0);
  const alarms = createAlarms(log);
  const node = { nodeId: 'node_serving', host: 'one.example', pid: 1 };
  const lease = await keepLease({ store: serving, clock, log, alarms, node });
  const ledger = createLedger({ store: serving, clock, alarms, lease: () => lease });
  const others = createManualClock(T0);
  const sweep = createSweep({
    store: leaping,
    clock: others,
    log,
    node: { nodeId: 'node_leaping', host: 'two.example', pid: 1 },
    isAlone: false,
    isProcessAlive: () => true,
    isOfAnotherBoot: () => false,
  });
  const account = await createAccount(serving, 10_000n);
  const calls = [paid(account, { nodeId: node.nodeId }), paid(account, { nodeId: node.nodeId })] as const;
  for (const call of calls) expect(await ledger.admit(call)).toMatchObject({ ok: true });

  others.step(HOUR_MS);
  for (let passed = 0; passed <= 100_000; passed += SWEEP_MS) {
    await sweep();
    await others.advance(SWEEP_MS);
    await clock.advance(SWEEP_MS);
    await lease.renew();
  }
  expect(await ledger.settle(settling(calls[0], 500n), unsettled())).toMatchObject({
    state: 'closed',
    charged: 500n,
  });

  // Its own clock leaps, too, and it admits as before.
  clock.step(HOUR_MS);
  expect(await ledger.admit(paid(account, { nodeId: node.nodeId, at: clock.now() }))).toMatchObject({ ok: true });

  lease.stop();
  for (let passed = 0; passed <= 75_000; passed += SWEEP_MS) {
    await sweep();
    await others.advance(SWEEP_MS);
  }
  expect(await ledger.settle(settling(calls[1], 500n), unsettled())).toMatchObject({ state: 'late' });
  expect(await leaping.read.wallet(account.accountId)).toMatchObject({ balance: 9_500n, held: 0n, inFlight: 0 });

  await lease.end();
  expect(await ledger.admit(paid(account, { nodeId: node.nodeId, at: clock.now() }))).toMatchObject({
    reason: 'lease_lost',
  });
});
