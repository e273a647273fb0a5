// The operator's list of accounts: what they are called, how they are sorted, and that its pages miss none.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import { ACCOUNT_SORTS, type AccountListQuery, type ListedAccount } from '../../../src/store/reads.ts';
import { type Account, admitted, createAccount, fresh, paid, releasing, renewLease, settling, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const LOG = { at: T0, actor: 'token', action: 'accounts.describe', subject: 'acc', detail: {} };

export function describeAccountList(open: OpenSubject): void {
  describe('the list of accounts', () => {
    let subject: StoreSubject;
    let accounts: Account[];
    const list = (query: Partial<AccountListQuery> = {}) =>
      subject.store.read.accountList({
        ...{ sort: 'created', isAscending: false, sinceDay: taipeiDay(T0) - 29, limit: 50 },
        ...query,
      });
    const ids = (rows: readonly ListedAccount[]) => rows.map(({ accountId }) => accountId);
    const idOf = (index: number) => accounts[index]?.accountId ?? '';

    beforeAll(async () => {
      subject = await open();
      const { store } = subject;
      await renewLease(store);
      accounts = [];
      for (let index = 0; index < 5; index++) accounts.push(await createAccount(store));
      const [first, second, third] = accounts as [Account, Account, Account];
      for (const account of [first, first, second]) {
        const call = paid(account);
        await admitted(store, call);
        await store.commit(
          'settle',
          account === second
            ? settling(call, 700n, { upstreamCost: 900n })
            : settling(call, 200n, { upstreamCost: 150n }),
        );
      }
      for (const account of [second, third]) {
        const call = paid(account);
        await admitted(store, call);
        await store.commit('release', releasing(call, false));
      }
      const nicknames = ['Ｂｅｅ 小王', 'ant_100%'];
      for (const [index, nickname] of nicknames.entries()) {
        await store.commit('describeAccount', { accountId: idOf(index), nickname, log: LOG });
      }
    });
    afterAll(() => subject.close());

    test('an account is described, in parts, and no other', async () => {
      const accountId = idOf(4);
      const describeIt = (given: { nickname?: string | null; note?: string | null }) =>
        subject.store.commit('describeAccount', { accountId, log: LOG, ...given });
      const { read } = subject.store;
      expect(await describeIt({ nickname: 'Shop' })).toEqual({ ok: true });
      await describeIt({ note: 'pays late' });
      expect(await read.accountNote(accountId)).toEqual({ nickname: 'Shop', note: 'pays late' });
      await describeIt({ nickname: null });
      expect(await read.accountNote(accountId)).toEqual({ nickname: null, note: 'pays late' });
      await describeIt({ note: null });
      expect(await read.accountNote(accountId)).toEqual({ nickname: null, note: null });
      const none = await subject.store.commit('describeAccount', { accountId: fresh('acc'), nickname: 'x', log: LOG });
      expect(none).toEqual({ ok: false, reason: 'not_found' });
      expect(await read.actions({ action: 'accounts.describe', limit: 50 })).toHaveLength(6);
    });

    test('each has its figures of the days that count', async () => {
      const [row] = await list({ wanted: { text: idOf(1) } });
      expect(row).toMatchObject({ accountId: idOf(1), nickname: 'ant_100%', note: null, frozen: false, by: 'account' });
      expect(row).toMatchObject({ spend: 700n, profit: -200n, requests: 2, failed: 1, lastSeenAt: T0 });
      const [later] = await list({ wanted: { text: idOf(1) }, sinceDay: taipeiDay(T0) + 1 });
      expect(later).toMatchObject({ spend: 0n, requests: 0, failed: 0, lastSeenAt: T0 });
      expect((await list({ wanted: { text: idOf(3) } }))[0]).toMatchObject({ spend: 0n, lastSeenAt: null });
    });

    test('it is sorted by each figure', async () => {
      const known = accounts.map(({ accountId }) => accountId);
      const order = async (query: Partial<AccountListQuery>) => ids(await list(query)).map((id) => known.indexOf(id));
      expect((await order({ sort: 'spend' })).slice(0, 2)).toEqual([1, 0]);
      expect((await order({ sort: 'profit' }))[0]).toBe(0);
      expect((await order({ sort: 'profit', isAscending: true }))[0]).toBe(1);
      expect((await order({ sort: 'balance', isAscending: true })).slice(0, 2)).toEqual([1, 0]);
      expect((await order({ sort: 'failure_rate' })).slice(0, 3)).toEqual([2, 1, 0]);
      expect((await order({ sort: 'nickname', isAscending: true })).slice(0, 2)).toEqual([1, 0]);
      expect((await order({ sort: 'last_seen' })).slice(3).sort()).toEqual([3, 4]);
    });

    test('a profit is unknown where no call has a known cost, and then last in both orders', async () => {
      const { store } = subject;
      const account = await createAccount(store);
      const call = paid(account);
      await admitted(store, call);
      await store.commit('settle', settling(call, 300n, { upstreamCost: null }));
      expect((await list({ wanted: { text: account.accountId } }))[0]).toMatchObject({ spend: 300n, profit: null });
      for (const isAscending of [true, false]) {
        const rows = await list({ sort: 'profit', isAscending });
        const firstUnknown = rows.findIndex(({ profit }) => profit === null);
        expect(firstUnknown).toBeGreaterThan(0);
        expect(rows.slice(firstUnknown).every(({ profit }) => profit === null)).toBe(true);
        expect(ids(rows.slice(firstUnknown))).toContain(account.accountId);
      }
      accounts.push(account);
    });

    test.each(ACCOUNT_SORTS.flatMap((sort) => [true, false].map((isAscending) => [sort, isAscending] as const)))(
      'pages by %s, ascending %p, are the list',
      async (sort, isAscending) => {
        const whole = ids(await list({ sort, isAscending }));
        expect(whole).toHaveLength(accounts.length);
        const paged: string[] = [];
        for (let after: AccountListQuery['after']; ; ) {
          const page = await list({ sort, isAscending, after, limit: 2 });
          paged.push(...ids(page.slice(0, 2)));
          if (page.length <= 2) break;
          after = page[1]?.place;
        }
        expect(paged).toEqual(whole);
      },
    );

    test('a part of a nickname finds it, whatever its case and width; signs are no patterns', async () => {
      const found = async (text: string) =>
        (await list({ wanted: { text } })).map(({ accountId, by }) => [accountId, by]);
      expect(await found('bee')).toEqual([[idOf(0), 'nickname']]);
      expect(await found('小王')).toEqual([[idOf(0), 'nickname']]);
      expect(await found('T_1')).toEqual([[idOf(1), 'nickname']]);
      for (const text of ['%', 'a%t', 'b_e', '\\'])
        expect(await found(text), text).toEqual(text === '%' ? [[idOf(1), 'nickname']] : []);
    });

    test('a refund reduces the profit as it does in the report of profit', async () => {
      const { store } = subject;
      const account = await createAccount(store);
      const { accountId } = account;
      const call = paid(account);
      await admitted(store, call);
      await store.commit('settle', settling(call, 300n, { upstreamCost: 100n }));
      const of = { kind: 'request' as const, id: call.requestId, charged: 300n, paid: null };
      await store.commit('refund', { accountId, of, amount: 250n, reference: fresh('ref'), reason: 'r', at: T0 });
      const [row] = await list({ wanted: { text: accountId } });
      expect(row).toMatchObject({ spend: 300n, profit: -50n });
      const day = taipeiDay(T0);
      const { sums } = await store.read.profit({ by: 'account', from: day, to: day + 1, limit: 99 });
      const sum = sums.find(({ key }) => key === accountId);
      expect((sum?.knownRevenue ?? 0n) - (sum?.cost ?? 0n) - (sum?.loss ?? 0n)).toBe(-50n);
      const order = ids(await list({ sort: 'profit', isAscending: true }));
      expect(order.slice(0, 2)).toEqual([idOf(1), accountId]);
    });
  });
}
