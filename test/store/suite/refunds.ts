// Refunds, payouts and statements: never more than was charged, never more than was paid, and the sums agree with the entries.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_NANO } from '../../../src/kit/money.ts';
import { onceReference } from '../../../src/store/book/money.ts';
import type { RefundOf } from '../../../src/store/operations.ts';
import {
  type Account,
  admitted,
  createAccount,
  fresh,
  HOUR,
  issueCards,
  outcome,
  paid,
  redeeming,
  renewLease,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeRefunds(open: OpenSubject): void {
  describe('money back:', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
    });
    afterAll(() => subject.close());

    const given = ({ accountId }: Account) => ({ accountId, reference: fresh('ref'), reason: 'late', at: T0 });
    const wallet = async ({ accountId }: Account) => {
      const found = await subject.store.read.wallet(accountId);
      return found && { balance: found.balance, paid: found.paid, paidSpent: found.paidSpent };
    };
    const topUp = (account: Account, amount: bigint, kind: 'credit' | 'topup' = 'topup') =>
      subject.store.commit('credit', { ...given(account), amount, kind });
    const refund = (account: Account, amount: bigint | undefined, of?: RefundOf) =>
      subject.store.commit('refund', { ...given(account), amount, of });
    const payout = (account: Account, amount: bigint, fee = 0n) =>
      subject.store.commit('payout', { ...given(account), amount, fee });
    const card = async (account: Account, amount: bigint, kind: 'sold' | 'promo' = 'sold') => {
      const { cards } = await issueCards(subject.store, 1, { amount, kind });
      await subject.store.commit('redeem', redeeming(account.accountId, cards[0]?.hash ?? ''));
      return { kind: 'card', id: cards[0]?.serial ?? '', charged: amount, isSold: kind === 'sold' } as const;
    };
    const hold = async (account: Account, base: bigint) => {
      const input = paid(account, { hold: { base, unit: 0n } });
      await admitted(subject.store, input);
      return input;
    };
    const spend = async (account: Account, amount: bigint, at = T0) => {
      const input = await hold(account, amount);
      await subject.store.commit('settle', settling(input, amount, outcome({ at })));
      const entry = await subject.store.read.usageEntry(account.accountId, input.requestId);
      return { kind: 'request', id: input.requestId, charged: amount, paid: entry?.paid ?? null } as const;
    };

    test('a refund is an entry against revenue, an event, and part of the paid balance again', async () => {
      const account = await createAccount(subject.store, 10n);
      await card(account, 100n);
      const request = await spend(account, 30n);
      expect(await wallet(account)).toEqual({ balance: 80n, paid: 80n, paidSpent: 20n });
      expect(await refund(account, 5n, request)).toEqual({ ok: true, amount: 5n, balance: 85n });
      expect(await refund(account, undefined, request)).toEqual({ ok: true, amount: 25n, balance: 110n });
      // 20 of the 30 were paid money; the rest was free credit, and is again.
      expect(await wallet(account)).toEqual({ balance: 110n, paid: 100n, paidSpent: 0n });
      expect(await refund(account, 1n, request)).toEqual({ ok: false, reason: 'above_charge', refunded: 30n });
      expect(await refund(account, undefined, request)).toMatchObject({ ok: false, reason: 'above_charge' });
      expect(await subject.store.read.refundedOf(request.id)).toEqual({
        accountId: account.accountId,
        charged: 30n,
        refunded: 30n,
      });
      const [entry] = await subject.store.read.creditsOf(account.accountId, 1);
      expect(entry).toMatchObject({
        kind: 'refund',
        debit: 'house:revenue',
        credit: account.accountId,
        refundOf: request.id,
        note: 'late',
      });
      const events = await subject.sql(
        `SELECT data FROM events WHERE type = 'refund.created' AND account_id = '${account.accountId}' ORDER BY event_id`,
      );
      expect(events.map(({ data }) => JSON.parse(String(data)))).toEqual([
        { request_id: request.id, amount_ntd: 5e-9, amount_nano: '5', balance_ntd: 8.5e-8, balance_nano: '85' },
        { request_id: request.id, amount_ntd: 2.5e-8, amount_nano: '25', balance_ntd: 1.1e-7, balance_nano: '110' },
      ]);
    });

    test('a refund of a request returns no free credit as paid balance, whatever paid balance was spent before', async () => {
      const account = await createAccount(subject.store, 10n);
      await topUp(account, 100n);
      await spend(account, 110n);
      await card(account, 50n, 'promo');
      const ofPromo = await spend(account, 40n);
      expect(ofPromo.paid).toBe(0n);
      await refund(account, undefined, ofPromo);
      expect(await wallet(account)).toEqual({ balance: 50n, paid: 0n, paidSpent: 100n });
      await topUp(account, 20n);
      const ofBoth = await spend(account, 60n);
      expect(ofBoth.paid).toBe(10n);
      await refund(account, 4n, ofBoth);
      await refund(account, 50n, ofBoth);
      // 10 of the 54 were paid balance.
      expect(await wallet(account)).toEqual({ balance: 64n, paid: 20n, paidSpent: 100n });
      // What older requests took of it is unknown: paid balance comes back up to what was spent of it.
      await refund(account, 6n, { ...ofBoth, id: fresh('req'), paid: null });
      expect(await wallet(account)).toEqual({ balance: 70n, paid: 26n, paidSpent: 94n });
      expect((await subject.store.read.audit({})).differences).toEqual([]);
    });

    test('of a sold card no more is refunded than was spent, and of a promotion card only free credit', async () => {
      const account = await createAccount(subject.store, 10n);
      const sold = await card(account, 100n);
      expect(await refund(account, 1n, sold)).toEqual({ ok: false, reason: 'above_spent', refunded: 0n, spent: 0n });
      await spend(account, 40n);
      expect(await refund(account, 31n, sold)).toMatchObject({ ok: false, reason: 'above_spent', spent: 30n });
      expect(await refund(account, 30n, sold)).toMatchObject({ ok: true, balance: 100n });
      expect(await wallet(account)).toEqual({ balance: 100n, paid: 100n, paidSpent: 0n });
      await spend(account, 100n);
      expect(await refund(account, 71n, sold)).toEqual({ ok: false, reason: 'above_charge', refunded: 30n });
      const promo = await card(account, 20n, 'promo');
      expect(await refund(account, 20n, promo)).toMatchObject({ ok: true, balance: 40n });
      expect(await refund(account, 1n, promo)).toEqual({ ok: false, reason: 'above_charge', refunded: 20n });
      expect(await wallet(account)).toEqual({ balance: 40n, paid: 0n, paidSpent: 100n });
    });

    test('after random refunds, payable is never more than was paid in and not paid out, nor made of free credit', async () => {
      let random = 7;
      const next = (below: number) => {
        random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
        return (random >> 8) % below;
      };
      for (let history = 0; history < 2; history++) {
        const account = await createAccount(subject.store, 20n);
        const spent: Extract<RefundOf, { kind: 'request' }>[] = [];
        const cards: RefundOf[] = [];
        /** Of requests and sold cards, of which the paid part is known. */
        let [paidIn, paidOut, paidUsed, paidBack] = [0n, 0n, 0n, 0n];
        for (let step = 0; step < 60; step++) {
          const amount = BigInt(1 + next(30));
          const { balance } = (await wallet(account)) ?? { balance: 0n };
          const what = next(7);
          if (what === 0) {
            await topUp(account, amount);
            paidIn += amount;
          } else if (what === 1) {
            const isSold = next(2) === 0;
            cards.push(await card(account, amount, isSold ? 'sold' : 'promo'));
            if (isSold) paidIn += amount;
          } else if (what <= 3 && balance > 0n) {
            const request = await spend(account, amount < balance ? amount : balance);
            spent.push(request);
            paidUsed += request.paid ?? 0n;
          } else if (what === 4 || what === 5) {
            const of = what === 4 ? spent[next(spent.length || 1)] : cards[next(cards.length || 1)];
            const before = (await wallet(account))?.paid ?? 0n;
            const result = of ? await refund(account, next(3) === 0 ? undefined : amount, of) : undefined;
            if (result?.ok) paidBack += ((await wallet(account))?.paid ?? 0n) - before;
          } else if (what === 6 && (await payout(account, amount)).ok) paidOut += amount;
          const { paid } = (await wallet(account)) ?? { paid: 0n };
          expect(paid).toBeLessThanOrEqual(paidIn - paidOut);
          expect(paid).toBe(paidIn - paidOut - paidUsed + paidBack);
          expect(paidBack).toBeLessThanOrEqual(paidUsed);
        }
        expect(spent.some((request) => request.paid === 0n)).toBe(true);
      }
      expect((await subject.store.read.audit({})).differences).toEqual([]);
    });

    test('a refund that the wallet cannot hold is refused, also without an amount', async () => {
      const account = await createAccount(subject.store, 10n);
      const request = await spend(account, 5n);
      await topUp(account, MAX_NANO - 8n);
      expect(await refund(account, undefined, request)).toEqual({ ok: false, reason: 'wallet_full' });
      expect(await topUp(account, 4n)).toEqual({ ok: false, reason: 'wallet_full' });
      expect(await refund(account, 3n, request)).toMatchObject({ ok: true, balance: MAX_NANO });
      await payout(account, MAX_NANO - 8n);
    });

    test('an idempotency key moves money once, of all kinds at the same time', async () => {
      for (let round = 0; round < 5; round++) {
        const account = await createAccount(subject.store, 10n);
        const other = await createAccount(subject.store, 10n);
        await topUp(account, 100n);
        const request = await spend(account, 30n);
        const once = { reference: onceReference(fresh('key')), reason: 'once', at: T0, accountId: account.accountId };
        const { commit } = subject.store;
        const all = await Promise.allSettled([
          commit('credit', { ...once, amount: 1n }),
          commit('credit', { ...once, amount: 1n, kind: 'topup' }),
          commit('credit', { ...once, amount: 1n, accountId: other.accountId, kind: 'topup' }),
          commit('refund', { ...once, amount: 1n, of: request }),
          commit('payout', { ...once, amount: 1n, fee: 1n }),
        ]);
        expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      }
      expect((await subject.store.read.audit({})).differences).toEqual([]);
    });

    test('an amount without a request is refunded, but paid money never grows by it', async () => {
      const account = await createAccount(subject.store, 10n);
      expect(await refund(account, 7n)).toEqual({ ok: true, amount: 7n, balance: 17n });
      expect(await wallet(account)).toEqual({ balance: 17n, paid: 0n, paidSpent: 0n });
      expect(await payout(account, 1n)).toEqual({ ok: false, reason: 'above_paid', balance: 17n, held: 0n, paid: 0n });
      const nobody = { accountId: 'acc_unknown', keyId: '' };
      expect(await refund(nobody, 7n)).toEqual({ ok: false, reason: 'not_found' });
      expect(await payout(nobody, 7n)).toEqual({ ok: false, reason: 'not_found' });
    });

    test('free credit is spent first, whenever it came, and is not paid out', async () => {
      const account = await createAccount(subject.store, 10n);
      await topUp(account, 100n);
      await spend(account, 50n);
      await card(account, 40n, 'promo');
      await topUp(account, 5n, 'credit');
      expect(await wallet(account)).toEqual({ balance: 105n, paid: 60n, paidSpent: 40n });
      await spend(account, 44n);
      expect(await wallet(account)).toEqual({ balance: 61n, paid: 60n, paidSpent: 40n });
      expect(await payout(account, 61n)).toMatchObject({ ok: false, paid: 60n });
      expect(await payout(account, 55n, 6n)).toMatchObject({ ok: false, paid: 60n });
      expect(await payout(account, 55n, 5n)).toEqual({ ok: true, balance: 1n, paid: 0n });
      const [fee, out] = await subject.store.read.creditsOf(account.accountId, 2);
      expect(fee).toMatchObject({ kind: 'payout_fee', credit: 'house:fees', amount: 5n, balanceAfter: 1n });
      expect(out).toMatchObject({ kind: 'payout', debit: account.accountId, credit: 'house:payouts', amount: 55n });
    });

    test('what the audit froze is not paid out until it is thawed', async () => {
      const account = await createAccount(subject.store, 10n);
      const { accountId } = account;
      await topUp(account, 100n);
      const freeze = (frozen: boolean, byAudit = false) =>
        subject.store.commit('freeze', { accountId, frozen, byAudit, at: T0 });
      expect(await freeze(true, true)).toEqual({ wasAlready: false });
      expect(await freeze(true, true)).toEqual({ wasAlready: true });
      expect(await payout(account, 1n)).toEqual({ ok: false, reason: 'frozen_by_audit' });
      await freeze(false);
      expect(await payout(account, 1n)).toMatchObject({ ok: true });
      // Frozen by an operator, and then found wrong.
      await freeze(true);
      expect(await payout(account, 1n)).toMatchObject({ ok: true });
      expect(await freeze(true, true)).toEqual({ wasAlready: false });
      expect(await payout(account, 1n)).toEqual({ ok: false, reason: 'frozen_by_audit' });
      await freeze(false);
      await freeze(true);
      expect(await payout(account, 1n)).toMatchObject({ ok: true });
    });

    test('what running requests hold is not paid out, and an account that an operator froze can be', async () => {
      const account = await createAccount(subject.store, 10n);
      await topUp(account, 100n);
      const running = await hold(account, 80n);
      expect(await payout(account, 31n)).toEqual({
        ok: false,
        reason: 'above_paid',
        balance: 110n,
        held: 80n,
        paid: 100n,
      });
      await subject.store.commit('freeze', { accountId: account.accountId, frozen: true, at: T0 });
      expect(await payout(account, 30n)).toEqual({ ok: true, balance: 80n, paid: 70n });
      expect(await subject.store.commit('settle', settling(running, 80n))).toMatchObject({ charged: 80n, balance: 0n });
      expect(await wallet(account)).toEqual({ balance: 0n, paid: 0n, paidSpent: 70n });
    });

    test('of many refunds and payouts at once, no nano too much goes out', async () => {
      const account = await createAccount(subject.store, 10n);
      await topUp(account, 1_000n);
      const request = await spend(account, 300n);
      const running = await Promise.all([1, 2, 3].map(() => hold(account, 100n)));
      const many = Array.from({ length: 20 }, (_, number) => number);
      const results = await Promise.all([
        ...many.map((number) => refund(account, number % 2 ? 40n : undefined, request)),
        ...many.map(() => payout(account, 90n, 3n)),
        ...running.map((input) => subject.store.commit('settle', settling(input, 60n))),
      ]);
      const entries = await subject.store.read.entriesOf(account.accountId, 100);
      const sumOf = (kind: string) =>
        entries.filter((entry) => entry.kind === kind).reduce((sum, { amount }) => sum + amount, 0n);
      expect(sumOf('refund')).toBe(300n);
      const { balance, paid } = (await wallet(account)) ?? { balance: 0n, paid: 0n };
      expect(sumOf('payout') + sumOf('payout_fee') + paid).toBeLessThanOrEqual(1_000n);
      expect(balance).toBe(1_010n - 300n + 300n - 180n - sumOf('payout') - sumOf('payout_fee'));
      expect(results.filter((result) => 'ok' in result && !result.ok).length).toBeGreaterThan(10);
      expect((await subject.store.read.audit({})).differences).toEqual([]);
    });

    test('the same reference refunds and pays out once', async () => {
      const account = await createAccount(subject.store, 10n);
      await topUp(account, 100n);
      const request = await spend(account, 60n);
      const input = { ...given(account), of: request, amount: 5n };
      const twice = await Promise.allSettled([1, 2].map(() => subject.store.commit('refund', input)));
      expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const pay = { ...given(account), amount: 5n, fee: 1n };
      const paidTwice = await Promise.allSettled([1, 2].map(() => subject.store.commit('payout', pay)));
      expect(paidTwice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await wallet(account)).toMatchObject({ balance: 49n });
    });

    test('a statement is the sums of the entries of its time', async () => {
      const account = await createAccount(subject.store, 10n);
      const { accountId } = account;
      await topUp(account, 100n);
      const request = await spend(account, 30n, T0 + 2 * HOUR);
      await subject.store.commit('refund', {
        ...given(account),
        of: request,
        amount: 4n,
        at: T0 + 3 * HOUR,
      });
      await subject.store.commit('payout', { ...given(account), amount: 8n, fee: 2n, at: T0 + 3 * HOUR });
      const statement = await subject.store.read.statement(accountId, T0 + HOUR, T0 + 4 * HOUR);
      expect(statement).toMatchObject({
        opening: 110n,
        closing: 74n,
        sums: [
          { kind: 'payout', from: 'house:payouts', entries: 1, amount: -8n },
          { kind: 'payout_fee', from: 'house:fees', entries: 1, amount: -2n },
          { kind: 'refund', from: 'house:revenue', entries: 1, amount: 4n },
        ],
        models: [{ model: 'asked', requests: 1, amount: 30n }],
      });
      expect(statement.entries.map(({ kind }) => kind)).toEqual(['refund', 'payout', 'payout_fee']);
      const before = await subject.store.read.statement(accountId, T0 - HOUR, T0 + HOUR);
      expect(before).toMatchObject({ opening: 0n, closing: 110n, models: [] });
      expect(before.sums.map(({ kind, amount }) => [kind, amount])).toEqual([
        ['topup', 100n],
        ['trial', 10n],
      ]);
      expect(await subject.store.read.statement('acc_unknown', 0, T0)).toMatchObject({ opening: 0n, closing: 0n });
    });

    test('billing details are of the account, and replaced whole', async () => {
      const { accountId } = await createAccount(subject.store);
      const { commit, read } = subject.store;
      expect(await read.billing(accountId)).toBeUndefined();
      await commit('setBilling', { accountId, name: '小明有限公司', taxId: '04595257', at: T0 });
      await commit('setBilling', { accountId, name: '小明有限公司', taxId: null, at: T0 + 1 });
      expect(await read.billing(accountId)).toEqual({ name: '小明有限公司', taxId: null, touchedAt: T0 + 1 });
      const nobody = await commit('setBilling', { accountId: 'acc_unknown', name: null, taxId: null, at: T0 });
      expect(nobody).toEqual({ ok: false, reason: 'not_found' });
    });
  });
}
