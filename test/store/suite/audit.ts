// The audit: silent on sound books, and it names every kind of tampering.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { AdmitInput } from '../../../src/store/operations.ts';
import type { AuditScope, Difference } from '../../../src/store/reads.ts';
import { HOUSE_ACCOUNTS, type KeyRow } from '../../../src/store/rows.ts';
import { addKey, paidBy } from './key-tree.ts';
import { loss } from './losses.ts';
import {
  type Account,
  admitted,
  createAccount,
  free,
  fresh,
  issueCards,
  paid,
  redeeming,
  renewLease,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

interface Planted {
  what: Difference['what'];
  /** Which passes find it. */
  passes: readonly ('full' | 'short')[];
  statement(account: Account): string;
  /** The account, if nothing else is said. */
  subject?: string;
  /** `ACCOUNT` stands for the account's id. */
  expected: string;
  found: string;
}

const unowned = (kind: string, debit: string, credit: string) => `INSERT INTO entries
  (at, kind, debit, credit, amount_nano, account_id, balance_after_nano, reference)
  VALUES (1, '${kind}', '${debit}', '${credit}', 11, NULL, NULL, 'planted')`;

interface Told {
  subject: 'top' | 'low' | 'session' | 'request';
  expected: string;
  found: string;
}

const BOTH = ['full', 'short'] as const;

const PLANTED: Record<string, Planted> = {
  'a balance that was raised': {
    what: 'balance',
    passes: BOTH,
    statement: ({ accountId }) =>
      `UPDATE wallets SET balance_nano = balance_nano + 1 WHERE account_id = '${accountId}'`,
    expected: '9650',
    found: '9651',
  },
  'a hold that no wallet knows': {
    what: 'held',
    passes: BOTH,
    statement: ({ accountId }) => `UPDATE wallets SET held_nano = held_nano - 5 WHERE account_id = '${accountId}'`,
    expected: '2000',
    found: '1995',
  },
  'a count of paid requests': {
    what: 'in_flight',
    passes: BOTH,
    statement: ({ accountId }) => `UPDATE wallets SET in_flight = 4 WHERE account_id = '${accountId}'`,
    expected: '1',
    found: '4',
  },
  'a count of free requests': {
    what: 'free_in_flight',
    passes: BOTH,
    statement: ({ accountId }) => `UPDATE wallets SET free_in_flight = 0 WHERE account_id = '${accountId}'`,
    expected: '1',
    found: '0',
  },
  'an entry with another balance after it': {
    what: 'chain',
    passes: BOTH,
    statement: ({ accountId }) =>
      `UPDATE entries SET balance_after_nano = 9999 WHERE kind = 'card' AND account_id = '${accountId}'`,
    expected: '10050',
    found: '9999',
  },
  'a budget that holds more than its requests': {
    what: 'budget_held',
    passes: ['full'],
    statement: ({ keyId }) => `UPDATE budgets SET held_nano = held_nano + 7 WHERE key_id = '${keyId}'`,
    subject: 'key',
    expected: '2000',
    found: '2007',
  },
  'a budget that is gone while its requests run': {
    what: 'budget_held',
    passes: ['full'],
    statement: ({ keyId }) => `DELETE FROM budgets WHERE key_id = '${keyId}'`,
    subject: 'key',
    expected: '2000',
    found: '0',
  },
  'usage that another house account got': {
    what: 'sides',
    passes: ['full'],
    statement: () => `UPDATE entries SET credit = 'house:trial' WHERE reference = 'req_settled'`,
    subject: 'req_settled',
    expected: 'ACCOUNT > house:revenue',
    found: 'ACCOUNT > house:trial',
  },
  'a credit that another house account paid': {
    what: 'sides',
    passes: ['full'],
    statement: ({ accountId }) =>
      `UPDATE entries SET debit = 'house:credit' WHERE kind = 'trial' AND account_id = '${accountId}'`,
    subject: 'ACCOUNT',
    expected: 'house:trial > ACCOUNT',
    found: 'house:credit > ACCOUNT',
  },
  'a sold card that was paid as a gift': {
    what: 'sides',
    passes: ['full'],
    statement: () => `UPDATE entries SET debit = 'house:cards_promo' WHERE kind = 'card'`,
    subject: 'redeemed',
    expected: 'house:cards_sold > ACCOUNT',
    found: 'house:cards_promo > ACCOUNT',
  },
  'money of an account that no wallet was asked for': {
    what: 'sides',
    passes: ['full'],
    statement: ({ accountId }) => unowned('write_off', accountId, 'house:revenue'),
    subject: 'planted',
    expected: 'house:write_off > house:revenue',
    found: 'ACCOUNT > house:revenue',
  },
  'usage of nobody': {
    what: 'sides',
    passes: ['full'],
    statement: () => unowned('usage', 'house:credit', 'house:revenue'),
    subject: 'planted',
    expected: '? > house:revenue',
    found: 'house:credit > house:revenue',
  },
  'an entry of a kind that there is not': {
    what: 'sides',
    passes: ['full'],
    statement: () => unowned('gift', 'house:write_off', 'house:revenue'),
    subject: 'planted',
    expected: '? > ?',
    found: 'house:write_off > house:revenue',
  },
  'a usage record whose cost nobody paid': {
    what: 'settlement',
    passes: ['full'],
    statement: () => `UPDATE usage_records SET cost_nano = cost_nano + 1 WHERE request_id = 'req_settled'`,
    subject: 'req_settled',
    expected: '401',
    found: '400',
  },
  'a usage record that is gone': {
    what: 'settlement',
    passes: ['full'],
    statement: () => `DELETE FROM usage_records WHERE request_id = 'req_settled'`,
    subject: 'req_settled',
    expected: '0',
    found: '400',
  },
  'a day of usage that says another cost than its records': {
    what: 'usage_day',
    passes: ['full'],
    statement: () => 'UPDATE usage_days SET cost_nano = cost_nano + 3',
    expected: '400',
    found: '403',
  },
  'a usage record that no day has counted': {
    what: 'usage_day',
    passes: ['full'],
    statement: () => 'DELETE FROM usage_days',
    expected: '400',
    found: '0',
  },
  'a day that counts more requests than it had': {
    what: 'usage_day',
    passes: ['full'],
    statement: () => 'UPDATE usage_days SET requests = 2',
    expected: '1',
    found: '2',
  },
  'a day of usage that says another upstream cost than its records': {
    what: 'usage_day',
    passes: ['full'],
    statement: () => 'UPDATE usage_days SET upstream_nano = upstream_nano + 3',
    expected: '250',
    found: '253',
  },
  'a day that knows the cost of more requests than it had': {
    what: 'usage_day',
    passes: ['full'],
    statement: () => 'UPDATE usage_days SET known_requests = 2',
    expected: '1',
    found: '2',
  },
  'a day that knows the cost of more revenue than it had': {
    what: 'usage_day',
    passes: ['full'],
    statement: () => 'UPDATE usage_days SET known_revenue_nano = 401',
    expected: '400',
    found: '401',
  },
  'a sum of losses that says more than its rows': {
    what: 'loss_sum',
    passes: ['full'],
    statement: () => 'UPDATE loss_sums SET amount_nano = amount_nano + 1',
    expected: '60',
    found: '61',
  },
  'losses that no sum has counted': {
    what: 'loss_sum',
    passes: ['full'],
    statement: () => 'DELETE FROM loss_sums',
    expected: '60',
    found: '0',
  },
  'a day of losses that says more than its rows': {
    what: 'loss_day',
    passes: ['full'],
    statement: () => 'UPDATE loss_days SET amount_nano = amount_nano + 1',
    expected: '60',
    found: '61',
  },
  'a day of losses that says less than its rows': {
    what: 'loss_day',
    passes: ['full'],
    statement: () => 'UPDATE loss_days SET amount_nano = 0',
    expected: '60',
    found: '0',
  },
  'losses without their day': {
    what: 'loss_day',
    passes: ['full'],
    statement: () => 'DELETE FROM loss_days',
    expected: '60',
    found: '0',
  },
  'a redeemed card without its entry': {
    what: 'card',
    passes: ['full'],
    statement: ({ accountId }) =>
      `UPDATE cards SET state = 'redeemed', redeemed_by = '${accountId}', redeemed_at = 1 WHERE state = 'issued'`,
    subject: 'card',
    expected: '50',
    found: '0',
  },
  'a paid part that was raised': {
    what: 'paid',
    passes: ['full'],
    statement: ({ accountId }) => `UPDATE wallets SET paid_nano = paid_nano + 3 WHERE account_id = '${accountId}'`,
    expected: '50',
    found: '53',
  },
  'a refund that no entry tells': {
    what: 'refund',
    passes: ['full'],
    statement: ({ accountId }) => `INSERT INTO refunded VALUES ('req_planted', '${accountId}', 9, 4)`,
    subject: 'req_planted',
    expected: '0',
    found: '4',
  },
  'money from an account that does not exist': {
    what: 'total',
    passes: BOTH,
    statement: ({ accountId }) =>
      `INSERT INTO entries (at, kind, debit, credit, amount_nano, account_id, balance_after_nano, reference)
       VALUES (1, 'credit', 'house:nowhere', '${accountId}', 11, '${accountId}', 9661, 'planted')`,
    subject: 'ledger',
    expected: '0',
    found: '11',
  },
};

export function describeAudit(open: OpenSubject): void {
  describe('the audit', () => {
    let subject: StoreSubject;
    let account: Account;
    let serials: string[];
    beforeEach(async () => {
      subject = await open();
      const { store } = subject;
      await renewLease(store);
      account = await createAccount(store, 10_000n);
      const { cards } = await issueCards(store, 2, { amount: 50n });
      serials = cards.map(({ serial }) => serial);
      await store.commit('redeem', redeeming(account.accountId, cards[0]?.hash ?? ''));
      const settled = paid(account, { requestId: 'req_settled' });
      await admitted(store, settled);
      await store.commit('settle', {
        ...settling(settled, 400n, { upstreamCost: 250n }),
        losses: { items: [loss({ amount: 60n }), loss({ reason: 'free_model', amount: 7n })], guard: null },
      });
      await admitted(store, paid(account));
      await admitted(store, free(account));
    });
    afterEach(() => subject.close());

    const scopes: Record<'full' | 'short', AuditScope> = { full: {}, short: { since: { touchedAt: T0, entryId: 0 } } };

    test('finds nothing wrong with sound books', async () => {
      const full = await subject.store.read.audit({});
      expect(full).toMatchObject({ wallets: 1, entries: 3, total: 0n, differences: [] });
      expect(full.house).toEqual({ 'house:trial': -10_000n, 'house:cards_sold': -50n, 'house:revenue': 400n });
      const short = await subject.store.read.audit(scopes.short);
      expect(short).toMatchObject({ wallets: 1, entries: 3, total: 0n, differences: [] });
      const idle = await subject.store.read.audit({ since: { touchedAt: T0 + 1_000_000, entryId: 3 } });
      expect(idle).toMatchObject({ wallets: 0, entries: 0, differences: [] });
    });

    test.each(Object.keys(PLANTED))('finds %s', async (name) => {
      const planted = PLANTED[name];
      if (!planted) throw new Error(name);
      const { what, statement, passes } = planted;
      await subject.plant(statement(account));
      const named = (text: string) => text.replace('ACCOUNT', account.accountId);
      const known: Record<string, string | undefined> = { key: account.keyId, redeemed: serials[0], card: serials[1] };
      const who = known[planted.subject ?? ''] ?? named(planted.subject ?? 'ACCOUNT');
      for (const pass of ['full', 'short'] as const) {
        const { differences } = await subject.store.read.audit(scopes[pass]);
        const difference = { what, subject: who, expected: named(planted.expected), found: named(planted.found) };
        if (passes.includes(pass)) expect(differences).toContainEqual(difference);
        else expect(differences).not.toContainEqual(difference);
      }
    });

    describe('of keys below keys', () => {
      let [top, low]: KeyRow[] = [];
      let held: AdmitInput;
      beforeEach(async () => {
        const { store } = subject;
        const limits = { sessionBudget: 3_000n };
        top = await addKey(store, account.accountId, { dailyBudget: 5_000n, limits });
        low = await addKey(store, account.accountId, {}, top.keyId);
        held = await paidBy(store, low, { session: 's' });
        await admitted(store, held);
      });

      const PLANTED_BELOW: [what: Difference['what'], statement: (topId: string, lowId: string) => string, Told][] = [
        [
          'budget_held',
          (id) => `UPDATE budgets SET held_nano = 0 WHERE key_id = '${id}'`,
          { subject: 'top', expected: '2000', found: '0' },
        ],
        [
          'budget_held',
          (_, id) => `UPDATE budgets SET held_nano = 2001 WHERE key_id = '${id}'`,
          { subject: 'low', expected: '2000', found: '2001' },
        ],
        [
          'budget_in_flight',
          (id) => `UPDATE budgets SET in_flight = 2 WHERE key_id = '${id}'`,
          { subject: 'top', expected: '1', found: '2' },
        ],
        [
          'session_held',
          (id) => `UPDATE session_budgets SET held_nano = 1 WHERE session_id = '${id}:s'`,
          { subject: 'session', expected: '2000', found: '1' },
        ],
        ['session_held', () => 'DELETE FROM session_budgets', { subject: 'request', expected: '2000', found: '0' }],
        [
          'key_limits',
          (id) => `UPDATE budgets SET limits = NULL WHERE key_id = '${id}'`,
          { subject: 'top', expected: '{"dayBudget":"5000","sessionBudget":"3000"}', found: 'none' },
        ],
        [
          'key_limits',
          (id) => `UPDATE keys SET daily_budget_nano = 1, limits = '{}' WHERE key_id = '${id}'`,
          {
            subject: 'top',
            expected: '{"dayBudget":"1"}',
            found: '{"dayBudget":"5000","sessionBudget":"3000"}',
          },
        ],
      ];

      test.each(PLANTED_BELOW)('finds %s that differs (%#)', async (what, statement, { subject: of, ...told }) => {
        const [topId, lowId] = [top?.keyId ?? '', low?.keyId ?? ''];
        expect((await subject.store.read.audit({})).differences).toEqual([]);
        await subject.plant(statement(topId, lowId));
        const named = { top: topId, low: lowId, session: `${topId}:s`, request: held.requestId }[of];
        expect((await subject.store.read.audit({})).differences).toEqual([{ what, subject: named, ...told }]);
      });
    });

    test('finds a wallet that is gone, and says what its entries sum to', async () => {
      const { accountId } = await createAccount(subject.store, 10n);
      await subject.plant(`DELETE FROM wallets WHERE account_id = '${accountId}'`);
      expect((await subject.store.read.audit({})).differences).toEqual([
        { what: 'wallet', subject: accountId, expected: '10', found: 'none' },
      ]);
    });

    test('knows every kind of entry that is posted', async () => {
      const { store } = subject;
      const { accountId } = account;
      const { cards } = await issueCards(store, 1, { amount: 7n, kind: 'promo' });
      await store.commit('redeem', redeeming(accountId, cards[0]?.hash ?? ''));
      const given = () => ({ accountId, reference: fresh('ref'), reason: 'r', at: T0 });
      await store.commit('credit', { ...given(), amount: 9n });
      await store.commit('credit', { ...given(), amount: 9n, kind: 'topup' });
      await store.commit('refund', { ...given(), amount: 9n });
      expect(await store.commit('payout', { ...given(), amount: 5n, fee: 1n })).toMatchObject({ ok: true });
      const over = paid(account);
      await admitted(store, over);
      expect(await store.commit('settle', settling(over, 1_000_000n))).toMatchObject({ state: 'closed' });
      const { house, differences } = await store.read.audit({});
      expect(differences).toEqual([]);
      expect(Object.keys(house).toSorted()).toEqual([...HOUSE_ACCOUNTS].toSorted());
    });

    describe('after a thaw that accepted an entry which was written while the wallet was wrong', () => {
      const raise = (by: number) =>
        subject.plant(
          `UPDATE wallets SET balance_nano = balance_nano + ${by} WHERE account_id = '${account.accountId}'`,
        );
      const credit = (amount: bigint) => {
        const { accountId } = account;
        return subject.store.commit('credit', { accountId, amount, reference: fresh('ref'), reason: 'r', at: T0 });
      };
      /** As `what expected found`, of each pass. */
      const told = (pass: 'full' | 'short') =>
        subject.store.read
          .audit(scopes[pass])
          .then(({ differences }) => differences.map(({ what, expected, found }) => `${what} ${expected} ${found}`));
      async function thaw(): Promise<void> {
        const { accountId } = account;
        const accepted = await subject.store.read.wrongChain(accountId);
        await subject.store.commit('freeze', { accountId, frozen: true, at: T0 });
        await subject.store.commit('freeze', { accountId, frozen: false, at: T0, accepted });
      }

      beforeEach(async () => {
        await raise(1_000);
        await credit(5n);
        expect(await told('short')).toEqual(['chain 9655 10655']);
        expect(await told('full')).toEqual(['balance 9655 10655', 'chain 9655 10655']);
      });

      test('a balance that was put right is right, and so is what is written next', async () => {
        await raise(-1_000);
        expect(await told('full')).toEqual(['chain 9655 10655']);
        expect(await subject.store.read.wrongChain(account.accountId)).toMatchObject({ balance: 9655n });
        await thaw();
        expect([await told('full'), await told('short')]).toEqual([[], []]);
        expect(await subject.store.read.wrongChain(account.accountId)).toBeUndefined();
        await credit(7n);
        await credit(7n);
        expect([await told('full'), await told('short')]).toEqual([[], []]);
        // Nobody else's chain is accepted with it.
        const other = await createAccount(subject.store, 10n);
        await subject.plant(`UPDATE entries SET balance_after_nano = 11 WHERE account_id = '${other.accountId}'`);
        expect(await told('full')).toEqual(['chain 10 11']);
        expect(await told('short')).toContain('chain 10 11');
      });

      test('a balance that was left wrong is found, and so is the next entry', async () => {
        await thaw();
        for (const pass of BOTH) expect(await told(pass)).toEqual(['balance 9655 10655']);
        await credit(7n);
        expect(await told('full')).toEqual(['balance 9662 10662', 'chain 9662 10662']);
        expect(await told('short')).toEqual(['chain 9662 10662']);
      });

      test('whatever becomes wrong later is found, and can be accepted by the next thaw', async () => {
        await raise(-1_000);
        await thaw();
        await raise(1);
        for (const pass of BOTH) expect(await told(pass)).toEqual(['balance 9655 9656']);
        await credit(7n);
        for (const pass of BOTH) expect(await told(pass)).toContain('chain 9662 9663');
        await raise(-1);
        await thaw();
        await credit(7n);
        for (const pass of BOTH) expect(await told(pass)).toEqual([]);
        await subject.plant(`UPDATE wallets SET held_nano = held_nano + 3 WHERE account_id = '${account.accountId}'`);
        for (const pass of BOTH) expect(await told(pass)).toEqual(['held 2000 2003']);
      });

      test('more spent than there was: the sum below 0 is what is held against', async () => {
        await raise(-1_000);
        await subject.plant(`UPDATE entries SET amount_nano = 400000 WHERE reference = 'req_settled'`);
        await thaw();
        const found = (await subject.store.read.audit(scopes.short)).differences;
        expect(found.map(({ what, expected }) => [what, expected])).toEqual([['balance', '-389945']]);
      });
    });
  });
}
