// A settlement that a bug of ours makes impossible is released instead, and a release is repeated like every close.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault } from '../../src/faults/fault.ts';
import { createAlarms } from '../../src/kit/alarms.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { createLog } from '../../src/kit/log.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import type { AdmitInput } from '../../src/store/operations.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { loss } from '../store/suite/losses.ts';
import {
  createAccount,
  free,
  fresh,
  paid,
  releasing,
  renewLease,
  settling,
  unsettled,
} from '../store/suite/samples.ts';
import { createLogCapture } from '../support/log-capture.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** Less than the customer would have paid. */
const UNSETTLED = unsettled(25n);

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-ledger-'));
  store = await openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock: systemClock, unsafeNoSync: true });
  await renewLease(store);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Releases fail so often before they reach the store. */
function ledgerWith({ failedReleases = 0, failedLateLosses = 0, failsToSettle = false, clock = systemClock } = {}) {
  let failed = 0;
  let failedLate = 0;
  const booked: string[] = [];
  const commit: Store['commit'] = async (name, input) => {
    if (name === 'release' && failed++ < failedReleases) throw fault('unavailable', { internal: 'store: away' });
    if (name === 'bookLosses' && failedLate++ < failedLateLosses)
      throw fault('unavailable', { internal: 'store: away' });
    if (name === 'settle' && failsToSettle) throw new Error('a bug of ours');
    return store.commit(name, input);
  };
  const lines = createLogCapture();
  const alarms = createAlarms(createLog(clock, lines.write));
  const ledger = createLedger({
    store: { commit, read: store.read },
    clock,
    alarms,
    lease: () => undefined,
    lossMeter: { booked: ({ reason, amount }) => booked.push(`${reason} ${amount}`), charged: () => {} },
  });
  return {
    booked,
    ledger,
    tries: () => failed,
    lines: lines.lines,
    alarms: () => lines.lines().map(({ event }) => event),
  };
}

test('what cannot be settled is released, however often that must be tried', async () => {
  const { ledger, alarms } = ledgerWith({ failedReleases: 2 });
  const account = await createAccount(store, 10_000n);
  const call = paid(account);
  expect(await ledger.admit(call)).toMatchObject({ ok: true });
  const settled = ledger.settle(settling(call, -1n), UNSETTLED);
  expect(ledger.closing()).toBe(1);
  expect(await settled).toEqual({ state: 'closed', charged: 0n, writtenOff: 0n, balance: 10_000n });
  expect(ledger.closing()).toBe(0);
  expect(await store.read.wallet(account.accountId)).toMatchObject({ balance: 10_000n, held: 0n, inFlight: 0 });
  expect(alarms()).toEqual(['close_failed', 'settle_retrying']);
});

test('what cannot be settled is released with its losses, and what its upstream bills is one of them', async () => {
  const above = loss({ reason: 'above_hold', amount: 9n, charge: 0n });
  const losses = { items: [loss({ amount: 500n, charge: 70n }), above], guard: 0n };
  const { ledger } = ledgerWith({ failsToSettle: true });
  const account = await createAccount(store, 10_000n);
  const call = paid(account);
  expect(await ledger.admit(call)).toMatchObject({ ok: true });
  const input = settling(call, 40n);
  const settled = await ledger.settle({ ...input, outcome: { ...input.outcome, model: 'm' }, losses }, UNSETTLED);
  expect(settled).toMatchObject({ state: 'closed', charged: 0n });
  const query = { by: 'reason', from: 0, to: 99_999, accountId: account.accountId, limit: 9 } as const;
  const { sums } = await store.read.losses(query);
  const amounts = sums.map(({ key, amount }) => [key, amount]).toSorted();
  expect(amounts).toEqual([
    ['empty_answer', 500n],
    ['gateway_cut', 25n],
  ]);
});

describe('a close after the sweep of its hold', () => {
  const lossesOf = async (accountId: string) => {
    const query = { by: 'reason', from: 0, to: 99_999, accountId, limit: 9 } as const;
    const { sums } = await store.read.losses(query);
    return sums.map(({ key, amount }) => [key, amount]).toSorted();
  };

  async function sweptCall() {
    const call = paid(await createAccount(store, 10_000n));
    expect(await store.commit('admit', call)).toMatchObject({ ok: true });
    const { requestId, accountId, keyId, at } = call;
    expect(await store.commit('sweep', { requestId, accountId, keyId, at })).toMatchObject({ state: 'closed' });
    expect(await lossesOf(accountId)).toEqual([['gateway_died', 2_000n]]);
    return call;
  }

  const items = [
    loss({ reason: 'failed_attempt', amount: 1_500n, charge: 0n }),
    loss({ reason: 'hedge', amount: 30n, charge: 0n }),
  ];

  test('books what upstreams bill beyond the hold, once, however often the database was away', async () => {
    const { ledger, alarms, booked } = ledgerWith({ failedLateLosses: 3 });
    const call = await sweptCall();
    const input = settling(call, 900n, { upstreamCost: 700n });
    const losses = { items, guard: 0n };
    expect(await ledger.settle({ ...input, losses }, UNSETTLED)).toEqual({ state: 'late' });
    expect(await lossesOf(call.accountId)).toEqual([
      ['failed_attempt', 200n],
      ['gateway_died', 2_000n],
      ['hedge', 30n],
    ]);
    expect(booked).toEqual(['failed_attempt 200', 'hedge 30']);
    expect(alarms()).toEqual(['settle_retrying', 'settle_after_release']);
  });

  test.each([
    ['within it', 700n, [['gateway_died', 2_000n]]],
    [
      'that cost more than it',
      2_600n,
      [
        ['above_hold', 600n],
        ['gateway_died', 2_000n],
      ],
    ],
  ])('of an answer %s', async (_, upstreamCost, expected) => {
    const { ledger } = ledgerWith();
    const call = await sweptCall();
    await ledger.settle(settling(call, 900n, { upstreamCost }), UNSETTLED);
    expect(await lossesOf(call.accountId)).toEqual(expected);
  });

  test('of a release books its losses likewise', async () => {
    const { ledger, alarms } = ledgerWith();
    const call = await sweptCall();
    const losses = { items: [...items, ...items], guard: 0n };
    expect(await ledger.release({ ...releasing(call, true), losses })).toEqual({ state: 'late' });
    expect(await lossesOf(call.accountId)).toEqual([
      ['failed_attempt', 1_030n],
      ['gateway_died', 2_000n],
      ['hedge', 30n],
    ]);
    expect(alarms()).toEqual([]);
  });

  test('of a free call books all of them: its hold was nothing', async () => {
    const { ledger } = ledgerWith();
    const call = free(await createAccount(store));
    expect(await store.commit('admit', call)).toMatchObject({ ok: true });
    const { requestId, accountId, keyId, at } = call;
    await store.commit('sweep', { requestId, accountId, keyId, at });
    const losses = { items: [loss({ reason: 'free_model', amount: 40n })], guard: 0n };
    await ledger.settle({ ...settling(call, 0n), losses }, UNSETTLED);
    expect(await lossesOf(accountId)).toEqual([['free_model', 40n]]);
  });

  test('that another close had resolved books nothing', async () => {
    const { ledger } = ledgerWith();
    const call = paid(await createAccount(store, 10_000n));
    await ledger.admit(call);
    const input = { ...settling(call, 5n), losses: { items, guard: null } };
    expect(await ledger.settle(input, UNSETTLED)).toMatchObject({ state: 'closed' });
    expect(await ledger.settle(input, UNSETTLED)).toEqual({ state: 'late' });
    expect(await lossesOf(call.accountId)).toEqual([
      ['failed_attempt', 1_500n],
      ['hedge', 30n],
    ]);
  });
});

test('a close is tried again after ever longer waits, up to five seconds, however long the store was away', async () => {
  const clock = createManualClock();
  const { ledger, tries } = ledgerWith({ failedReleases: 20, clock });
  const call = paid(await createAccount(store));
  expect(await ledger.admit(call)).toMatchObject({ ok: true });
  const { cost: _, ...input } = settling(call, 0n);
  const released = ledger.release({ ...input, giveBackSlots: false });
  for (const [index, waitMs] of [100, 200, 400, 800, 1_600, 3_200, ...Array(14).fill(5_000)].entries()) {
    await clock.advance(waitMs - 1);
    expect(tries()).toBe(index + 1);
    await clock.advance(1);
  }
  expect(await released).toMatchObject({ state: 'closed' });
});

test('a free call that cannot be settled gives its address its slot back', async () => {
  const { ledger } = ledgerWith();
  const account = await createAccount(store);
  const address = fresh('address');
  const limits = {
    perMinute: 6,
    perDayZero: 100,
    perDayPositive: 300,
    inFlight: 4,
    perAddress: { address, perDay: 1 },
  };
  const charge: AdmitInput['charge'] = { free: true, limits };
  const call = free(account, { charge });
  expect(await ledger.admit(call)).toMatchObject({ ok: true });
  expect(await ledger.admit(free(account, { charge }))).toMatchObject({ ok: false });
  expect(await ledger.settle(settling(call, 1n), { ...UNSETTLED, freeAddress: address })).toMatchObject({
    state: 'closed',
    charged: 0n,
  });
  expect(await ledger.admit(free(account, { charge }))).toMatchObject({ ok: true });
});

test('a release that fails because of a bug raises an alarm, and is thrown', async () => {
  const { ledger, alarms } = ledgerWith();
  const account = await createAccount(store);
  const call = paid(account);
  expect(await ledger.admit(call)).toMatchObject({ ok: true });
  const { cost: _, ...input } = settling(call, 0n, { attempts: [], totalMs: Number.NaN });
  const error = await ledger.release({ ...input, giveBackSlots: false }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'internal_error' });
  expect(alarms()).toEqual(['close_failed']);
});

test('losses beyond the guard raise one alarm for an account and day', async () => {
  const { ledger, lines } = ledgerWith();
  const account = await createAccount(store, 10_000n);
  const losses = { items: [loss({ amount: 500n, charge: 70n })], guard: 600n };
  const ids: string[] = [];
  for (let call = 0; call < 4; call++) {
    const input = paid(account);
    ids.push(input.requestId);
    expect(await ledger.admit(input)).toMatchObject({ ok: true });
    const { cost: _, ...closing } = settling(input, 0n);
    await (call % 2 === 0
      ? ledger.settle({ ...closing, cost: 0n, losses }, UNSETTLED)
      : ledger.release({ ...closing, giveBackSlots: false, losses }));
  }
  expect(lines()).toMatchObject([
    {
      event: 'account_losses',
      request_id: ids[1],
      account_id: account.accountId,
      cost_nano: '56',
      detail: 'losses of the day reached the guard of NT$0.0000006',
    },
  ]);
  expect(await store.read.wallet(account.accountId)).toMatchObject({ balance: 10_000n - 56n - 2n * 70n });
});

test('a release whose losses a bug of ours made impossible is made without them', async () => {
  const { ledger, alarms } = ledgerWith();
  const account = await createAccount(store, 10_000n);
  const call = paid(account);
  expect(await ledger.admit(call)).toMatchObject({ ok: true });
  const { cost: _, ...input } = settling(call, 0n);
  const losses = { items: [loss({ amount: -1n })], guard: null };
  expect(await ledger.release({ ...input, giveBackSlots: false, losses })).toMatchObject({ state: 'closed' });
  expect(alarms()).toEqual(['close_failed']);
  expect(await store.read.wallet(account.accountId)).toMatchObject({ balance: 10_000n, held: 0n });
});
