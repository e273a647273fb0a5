// Losses: what upstreams bill and no customer pays is booked as rows, and beyond the guard of a day it is charged.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_NANO } from '../../../src/kit/money.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import type { AdmitInput, Losses, ReleaseInput, SettleInput } from '../../../src/store/operations.ts';
import type { LossBy } from '../../../src/store/reads.ts';
import type { Loss } from '../../../src/store/rows.ts';
import {
  type Account,
  admitted,
  createAccount,
  DAY,
  free,
  MIDNIGHT,
  MINUTE,
  outcome,
  paid,
  releasing,
  renewLease,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const GUARD = 1_000n;
const TODAY = taipeiDay(T0);

export function loss(fields: Partial<Loss> = {}): Loss {
  return { reason: 'empty_answer', model: 'asked', channel: 'channel-a', amount: 300n, charge: 400n, ...fields };
}

export function describeLosses(open: OpenSubject): void {
  describe('losses', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
    });
    afterAll(() => subject.close());

    const rowsOf = ({ accountId }: Account) =>
      subject.sql(
        `SELECT request_id, day, model, channel, reason, amount_nano FROM losses WHERE account_id = '${accountId}' ORDER BY loss_id`,
      );
    const reasonsOf = async (account: Account) =>
      (await rowsOf(account)).map(({ reason, amount_nano: amount }) => [reason, amount]);
    const pageOf = async ({ accountId }: Account) =>
      (await subject.sql(`SELECT day, amount_nano FROM loss_days WHERE account_id = '${accountId}'`))[0];
    const recordOf = ({ accountId }: Account, { requestId }: AdmitInput) =>
      subject.store.read.usageRecord(accountId, requestId);

    async function settled(account: Account, losses: Losses, rest: Partial<SettleInput> = {}) {
      const input = paid(account);
      await admitted(subject.store, input);
      const closed = await subject.store.commit('settle', { ...settling(input, 0n), losses, ...rest });
      return { input, closed };
    }
    async function released(account: Account, losses: Losses, rest: Partial<ReleaseInput> = {}) {
      const input = paid(account);
      await admitted(subject.store, input);
      const closed = await subject.store.commit('release', { ...releasing(input, false), losses, ...rest });
      return { input, closed };
    }

    test('below the guard they are booked, and the customer pays what the request costs', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const items = [
        loss(),
        loss({ reason: 'failed_attempt', channel: null, model: 'other', charge: 0n, amount: 50n }),
      ];
      const { input, closed } = await settled(account, { items, guard: GUARD }, { cost: 70n });
      expect(closed).toEqual({ state: 'closed', charged: 70n, writtenOff: 0n, balance: 9_930n });
      const common = { request_id: input.requestId, day: BigInt(TODAY) };
      expect(await rowsOf(account)).toEqual([
        { ...common, model: 'asked', channel: 'channel-a', reason: 'empty_answer', amount_nano: 300n },
        { ...common, model: 'other', channel: null, reason: 'failed_attempt', amount_nano: 50n },
      ]);
      // A failure of an upstream that another one made good does not count for the guard.
      expect(await pageOf(account)).toEqual({ day: BigInt(TODAY), amount_nano: 300n });
    });

    test('an amount of 0 has no row, and a close without losses touches nothing of them', async () => {
      const account = await createAccount(subject.store, 10_000n);
      await settled(account, { items: [loss({ amount: 0n })], guard: GUARD });
      await settled(account, { items: [], guard: 0n });
      expect(await rowsOf(account)).toEqual([]);
      expect(await pageOf(account)).toBeUndefined();
    });

    test('up to the guard they are free to the nano; beyond it the customer pays, the alarm being due once a day', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const losses = (amount: bigint): Losses => ({ items: [loss({ amount, charge: 400n })], guard: GUARD });
      expect((await released(account, losses(999n))).closed).toEqual({
        state: 'closed',
        charged: 0n,
        writtenOff: 0n,
        balance: 10_000n,
      });
      // Of the first that is too much, what still fits is free.
      const tooMuch = await released(account, losses(4n));
      const guarded = { lossGuard: 'reached', freeLosses: 1n };
      expect(tooMuch.closed).toMatchObject({ charged: 300n, writtenOff: 0n, balance: 9_700n, ...guarded });
      expect(await recordOf(account, tooMuch.input)).toMatchObject({ cost: 300n, rule: 'loss_guard' });
      const again = await settled(account, losses(1n), { cost: 30n });
      expect(again.closed).toMatchObject({ charged: 430n, balance: 9_270n, lossGuard: 'beyond', freeLosses: 0n });
      expect(await reasonsOf(account)).toEqual([
        ['empty_answer', 999n],
        ['empty_answer', 1n],
      ]);
      expect(await pageOf(account)).toEqual({ day: BigInt(TODAY), amount_nano: 1_000n });
      // Its budget and its entry know the charge.
      const [entry] = await subject.store.read.entriesOf(account.accountId, 1);
      expect(entry).toMatchObject({ kind: 'usage', amount: 430n, reference: again.input.requestId });
      expect(await subject.store.read.budgetsOf([account.keyId])).toMatchObject([{ spent: 730n, held: 0n }]);
    });

    test('a new day begins with nothing lost, and days do not run backwards', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const losses: Losses = { items: [loss({ amount: GUARD })], guard: GUARD };
      const at = (time: number) => released(account, losses, { outcome: outcome({ at: time }) });
      expect((await at(MIDNIGHT - 1)).closed).toMatchObject({ charged: 0n });
      expect((await at(MIDNIGHT - 1)).closed).toMatchObject({ lossGuard: 'reached' });
      expect((await at(MIDNIGHT)).closed).toMatchObject({ charged: 0n });
      // The clock is back before midnight: the new day still counts.
      expect((await at(MIDNIGHT - 1)).closed).toMatchObject({ charged: 400n, lossGuard: 'reached' });
      expect((await at(MIDNIGHT)).closed).toMatchObject({ charged: 400n, lossGuard: 'beyond' });
      expect((await rowsOf(account)).map(({ day }) => day)).toEqual([BigInt(TODAY), BigInt(TODAY + 1)]);
      expect(await pageOf(account)).toEqual({ day: BigInt(TODAY + 1), amount_nano: GUARD });
    });

    test('what the hold does not cover is booked as a loss, and what the cost has above it is written off', async () => {
      const account = await createAccount(subject.store, 10_000n);
      // The hold is 2,000.
      const items = [loss({ amount: 1_500n, charge: 1_800n, channel: 'first' }), loss({ charge: 500n, amount: 400n })];
      const { closed } = await settled(account, { items, guard: 0n }, { cost: 100n });
      expect(closed).toEqual({
        state: 'closed',
        charged: 2_000n,
        writtenOff: 0n,
        balance: 8_000n,
        lossGuard: 'reached',
        freeLosses: 0n,
      });
      expect(await rowsOf(account)).toMatchObject([{ reason: 'above_hold', channel: 'first', amount_nano: 400n }]);
      const over = await settled(
        account,
        { items: [loss({ amount: 700n, charge: 700n })], guard: 0n },
        { cost: 2_300n },
      );
      expect(over.closed).toMatchObject({ charged: 2_000n, writtenOff: 300n, balance: 6_000n, lossGuard: 'beyond' });
      expect(await reasonsOf(account)).toEqual([
        ['above_hold', 400n],
        ['above_hold', 1_000n],
      ]);
      expect(await pageOf(account)).toMatchObject({ amount_nano: 0n });
    });

    test('beyond the guard, too, an item that is never charged is booked', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const items = [loss({ amount: 2n * GUARD, charge: 20n }), loss({ reason: 'hedge', amount: 70n, charge: 0n })];
      const { closed } = await settled(account, { items, guard: GUARD });
      expect(closed).toMatchObject({ charged: 10n, lossGuard: 'reached' });
      expect(await reasonsOf(account)).toEqual([
        ['hedge', 70n],
        ['empty_answer', GUARD],
      ]);
      expect(await pageOf(account)).toMatchObject({ amount_nano: GUARD });
    });

    test('of several losses the first ones are free, and a part of a nano is charged whole', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const items = [
        loss({ amount: 600n, charge: 700n }),
        loss({ amount: 600n, charge: 700n, reason: 'no_answer' }),
        loss({ amount: 100n, charge: 0n, reason: 'above_hold' }),
      ];
      const { closed } = await settled(account, { items, guard: GUARD });
      // 1,000 of 1,200 are free.
      expect(closed).toMatchObject({ charged: 234n, freeLosses: GUARD });
      const other = await settled(account, { items: [loss({ amount: 3n, charge: 10n })], guard: GUARD + 2n });
      expect(other.closed).toMatchObject({ charged: 4n, freeLosses: 2n });
    });

    test('usage above the hold is booked, and does not count for the guard of the account', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const above = [loss({ reason: 'above_hold', amount: 5n * GUARD, charge: 0n })];
      expect((await settled(account, { items: above, guard: GUARD })).closed).toMatchObject({ charged: 0n });
      expect(await reasonsOf(account)).toEqual([['above_hold', 5n * GUARD]]);
      expect(await pageOf(account)).toBeUndefined();
      const free = await released(account, { items: [loss({ amount: GUARD })], guard: GUARD });
      expect(free.closed).toMatchObject({ charged: 0n });
      expect(await pageOf(account)).toMatchObject({ amount_nano: GUARD });
    });

    test('the audit accepts a day of an earlier version, which counted usage above the hold', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const items = [loss({ amount: 60n }), loss({ reason: 'above_hold', amount: 40n, charge: 0n })];
      await settled(account, { items, guard: GUARD });
      const days = async () => {
        const { differences } = await subject.store.read.audit({});
        return differences.filter(({ subject }) => subject === account.accountId);
      };
      const set = (amount: number) =>
        subject.sql(`UPDATE loss_days SET amount_nano = ${amount} WHERE account_id = '${account.accountId}'`);
      for (const amount of [100, 60]) {
        await set(amount);
        expect(await days()).toEqual([]);
      }
      for (const amount of [101, 59]) {
        await set(amount);
        expect(await days()).toMatchObject([{ what: 'loss_day' }]);
      }
      await set(60);
    });

    test('a loss that no customer can be charged for is booked however large it is', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const items = [loss({ reason: 'hedge', amount: 5_000n, charge: 0n })];
      expect((await settled(account, { items, guard: GUARD })).closed).toMatchObject({ charged: 0n });
      expect(await reasonsOf(account)).toEqual([['hedge', 5_000n]]);
    });

    test('without a guard nothing is charged; with 0 nothing is free', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const unbound = await released(account, { items: [loss({ amount: 1_000_000n })], guard: null });
      expect(unbound.closed).toMatchObject({ charged: 0n });
      const other = await createAccount(subject.store, 10_000n);
      const bound = await released(other, { items: [loss({ amount: 1n })], guard: 0n });
      expect(bound.closed).toMatchObject({ charged: 400n, lossGuard: 'reached' });
      expect(await rowsOf(other)).toEqual([]);
    });

    test('a free request is never charged, and its losses do not count for the guard', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const input = free(account);
      await admitted(subject.store, input);
      const items = [loss({ reason: 'free_model', amount: 900n, charge: 900n })];
      const closed = await subject.store.commit('settle', {
        ...settling(input, 0n, { rule: 'free_model' }),
        losses: { items, guard: 0n },
      });
      expect(closed).toEqual({ state: 'closed', charged: 0n, writtenOff: 0n, balance: 10_000n });
      expect(await reasonsOf(account)).toEqual([['free_model', 900n]]);
      expect(await recordOf(account, input)).toMatchObject({ rule: 'free_model', cost: 0n });
      expect((await released(account, { items: [loss({ amount: GUARD })], guard: GUARD })).closed).toMatchObject({
        charged: 0n,
      });
    });

    test('the sweep books at most the hold, and does not count it for the guard', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const [lost, gratis] = [paid(account), free(account)];
      for (const { requestId, accountId, keyId } of [lost, gratis]) {
        await admitted(subject.store, requestId === lost.requestId ? lost : gratis);
        await subject.store.commit('sweep', { requestId, accountId, keyId, at: T0 + MINUTE });
      }
      expect(await rowsOf(account)).toEqual([
        {
          request_id: lost.requestId,
          day: BigInt(TODAY),
          model: 'asked',
          channel: null,
          reason: 'gateway_died',
          amount_nano: 2_000n,
        },
      ]);
      expect(await pageOf(account)).toBeUndefined();
      expect(await recordOf(account, lost)).toMatchObject({ status: 'gateway_died', rule: 'gateway_failed' });
      // A close that comes too late books nothing by itself.
      const late = { ...settling(lost, 5n), losses: { items: [loss()], guard: 0n } };
      expect(await subject.store.commit('settle', late)).toEqual({ state: 'late' });
      expect(await reasonsOf(account)).toHaveLength(1);
    });

    test('losses that are booked after the sweep count for the guard of their day, and move no money', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const swept = paid(account);
      const { requestId, accountId, keyId } = swept;
      await admitted(subject.store, swept);
      await subject.store.commit('sweep', { requestId, accountId, keyId, at: T0 + MINUTE });
      const items = [loss({ amount: 1_200n }), loss({ reason: 'hedge', channel: 'channel-b', amount: 70n })];
      await subject.store.commit('bookLosses', { requestId, accountId, items, at: T0 + DAY });
      const common = { request_id: requestId, day: BigInt(TODAY + 1), model: 'asked' };
      expect((await rowsOf(account)).slice(1)).toEqual([
        { ...common, channel: 'channel-a', reason: 'empty_answer', amount_nano: 1_200n },
        { ...common, channel: 'channel-b', reason: 'hedge', amount_nano: 70n },
      ]);
      expect(await pageOf(account)).toEqual({ day: BigInt(TODAY + 1), amount_nano: 1_200n });
      expect(await subject.store.read.wallet(accountId)).toMatchObject({ balance: 10_000n, held: 0n, inFlight: 0 });
      expect(await subject.store.read.entriesOf(accountId, 9)).toHaveLength(1);
    });

    test('undo books nothing', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const input = paid(account);
      await admitted(subject.store, input);
      const { requestId, accountId, keyId } = input;
      await subject.store.commit('undo', { requestId, accountId, keyId, at: T0 });
      expect(await rowsOf(account)).toEqual([]);
    });

    test('a rule is in the usage record, also without losses', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const input = paid(account);
      await admitted(subject.store, input);
      await subject.store.commit('settle', settling(input, 5n, { rule: 'hung_up' }));
      expect(await recordOf(account, input)).toMatchObject({ rule: 'hung_up' });
    });

    test.each([
      ['below zero', [loss({ amount: -1n })]],
      ['with a charge below zero', [loss({ charge: -1n })]],
      ['beyond 64 bits', [loss({ amount: MAX_NANO + 1n })]],
      ['beyond 64 bits together', [loss({ amount: MAX_NANO }), loss()]],
    ])('a loss %s fails alone and moves nothing', async (_, items) => {
      const account = await createAccount(subject.store, 10_000n);
      const [input, other] = [paid(account), paid(account)];
      await admitted(subject.store, input);
      await admitted(subject.store, other);
      const [failed, closed] = await Promise.allSettled([
        subject.store.commit('settle', { ...settling(input, 5n), losses: { items, guard: null } }),
        subject.store.commit('settle', settling(other, 6n)),
      ]);
      expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'internal_error' } });
      expect(closed).toMatchObject({ status: 'fulfilled', value: { charged: 6n } });
      expect(await subject.store.commit('settle', settling(input, 5n))).toMatchObject({ charged: 5n });
      expect(await rowsOf(account)).toEqual([]);
    });

    test('32 closes at once in one batch: not a nano more than the guard is free', async () => {
      const account = await createAccount(subject.store, 1_000_000n);
      const inputs = Array.from({ length: 32 }, () => paid(account));
      for (const input of inputs) await admitted(subject.store, input);
      const items = [loss({ amount: 130n, charge: 200n })];
      const results = await Promise.all(
        inputs.map((input) =>
          subject.store.commit('release', { ...releasing(input, true), losses: { items, guard: GUARD } }),
        ),
      );
      const guards = results.map((result) => result.state === 'closed' && result.lossGuard);
      expect(guards.filter((guard) => guard === undefined)).toHaveLength(7);
      expect(guards.filter((guard) => guard === 'reached')).toHaveLength(1);
      expect(guards.filter((guard) => guard === 'beyond')).toHaveLength(24);
      expect(await pageOf(account)).toMatchObject({ amount_nano: GUARD });
      // Of the eighth loss, 90 of 130 are free.
      expect((await subject.store.read.wallet(account.accountId))?.balance).toBe(1_000_000n - 62n - 24n * 200n);
    });

    test('rows are not changed', async () => {
      const account = await createAccount(subject.store, 10_000n);
      await settled(account, { items: [loss()], guard: GUARD });
      await expect(
        subject.sql(`UPDATE losses SET amount_nano = 1 WHERE account_id = '${account.accountId}'`),
      ).rejects.toThrow();
    });

    test('the audit agrees with all of it', async () => {
      expect((await subject.store.read.audit({})).differences).toEqual([]);
    });
  });

  describe('sums of losses', () => {
    let subject: StoreSubject;
    let accounts: Account[];
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
      accounts = [await createAccount(subject.store), await createAccount(subject.store)];
      const [one, two] = accounts as [Account, Account];
      const book = async (account: Account, at: number, items: readonly Loss[]) => {
        const input = paid(account, { at });
        await admitted(subject.store, input);
        const losses = { items, guard: null };
        await subject.store.commit('settle', { ...settling(input, 0n, { at }), losses });
      };
      await book(one, T0 - 8 * DAY, [loss({ amount: 1_000n })]);
      await book(one, T0 - DAY, [loss({ amount: 5n }), loss({ amount: 7n, reason: 'hedge', channel: null })]);
      await book(two, T0, [loss({ amount: 20n, model: 'b' }), loss({ amount: 1n, channel: 'channel-b' })]);
    });
    afterAll(() => subject.close());

    const sums = async (by: LossBy, from: number, to: number, rest: { accountId?: string; limit?: number } = {}) => {
      const report = await subject.store.read.losses({ by, from, to, limit: 100, ...rest });
      return { ...report, sums: report.sums.map(({ key, losses, amount }) => [key, losses, amount]) };
    };

    test('by account, model, channel and reason, the largest first', async () => {
      const [one, two] = accounts as [Account, Account];
      const week = [TODAY - 6, TODAY + 1] as const;
      const whole = { losses: 4, amount: 33n };
      expect(await sums('account', ...week)).toEqual({
        ...whole,
        sums: [
          [two.accountId, 2, 21n],
          [one.accountId, 2, 12n],
        ],
      });
      expect(await sums('model', ...week)).toMatchObject({
        sums: [
          ['b', 1, 20n],
          ['asked', 3, 13n],
        ],
      });
      expect(await sums('channel', ...week)).toMatchObject({
        sums: [
          ['channel-a', 2, 25n],
          [null, 1, 7n],
          ['channel-b', 1, 1n],
        ],
      });
      expect(await sums('reason', ...week)).toMatchObject({
        sums: [
          ['empty_answer', 3, 26n],
          ['hedge', 1, 7n],
        ],
      });
    });

    test('of some days, of one account, and no more rows than asked for with the sums of all', async () => {
      const [one] = accounts as [Account, Account];
      expect(await sums('reason', TODAY, TODAY + 1)).toMatchObject({ losses: 2, amount: 21n });
      expect(await sums('reason', TODAY - 30, TODAY + 1, { accountId: one.accountId })).toMatchObject({
        losses: 3,
        amount: 1_012n,
      });
      expect(await sums('channel', TODAY - 6, TODAY + 1, { limit: 1 })).toEqual({
        losses: 4,
        amount: 33n,
        sums: [['channel-a', 2, 25n]],
      });
      expect(await sums('reason', TODAY + 1, TODAY + 2)).toEqual({ losses: 0, amount: 0n, sums: [] });
    });

    test('are forgotten with the usage of their days, and the audit agrees', async () => {
      const forget = () => subject.store.forgetUsage({ day: TODAY - 5, limit: 500 });
      while ((await forget()).records > 0);
      expect((await forget()).losses + (await sums('reason', TODAY - 30, TODAY + 1)).losses).toBe(4);
      expect(await subject.sql(`SELECT 1 FROM loss_sums WHERE day < ${TODAY - 5}`)).toEqual([]);
      expect((await subject.store.read.audit({})).differences).toEqual([]);
    });
  });
}
