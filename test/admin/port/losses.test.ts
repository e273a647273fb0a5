// What upstreams billed and no customer paid, as the operator sees it: by the API and in the figures of `/metrics`.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dayText } from '../../../src/admin/actions/ledger.ts';
import { createMetrics } from '../../../src/admin/metrics/metrics.ts';
import { countLosses } from '../../../src/admin/metrics/request-metrics.ts';
import { createAlarms } from '../../../src/kit/alarms.ts';
import { DAY_MS, systemClock } from '../../../src/kit/clock.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import type { Losses } from '../../../src/store/operations.ts';
import { type Account, createAccount, paid, renewLease, settling, unsettled } from '../../store/suite/samples.ts';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import { abandonCall, closeCall, loss } from '../../support/close-call.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { operatorOf } from '../../support/operator.ts';
import { readScrape } from '../../support/prometheus.ts';
import { createShiftedClock } from '../../support/shifted-clock.ts';

let gateway: TestGateway;
let api: AdminApi;
let one: TestAccount;
let two: TestAccount;
let today: number;
beforeAll(async () => {
  const clock = createShiftedClock({ standsStill: true });
  gateway = await startTestGateway({ clock });
  api = adminApiOf(gateway);
  [one, two] = [await gateway.register(), await gateway.register()];
  const { store } = gateway.gateway;
  const at = clock.now();
  today = taipeiDay(at);
  const close = (account: TestAccount, items: Losses['items'], time: number) =>
    closeCall(store, account, { losses: { items, guard: null }, at: time });
  await close(one, [loss(), loss({ reason: 'hedge', channel: null, amount: 1n })], at);
  // The oldest first: the day of an account never runs backwards.
  await close(two, [loss({ amount: 7_000_000_000n })], at - 7 * DAY_MS);
  await close(two, [loss({ amount: 500_000_000n, model: 'up-two' })], at - 6 * DAY_MS);
});
afterAll(() => gateway.stop());

test('by reason and of seven days, if nothing is asked for', async () => {
  const { status, body } = await api('GET', '/losses');
  expect(status).toBe(200);
  expect(body).toEqual({
    object: 'list',
    by: 'reason',
    days: 7,
    from: dayText(today - 6),
    to: dayText(today),
    data: [
      { key: 'empty_answer', losses: 2, loss_ntd: 0.8, loss_nano: '800000000' },
      { key: 'hedge', losses: 1, loss_ntd: 0.000000001, loss_nano: '1' },
    ],
    has_more: false,
    losses: 3,
    total_ntd: 0.800000001,
    total_nano: '800000001',
  });
});

test('by account, model and channel, of as many days as asked for', async () => {
  const sums = async (query: string) =>
    (await api('GET', `/losses?${query}`)).body.data.map(({ key, loss_nano }: Record<string, string>) => [
      key,
      loss_nano,
    ]);
  expect(await sums('by=account&days=1')).toEqual([[one.accountId, '300000001']]);
  expect(await sums('by=account&days=8')).toEqual([
    [two.accountId, '7500000000'],
    [one.accountId, '300000001'],
  ]);
  expect(await sums('by=model')).toEqual([
    ['up-two', '500000000'],
    ['up-paid', '300000001'],
  ]);
  expect(await sums('by=channel&days=90')).toEqual([
    ['up', '7800000000'],
    [null, '1'],
  ]);
});

test.each(['by=day', 'days=0', 'days=91', 'days=x', 'days=1.5'])('%s is refused', async (query) => {
  const { status, body } = await api('GET', `/losses?${query}`);
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', query.split('=')[0]]);
});

test('the page of an account has its own', async () => {
  const { body } = await api('GET', `/accounts/${two.accountId}`);
  expect(body).toMatchObject({ lost_today_nano: '0', lost_nano: '7500000000' });
});

test('losses are counted once they are booked, and so are closes by the guard', async () => {
  const { store } = gateway.gateway;
  const metrics = createMetrics();
  const alarms = createAlarms(() => {});
  const ledger = createLedger({
    store,
    clock: systemClock,
    alarms,
    lossMeter: countLosses(metrics),
    lease: () => undefined,
  });
  await renewLease(store);
  const account: Account = await createAccount(store, 10_000_000_000n);
  const close = async (losses: Losses) => {
    const input = paid(account, { hold: { base: 1_000_000_000n, unit: 0n } });
    expect(await ledger.admit(input)).toMatchObject({ ok: true });
    return ledger.settle({ ...settling(input, 0n), losses }, unsettled());
  };
  const guard = 500_000_000n;
  await close({ items: [loss(), loss({ reason: 'hedge', channel: null, amount: 100_000_000n, charge: 0n })], guard });
  // A third of the loss is beyond the guard: paid up to the hold, and what is never charged is lost.
  const items = [
    loss({ charge: 3_750_000_000n }),
    loss({ reason: 'hedge', channel: 'spare', amount: 200_000_000n, charge: 0n }),
  ];
  expect(await close({ items, guard })).toMatchObject({ charged: 1_000_000_000n, lossGuard: 'reached' });
  const scrape = readScrape(await metrics.text());
  const lost = (reason: string, channel: string) =>
    scrape.value('gateway_losses_ntd_total', { reason, channel, model: 'up-paid' });
  expect(lost('empty_answer', 'up')).toBe(0.5);
  expect(lost('hedge', 'none')).toBe(0.1);
  expect(lost('hedge', 'spare')).toBe(0.2);
  expect(lost('above_hold', 'up')).toBe(0.25);
  expect(scrape.sum('gateway_losses_ntd_total')).toBeCloseTo(1.05, 9);
  expect(scrape.value('gateway_loss_guard_total')).toBe(1);
  const { amount } = await store.read.losses({
    by: 'reason',
    from: 0,
    to: 1e9,
    accountId: account.accountId,
    limit: 9,
  });
  expect(amount).toBe(1_050_000_000n);
  expect(alarms.counts().get('account_losses')).toBe(1);
});

test('the sweep of a running node counts what it books for a node that died', async () => {
  const other = await startTestGateway();
  try {
    await abandonCall(other.gateway.store, await other.register(), 500_000_000n);
    const lost = await eventually('the hold is swept', async () => {
      const scrape = await operatorOf(other).scrape();
      const died = { reason: 'gateway_died', model: 'up-paid', channel: 'none' };
      return scrape.value('gateway_losses_ntd_total', died) || undefined;
    });
    expect(lost).toBe(0.5);
    const { body } = await adminApiOf(other)('GET', '/losses?by=model&days=1');
    expect(body.data).toEqual([{ key: 'up-paid', losses: 1, loss_ntd: 0.5, loss_nano: '500000000' }]);
  } finally {
    await other.stop();
  }
});
