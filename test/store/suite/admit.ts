// Admission: slots and hold together, or neither.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import {
  type Account,
  admitted,
  createAccount,
  createKey,
  DAY,
  free,
  HOUR,
  MIDNIGHT,
  MINUTE,
  paid,
  releasing,
  renewLease,
  setDayBudget,
  settling,
  T0,
  T0_SECOND,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeAdmit(open: OpenSubject): void {
  describe('admit', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
    });
    afterAll(() => subject.close());

    test('nothing without a lease that is valid', async () => {
      const account = await createAccount(subject.store);
      const lost = { ok: false, reason: 'lease_lost' } as const;
      expect(await subject.store.commit('admit', paid(account, { nodeId: 'node_unknown' }))).toEqual(lost);
      await renewLease(subject.store, 'node_late', T0);
      expect(await subject.store.commit('admit', paid(account, { nodeId: 'node_late' }))).toEqual(lost);
      expect(await subject.store.commit('admit', paid(account, { nodeId: 'node_late', at: T0 - 1 }))).toMatchObject({
        ok: true,
      });
    });

    test('nothing on a frozen wallet', async () => {
      const account = await createAccount(subject.store);
      await subject.store.commit('freeze', { accountId: account.accountId, frozen: true, at: T0 });
      const frozen = { ok: false, reason: 'wallet_frozen' } as const;
      expect(await subject.store.commit('admit', paid(account))).toEqual(frozen);
      expect(await subject.store.commit('admit', free(account))).toEqual(frozen);
      await subject.store.commit('freeze', { accountId: account.accountId, frozen: false, at: T0 });
      expect(await subject.store.commit('admit', paid(account))).toMatchObject({ ok: true });
    });

    test('an unknown account is told, by itself', async () => {
      const account = await createAccount(subject.store);
      const [bad, good] = await Promise.all([
        subject.store.commit('admit', paid({ accountId: 'acc_unknown', keyId: 'key_unknown' })),
        subject.store.commit('admit', paid(account)),
      ]);
      expect(bad).toEqual({ ok: false, reason: 'account_unknown' });
      expect(good).toMatchObject({ ok: true });
    });

    test('one request is admitted once', async () => {
      const account = await createAccount(subject.store);
      const input = paid(account);
      await admitted(subject.store, input);
      expect(await subject.store.commit('admit', input).catch((error) => error.code)).toBe('internal_error');
      expect((await subject.store.read.wallet(account.accountId))?.inFlight).toBe(1);
    });

    describe('a preview', () => {
      const stateOf = async ({ accountId, keyId }: Account) => [
        await subject.store.read.wallet(accountId),
        await subject.store.read.openHolds(accountId),
        await subject.store.read.budgetsOf([keyId]),
      ];

      test.each([
        ['paid', paid],
        ['free', free],
      ] as const)('of a %s request answers as the admission does, and takes nothing', async (_name, request) => {
        const account = await createAccount(subject.store);
        const input = request(account);
        const before = await stateOf(account);
        const previewed = await subject.store.commit('previewAdmit', input);
        expect(previewed).toMatchObject({ ok: true });
        expect(await stateOf(account)).toEqual(before);
        expect(await subject.store.commit('previewAdmit', input)).toEqual(previewed);
        expect(await subject.store.commit('admit', input)).toEqual(previewed);
      });

      test('of a request that would be refused says so in the same words', async () => {
        const account = await createAccount(subject.store, 0n);
        const input = paid(account);
        const refused = await subject.store.commit('previewAdmit', input);
        expect(refused).toMatchObject({ ok: false, reason: 'insufficient_balance' });
        expect(await subject.store.commit('admit', input)).toEqual(refused);
      });

      test('leaves the other requests of its batch alone', async () => {
        const account = await createAccount(subject.store);
        const inputs = Array.from({ length: 6 }, () => paid(account));
        const answers = await Promise.all(
          inputs.map((input, index) => subject.store.commit(index % 2 === 0 ? 'previewAdmit' : 'admit', input)),
        );
        for (const answer of answers) expect(answer).toMatchObject({ ok: true, held: 2_000n });
        expect(await subject.store.read.wallet(account.accountId)).toMatchObject({ held: 6_000n, inFlight: 3 });
        expect(await subject.store.read.openHolds(account.accountId)).toHaveLength(3);
      });
    });

    describe('a free request', () => {
      test('takes slots and no money', async () => {
        const account = await createAccount(subject.store, 0n);
        const input = free(account);
        expect(await admitted(subject.store, input)).toEqual({
          ok: true,
          held: 0n,
          granted: Number.MAX_SAFE_INTEGER,
          balance: 0n,
          allowance: { limit: 6, used: 1, remaining: 5, resetsAt: T0 + MINUTE },
        });
        expect(await subject.store.read.wallet(account.accountId)).toMatchObject({
          held: 0n,
          inFlight: 0,
          freeInFlight: 1,
        });
        expect(await subject.store.read.window(`free:${account.accountId}`)).toMatchObject({
          slots: [[T0, 1]],
          dayCount: 1,
          touchedAt: T0,
        });
      });

      test('six in a rolling minute', async () => {
        const account = await createAccount(subject.store);
        for (let n = 0; n < 6; n++) {
          const input = free(account, { at: T0 + n * 1_000 });
          await admitted(subject.store, input);
          await subject.store.commit('settle', settling(input, 0n));
        }
        expect(await subject.store.commit('admit', free(account, { at: T0 + MINUTE - 1 }))).toEqual({
          ok: false,
          reason: 'free_minute_limit',
          allowance: { limit: 6, used: 6, remaining: 0, resetsAt: T0 + MINUTE },
        });
        expect(await subject.store.commit('admit', free(account, { at: T0 + MINUTE }))).toMatchObject({ ok: true });
      });

      test.each([
        ['an empty wallet', 0n, 2],
        ['money in the wallet', 1n, 4],
      ])('the day has its own limit with %s', async (_, balance, perDay) => {
        const account = await createAccount(subject.store, balance);
        const limits = { perMinute: 100, perDayZero: 2, perDayPositive: 4, inFlight: 100 };
        const attempt = (at: number) =>
          subject.store.commit('admit', free(account, { at, charge: { free: true, limits } }));
        for (let n = 0; n < perDay; n++) expect(await attempt(T0 + n)).toMatchObject({ ok: true });
        expect(await attempt(T0 + 11 * HOUR)).toEqual({
          ok: false,
          reason: 'free_daily_limit',
          allowance: { limit: perDay, used: perDay, remaining: 0, resetsAt: MIDNIGHT },
        });
        expect(await attempt(MIDNIGHT)).toMatchObject({ ok: true });
      });

      test('four in flight, and one more when one has ended', async () => {
        const account = await createAccount(subject.store);
        const inputs = Array.from({ length: 5 }, () => free(account));
        const results = await Promise.all(inputs.map((input) => subject.store.commit('admit', input)));
        expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, false]);
        expect(results[4]).toMatchObject({ reason: 'too_many_in_flight', allowance: { limit: 4, used: 4 } });
        await subject.store.commit('settle', settling(inputs[0] ?? free(account), 0n));
        expect(await subject.store.commit('admit', free(account))).toMatchObject({ ok: true });
      });

      test('64 at once: six pass', async () => {
        const account = await createAccount(subject.store);
        const limits = { perMinute: 6, perDayZero: 100, perDayPositive: 300, inFlight: 100 };
        const results = await Promise.all(
          Array.from({ length: 64 }, () =>
            subject.store.commit('admit', free(account, { charge: { free: true, limits } })),
          ),
        );
        expect(results.filter(({ ok }) => ok)).toHaveLength(6);
        expect((await subject.store.read.window(`free:${account.accountId}`))?.dayCount).toBe(6);
      });
    });

    describe('a paid request', () => {
      test('holds what it may cost at most', async () => {
        const account = await createAccount(subject.store, 10_000n);
        const input = paid(account);
        expect(await admitted(subject.store, input)).toEqual({
          ok: true,
          held: 2_000n,
          granted: 100,
          balance: 10_000n,
          allowance: { limit: 600, used: 1, remaining: 599, resetsAt: T0_SECOND + MINUTE },
        });
        expect(await subject.store.read.wallet(account.accountId)).toMatchObject({
          balance: 10_000n,
          held: 2_000n,
          inFlight: 1,
          freeInFlight: 0,
        });
        expect(await subject.store.read.openHolds(account.accountId)).toEqual([
          {
            requestId: input.requestId,
            ...account,
            nodeId: input.nodeId,
            model: 'asked',
            amount: 2_000n,
            chain: undefined,
          },
        ]);
      });

      test('is clamped to what the wallet can pay', async () => {
        const account = await createAccount(subject.store, 1_505n);
        expect(await admitted(subject.store, paid(account))).toMatchObject({ held: 1_500n, granted: 50 });
      });

      test('is refused where too few tokens are affordable', async () => {
        const account = await createAccount(subject.store, 1_155n);
        expect(await subject.store.commit('admit', paid(account))).toEqual({
          ok: false,
          reason: 'insufficient_balance',
          needed: 1_160n,
          available: 1_155n,
          affordableTokens: 15,
        });
        const poor = await createAccount(subject.store, 999n);
        expect(await subject.store.commit('admit', paid(poor))).toMatchObject({ affordableTokens: 0 });
        expect(await subject.store.read.window(`paid:${poor.accountId}`)).toBeUndefined();
      });

      test('tells money that is held from money that is not there', async () => {
        const account = await createAccount(subject.store, 3_000n);
        const first = paid(account);
        await admitted(subject.store, first);
        expect(await subject.store.commit('admit', paid(account))).toEqual({
          ok: false,
          reason: 'balance_in_use',
          needed: 1_160n,
          available: 1_000n,
          affordableTokens: 0,
        });
        await subject.store.commit('release', releasing(first, true));
        expect(await subject.store.commit('admit', paid(account))).toMatchObject({ ok: true });
      });

      test('to the last nano: who needs all that there is waits for it', async () => {
        const account = await createAccount(subject.store, 1_160n);
        expect(await admitted(subject.store, paid(account))).toMatchObject({ held: 1_160n, granted: 16 });
        expect(await subject.store.commit('admit', paid(account))).toMatchObject({
          reason: 'balance_in_use',
          needed: 1_160n,
          available: 0n,
        });
      });

      test('64 at once on a wallet that pays for ten: ten pass, nothing is overdrawn', async () => {
        const account = await createAccount(subject.store, 20_500n);
        const results = await Promise.all(
          Array.from({ length: 64 }, () =>
            subject.store.commit(
              'admit',
              paid(account, {
                charge: {
                  free: false,
                  hold: { base: 1_000n, unit: 10n, wanted: 100, least: 100 },
                  limits: { perMinute: 600, inFlight: 64 },
                },
              }),
            ),
          ),
        );
        expect(results.filter(({ ok }) => ok)).toHaveLength(10);
        expect(await subject.store.read.wallet(account.accountId)).toMatchObject({ held: 20_000n, inFlight: 10 });
      });

      test('has a limit by the minute and one in flight', async () => {
        const account = await createAccount(subject.store);
        const charge = (perMinute: number, inFlight: number) =>
          ({
            free: false,
            hold: { base: 1n, unit: 0n, wanted: 1, least: 1 },
            limits: { perMinute, inFlight },
          }) as const;
        const first = paid(account, { charge: charge(2, 1) });
        await admitted(subject.store, first);
        expect(await subject.store.commit('admit', paid(account, { charge: charge(2, 1) }))).toMatchObject({
          reason: 'too_many_in_flight',
          allowance: { limit: 1, used: 1, remaining: 0 },
        });
        await subject.store.commit('settle', settling(first, 1n));
        await admitted(subject.store, paid(account, { charge: charge(2, 9) }));
        expect(await subject.store.commit('admit', paid(account, { charge: charge(2, 9) }))).toMatchObject({
          reason: 'rate_limited',
          allowance: { limit: 2, used: 2, remaining: 0 },
        });
        const at = (time: number) => paid(account, { charge: charge(2, 9), at: time });
        expect(await subject.store.commit('admit', at(T0_SECOND + MINUTE - 1))).toMatchObject({ ok: false });
        expect(await subject.store.commit('admit', at(T0_SECOND + MINUTE))).toMatchObject({ ok: true });
      });
    });

    describe('a key with a daily budget', () => {
      const budgeted = async (dailyBudget: bigint, balance?: bigint) => {
        const { accountId } = await createAccount(subject.store, balance);
        return createKey(subject.store, accountId, { dailyBudget });
      };
      const day = ({ keyId }: Account, limit: bigint, spent: bigint, held: bigint) =>
        ({ budget: 'day', keyId, limit, spent, held, span: taipeiDay(T0) }) as const;

      test('is clamped by it, waits for what is held of it, and is refused when it is used up', async () => {
        const account = await budgeted(2_700n);
        const first = paid(account);
        expect(await admitted(subject.store, first)).toMatchObject({ held: 2_000n });
        const refused = { ok: false as const, needed: 1_160n };
        expect(await subject.store.commit('admit', paid(account))).toEqual({
          ...refused,
          reason: 'budget_in_use',
          available: 700n,
          affordableTokens: 0,
          short: day(account, 2_700n, 0n, 2_000n),
        });
        await subject.store.commit('settle', settling(first, 1_200n));
        const second = paid(account);
        expect(await admitted(subject.store, second)).toMatchObject({ held: 1_500n, granted: 50 });
        await subject.store.commit('settle', settling(second, 400n));
        expect(await subject.store.commit('admit', paid(account))).toEqual({
          ...refused,
          reason: 'key_budget_exceeded',
          available: 1_100n,
          affordableTokens: 10,
          short: day(account, 2_700n, 1_600n, 0n),
          budgets: [day(account, 2_700n, 1_600n, 0n)],
        });
      });

      test('whose budget and wallet are both too low is told of its budget, and what both of them pay', async () => {
        const account = await budgeted(1_100n, 1_120n);
        const refused = { ok: false as const, needed: 1_160n };
        expect(await subject.store.commit('admit', paid(account))).toEqual({
          ...refused,
          reason: 'key_budget_exceeded',
          available: 1_100n,
          affordableTokens: 10,
          short: day(account, 1_100n, 0n, 0n),
          budgets: [day(account, 1_100n, 0n, 0n)],
        });
        await setDayBudget(subject.store, account, 1_140n);
        expect(await subject.store.commit('admit', paid(account))).toEqual({
          ...refused,
          reason: 'key_budget_exceeded',
          available: 1_120n,
          affordableTokens: 12,
          short: day(account, 1_140n, 0n, 0n),
          budgets: [day(account, 1_140n, 0n, 0n)],
        });
        await setDayBudget(subject.store, account, 1_160n);
        expect(await subject.store.commit('admit', paid(account))).toEqual({
          ...refused,
          reason: 'insufficient_balance',
          available: 1_120n,
          affordableTokens: 12,
        });
      });

      test('is told what is held: its budget, or the wallet where the budget would do', async () => {
        const account = await budgeted(9_000n, 3_000n);
        await admitted(subject.store, paid(account));
        const refused = { ok: false, needed: 1_160n, available: 1_000n };
        expect(await subject.store.commit('admit', paid(account))).toMatchObject({
          ...refused,
          reason: 'balance_in_use',
        });
        await setDayBudget(subject.store, account, 3_000n);
        expect(await subject.store.commit('admit', paid(account))).toMatchObject({
          ...refused,
          reason: 'budget_in_use',
        });
      });

      test('spends anew on the next Taipei day, but for what it holds', async () => {
        const account = await budgeted(3_000n);
        const spent = paid(account);
        await admitted(subject.store, spent);
        await subject.store.commit('settle', settling(spent, 2_000n));
        await setDayBudget(subject.store, account, 3_500n);
        await admitted(subject.store, paid(account, { hold: { wanted: 50 } }));
        const tomorrow = paid(account, { at: T0 + DAY });
        expect(await admitted(subject.store, tomorrow)).toMatchObject({ held: 2_000n });
        expect(await subject.store.commit('admit', paid(account, { at: T0 + DAY }))).toMatchObject({
          reason: 'budget_in_use',
          available: 0n,
        });
      });

      test('does not count free requests', async () => {
        const account = await budgeted(0n);
        expect(await subject.store.commit('admit', free(account))).toMatchObject({ ok: true });
      });
    });
  });
}
