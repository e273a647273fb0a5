// What the operator's console asks and changes: the log of actions, edits that meet, searches and sums.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Severity } from '../../../src/kit/alarms.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import type { Action, Loss } from '../../../src/store/rows.ts';
import { loss } from './losses.ts';
import {
  admitted,
  createAccount,
  DAY,
  findAccounts,
  fresh,
  issueCards,
  paid,
  redeeming,
  renewLease,
  sampleKey,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

function action(fields: Partial<Action> = {}): Action {
  return {
    at: T0,
    actor: 'token',
    action: 'tests.act',
    subject: fresh('subject'),
    detail: { why: '"\\ 原因' },
    ...fields,
  };
}

export function describeOperating(open: OpenSubject): void {
  describe('the operator’s console', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());
    const logged = (query: Record<string, unknown>) => subject.store.read.actions({ limit: 50, ...query });

    test('the log tells the newest first, by actor, area, action and subject, page by page', async () => {
      const own = await open();
      try {
        const lines = ['cards.issue', 'cards.void', 'cardsharp.act', 'accounts.credit'].map((name, index) =>
          action({ action: name, at: T0 + index, actor: index === 1 ? 'cli' : 'token' }),
        );
        for (const log of lines) await own.store.commit('note', { log });
        const { read } = own.store;
        const all = await read.actions({ limit: 10 });
        expect(all.map(({ actionId, ...rest }) => rest)).toEqual(lines.toReversed());
        expect((await read.actions({ limit: 10, action: 'cards.' })).map((one) => one.action)).toEqual([
          'cards.void',
          'cards.issue',
        ]);
        expect(await read.actions({ limit: 10, action: 'cards.void', actor: 'cli' })).toHaveLength(1);
        expect(await read.actions({ limit: 10, action: 'cards.void', actor: 'token' })).toHaveLength(0);
        expect(await read.actions({ limit: 10, subject: lines[2]?.subject })).toHaveLength(1);
        expect((await read.actions({ limit: 1, before: all[0]?.actionId })).map((one) => one.action)).toEqual([
          'cardsharp.act',
        ]);
      } finally {
        await own.close();
      }
    });

    test('the log cannot be changed, not even by SQL', async () => {
      await subject.store.commit('note', { log: action() });
      for (const statement of [`UPDATE audit_log SET actor = 'nobody'`, 'DELETE FROM audit_log']) {
        expect(await subject.sql(statement).catch((error) => error.message)).toContain('append-only');
      }
    });

    test('what changed something is logged with it; what was refused is not', async () => {
      const { store } = subject;
      const { accountId, keyId } = await createAccount(store, 5n);
      const by = (name: string) => ({ log: action({ action: name, subject: accountId }) });
      const names = async () => (await logged({ subject: accountId })).map((one) => one.action).toReversed();
      const credit = { accountId, amount: 10n, reference: fresh('reference'), reason: 'x', at: T0 };
      await store.commit('credit', { ...credit, ...by('a') });
      await store.commit('credit', { ...credit, ...by('never') }).catch(() => {});
      await store.commit('credit', { ...credit, accountId: 'acc_unknown', ...by('never') });
      const freeze = (name: string) => store.commit('freeze', { accountId, frozen: true, at: T0, ...by(name) });
      expect(await Promise.all([freeze('b'), freeze('never')])).toEqual([{ wasAlready: false }, { wasAlready: true }]);
      await store.commit('freeze', { accountId: 'acc_unknown', frozen: true, at: T0, ...by('never') }).catch(() => {});
      await store.commit('createKey', { key: sampleKey(accountId), at: T0, ...by('c') });
      await store.commit('revokeKey', { accountId, keyId, at: T0, ...by('d') });
      await store.commit('revokeKey', { accountId, keyId, at: T0, ...by('never') });
      const { cards } = await issueCards(store, 1);
      const hash = cards[0]?.hash ?? '';
      await store.commit('void', { hash, ...by('e') });
      await store.commit('void', { hash, ...by('never') });
      await store.commit('void', { hash: 'unknown', ...by('never') });
      await store.commit('deleteIncident', { incidentId: 'inc_unknown', ...by('never') });
      const claim = (value: string, name: string) =>
        store.commit('claim', { name: 'alarm_seen:7', value, ...by(name) });
      const [first, second] = await Promise.all([claim('token', 'f'), claim('cli', 'never')]);
      expect([first, second]).toEqual([
        { value: 'token', isFirst: true },
        { value: 'token', isFirst: false },
      ]);
      expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    });

    test('two edits of one revision: one is made, the other is stale', async () => {
      const own = await open();
      try {
        const revise = (name: string, expects?: number) =>
          own.store.commit('revise', {
            document: name,
            source: 'operator',
            sourceHash: name,
            at: T0,
            expects,
            log: action({ action: 'config.apply', subject: name }),
          });
        expect(await revise('first')).toEqual({ ok: true });
        const both = await Promise.all([revise('left', 1), revise('right', 1)]);
        expect(both).toEqual([{ ok: true }, { ok: false, reason: 'stale' }]);
        expect(await revise('late', 1)).toEqual({ ok: false, reason: 'stale' });
        const newest = await own.store.read.newestRevision();
        expect(newest).toMatchObject({ document: 'left', actor: 'token', action: 'config.apply' });
        expect(await revise('next', newest?.revision)).toEqual({ ok: true });
        expect(await revise('unasked')).toEqual({ ok: true });
        const list = await own.store.read.revisions(Number.MAX_SAFE_INTEGER, 2);
        expect(list.map(({ sourceHash }) => sourceHash)).toEqual(['unasked', 'next']);
        const older = await own.store.read.revisions(list[1]?.revision ?? 0, 10);
        expect(older.map(({ sourceHash }) => sourceHash)).toEqual(['left', 'first']);
        expect(await own.store.read.actions({ limit: 10, action: 'config.apply' })).toHaveLength(4);
      } finally {
        await own.close();
      }
    });

    test('the line of a revision names the number that the database gave it, before whatever else it tells', async () => {
      const own = await open();
      try {
        const { commit, read } = own.store;
        const revise = (name: string, detail = {}) =>
          commit('revise', {
            document: name,
            source: 'operator',
            sourceHash: name,
            at: T0,
            log: action({ action: 'config.apply', subject: name, detail }),
          });
        const odd = { note: '"{}", \\ and 價格', of: { revision: 0 }, list: [] };
        // Those of one batch as well: they are written together.
        await Promise.all([revise('a'), revise('b', odd), revise('c', { revisions: 2 })]);
        await revise('d');
        const made = await read.revisions(Number.MAX_SAFE_INTEGER, 10);
        const lines = await read.actions({ limit: 10, action: 'config.apply' });
        const details: Record<string, object> = { b: odd, c: { revisions: 2 } };
        expect(lines.map(({ subject: name, detail }) => [name, detail])).toEqual(
          made.map(({ sourceHash: name, revision }) => [name, { revision, ...details[name] }]),
        );
        expect(lines).toHaveLength(4);
        for (const { detail } of lines) expect(Object.keys(detail)[0]).toBe('revision');
      } finally {
        await own.close();
      }
    });

    test('alarms are open until somebody says to have seen them', async () => {
      await subject.store.recordAlarm({ name: 'usage_invalid', fields: { request_id: 'req_x' } }, T0);
      await subject.store.recordAlarm({ name: 'store_failed', fields: {} }, T0 + 1);
      const [young, old] = await subject.store.read.alarms({ limit: 2 });
      expect(young).toMatchObject({ name: 'store_failed', acknowledgedAt: null, acknowledgedBy: null });
      expect(old).toMatchObject({ name: 'usage_invalid', at: T0, fields: { request_id: 'req_x' } });
      const seen = action({ action: 'alarms.acknowledge', subject: String(old?.alarmId), at: T0 + 9 });
      await subject.store.commit('note', { log: seen });
      await subject.store.commit('note', { log: { ...seen, at: T0 + 10, actor: 'cli' } });
      const again = await subject.store.read.alarms({ limit: 1, alarmId: old?.alarmId });
      expect(again).toMatchObject([{ acknowledgedAt: T0 + 9, acknowledgedBy: 'token' }]);
      const opened = await subject.store.read.alarms({ limit: 10, openOnly: true });
      expect(opened.map(({ alarmId }) => alarmId)).not.toContain(old?.alarmId);
      expect(await subject.store.read.alarms({ limit: 10, before: old?.alarmId })).toHaveLength(0);
    });

    test('alarms of one name are seen together, up to one of them', async () => {
      const own = await open();
      try {
        const names = ['usage_invalid', 'usage_invalid', 'wallet_wrong', 'usage_invalid'] as const;
        for (const [index, name] of names.entries()) await own.store.recordAlarm({ name, fields: {} }, T0 + index);
        const [third, wrong, second, first] = await own.store.read.alarms({ limit: 9 });
        // The more severe one is first, although it is older.
        expect(await own.store.read.openAlarms({ limit: 9 })).toMatchObject([
          { name: 'wallet_wrong', open: 1, newestId: wrong?.alarmId, newestAt: T0 + 2 },
          { name: 'usage_invalid', open: 3, newestId: third?.alarmId, firstAt: T0, newestAt: T0 + 3 },
        ]);
        const through = second?.alarmId ?? 0;
        expect(await own.store.read.openAlarms({ name: 'usage_invalid', through, limit: 9 })).toMatchObject([
          { open: 2 },
        ]);
        const subject = `usage_invalid:${through}`;
        await own.store.commit('note', { log: action({ action: 'alarms.acknowledge_all', subject, at: T0 + 9 }) });
        const opened = await own.store.read.alarms({ limit: 9, openOnly: true });
        expect(opened.map(({ alarmId }) => alarmId)).toEqual([third?.alarmId ?? 0, wrong?.alarmId ?? 0]);
        const ofName = await own.store.read.alarms({ limit: 9, name: 'usage_invalid' });
        expect(ofName.map(({ acknowledgedAt }) => acknowledgedAt)).toEqual([null, T0 + 9, T0 + 9]);
        expect(ofName.at(-1)).toMatchObject({ alarmId: first?.alarmId, acknowledgedBy: 'token' });
        expect(await own.store.read.openAlarms({ limit: 9 })).toMatchObject([{ open: 1 }, { open: 1 }]);
      } finally {
        await own.close();
      }
    });

    test('alarms of one name and subject are a group, which is seen by itself', async () => {
      const own = await open();
      try {
        const raise = (fields: object, at: number) =>
          own.store.recordAlarm({ name: 'usage_invalid', fields: { request_id: `req_${at}`, ...fields } }, T0 + at);
        await raise({ channel: 'up2' }, 1);
        await raise({ channel: 'up' }, 2);
        await raise({ channel: 'up', account_id: 'acc_1' }, 3);
        await raise({ channel: 'up' }, 4);
        await raise({}, 5);
        const groups = await own.store.read.openAlarms({ limit: 9 });
        expect(groups.map(({ subject, open: many, firstAt, newestAt }) => [subject, many, firstAt, newestAt])).toEqual([
          ['', 1, T0 + 5, T0 + 5],
          ['up', 2, T0 + 2, T0 + 4],
          ['acc_1', 1, T0 + 3, T0 + 3],
          ['up2', 1, T0 + 1, T0 + 1],
        ]);
        expect(groups[1]?.newestFields).toEqual({ request_id: 'req_4', channel: 'up' });
        const next = (severity: Severity, index: number) =>
          own.store.read.openAlarms({ limit: 1, after: { severity, newestId: groups[index]?.newestId ?? 0 } });
        expect(await next('info', 2)).toMatchObject([{ subject: 'up2' }]);
        expect(await next('warning', 2)).toMatchObject([{ subject: '' }]);
        expect([await next('info', 3), await next('critical', 3)]).toMatchObject([[], [{ subject: '' }]]);
        const subject = `usage_invalid up:${groups[1]?.newestId}`;
        await own.store.commit('note', { log: action({ action: 'alarms.acknowledge_group', subject, at: T0 + 9 }) });
        await raise({ channel: 'up' }, 10);
        const left = await own.store.read.openAlarms({ limit: 9 });
        expect(left.map((group) => [group.subject, group.open])).toEqual([
          ['up', 1],
          ['', 1],
          ['acc_1', 1],
          ['up2', 1],
        ]);
        const ofGroup = await own.store.read.alarms({ limit: 9, name: 'usage_invalid', subject: 'up' });
        expect(ofGroup.map(({ acknowledgedAt }) => acknowledgedAt)).toEqual([null, T0 + 9, T0 + 9]);
        expect(await own.store.read.alarms({ limit: 9, openOnly: true })).toHaveLength(4);
      } finally {
        await own.close();
      }
    });

    test('accounts are found by what a customer can name, and by nothing that only looks like it', async () => {
      const { store } = subject;
      const { accountId, keyId } = await createAccount(store, 7n);
      const last4 = 'Wx9_';
      await store.commit('createKey', { key: sampleKey(accountId, { last4 }), at: T0 });
      const login = { accountId, before: null, name: fresh('name'), passwordHash: 'x', at: T0 };
      await store.commit('setLogin', login);
      const { cards } = await issueCards(store, 2);
      await store.commit('redeem', redeeming(accountId, cards[0]?.hash ?? ''));
      await renewLease(store);
      const hold = paid({ accountId, keyId }, { hold: { base: 1n, unit: 0n } });
      await admitted(store, hold);
      const find = async (text: string) => (await findAccounts(store, { text })).map((one) => [one.accountId, one.by]);
      for (const [text, by] of [
        [accountId, 'account'],
        [keyId, 'key'],
        [last4, 'last4'],
        [login.name.toUpperCase(), 'login'],
        [hold.requestId, 'request'],
      ] as const) {
        expect(await find(text)).toEqual([[accountId, by]]);
      }
      await store.commit('settle', settling(hold, 1n));
      expect(await find(hold.requestId)).toEqual([[accountId, 'request']]);
      for (const text of ['', '%', 'acc_', 'Wx9%', `' OR 1=1 --`]) expect(await find(text)).toEqual([]);
      expect(await findAccounts(store, { text: accountId })).toMatchObject([{ balance: 106n, frozen: false }]);
      const byCode = (cardHash = '') => findAccounts(store, { cardHash });
      expect(await byCode(cards[0]?.hash)).toMatchObject([{ accountId, by: 'card_code' }]);
      expect(await byCode(cards[1]?.hash)).toEqual([]);
      expect(await find(cards[0]?.hash ?? '')).toEqual([]);
      expect(await store.read.accountSince(accountId)).toBe(T0);
      expect(await store.read.accountSince('acc_unknown')).toBeUndefined();
    });

    test('cards are counted and listed by state, the expired apart', async () => {
      const { store } = subject;
      const { batchId, cards } = await issueCards(store, 4, { kind: 'promo', expiresAt: T0 + 10 });
      const { accountId } = await createAccount(store);
      await store.commit('redeem', redeeming(accountId, cards[0]?.hash ?? ''));
      await store.commit('void', { hash: cards[1]?.hash ?? '' });
      const counts = async (at: number) =>
        Object.fromEntries((await store.read.cardCounts(batchId, at)).map((one) => [one.state, one.cards]));
      expect(await counts(T0)).toEqual({ issued: 2, redeemed: 1, voided: 1 });
      expect(await counts(T0 + 10)).toEqual({ expired: 2, redeemed: 1, voided: 1 });
      expect((await store.read.cardCounts(undefined, T0)).filter((one) => one.batchId === batchId)).toHaveLength(3);
      const issued = (isOver: boolean, at: number) =>
        store.read.cards({ batchId, state: 'issued', expiry: { at, isOver }, limit: 10 });
      expect(await issued(false, T0)).toHaveLength(2);
      expect(await issued(true, T0)).toHaveLength(0);
      expect(await issued(false, T0 + 10)).toHaveLength(0);
      expect(await issued(true, T0 + 10)).toHaveLength(2);
      expect(await store.read.cardBatch(batchId)).toMatchObject({ count: 4, kind: 'promo' });
      expect(await store.read.cardBatch('batch_unknown')).toBeUndefined();
    });

    test('cards page by page, the newest batch first, by serial', async () => {
      const own = await open();
      try {
        const { read } = own.store;
        const batches = [await issueCards(own.store, 3), await issueCards(own.store, 2)];
        const whole = (await read.cards({ limit: 10 })).map(({ serial }) => serial);
        expect(whole.toSorted()).toEqual(batches.flatMap(({ cards }) => cards.map(({ serial }) => serial)).toSorted());
        const first = await read.cards({ limit: 2 });
        const second = await read.cards({ limit: 2, after: first.at(-1) });
        const third = await read.cards({ limit: 2, after: second.at(-1) });
        expect([...first, ...second, ...third].map(({ serial }) => serial)).toEqual(whole);
      } finally {
        await own.close();
      }
    });

    test('revenue by day, usage by channel, house accounts and write-offs', async () => {
      const own = await open();
      try {
        const { store } = own;
        await renewLease(store);
        const accounts = [await createAccount(store), await createAccount(store)];
        for (const account of accounts) {
          const hold = paid(account, { hold: { base: 100n, unit: 0n } });
          await admitted(store, hold);
          await store.commit('settle', settling(hold, account === accounts[0] ? 40n : 130n));
        }
        const day = taipeiDay(T0);
        expect(await store.read.revenueByDay(day)).toEqual([{ day, requests: 2, accounts: 2, revenue: 140n }]);
        expect(await store.read.revenueByDay(day + 1)).toEqual([]);
        expect(await store.read.useByModel(day)).toEqual([{ model: 'asked', requests: 2, accounts: 2, revenue: 140n }]);
        expect(await store.read.useByModel(day + 1)).toEqual([]);
        expect(await store.read.channelDays('channel-a', day, day + 1)).toMatchObject([
          { day, model: 'asked', requests: 2, input: 80, output: 40, cost: 140n },
        ]);
        expect(await store.read.channelDays('channel-a', day + 1, day + 9)).toEqual([]);
        expect(await store.read.channelDays('channel-b', day, day + 1)).toEqual([]);
        expect(await store.read.channelRevisions('channel-a', day)).toMatchObject([
          { day, revision: 3, model: 'asked', requests: 2, input: 80, output: 40, cost: 140n },
        ]);
        expect(await store.read.channelRevisions('channel-a', day - 1)).toEqual([]);
        expect(await store.read.channelRevisions('channel-b', day)).toEqual([]);
        expect(await store.read.houseAccounts()).toEqual({
          'house:revenue': 170n,
          'house:trial': -2_000_000_000n,
          'house:write_off': -30n,
        });
        expect(await store.read.writeOffs(10)).toMatchObject([{ kind: 'write_off', amount: 30n, accountId: null }]);
      } finally {
        await own.close();
      }
    });

    test('sales of a day and of a part of it, what sold most, and whose balance is low', async () => {
      const own = await open();
      try {
        const { store } = own;
        await renewLease(store);
        const [first, second] = [await createAccount(store), await createAccount(store)];
        const use = async (account: typeof first, at: number, cost: bigint, outcome: object, items: Loss[] = []) => {
          const hold = paid(account, { at, hold: { base: 100n, unit: 0n } });
          await admitted(store, hold);
          const losses = items.length > 0 ? { items, guard: null } : undefined;
          await store.commit('settle', { ...settling(hold, cost, { at, ...outcome }), losses });
        };
        await use(first, T0, 40n, { model: 'one', upstreamCost: 15n });
        await use(first, T0 + 1_000, 0n, { model: 'one', status: 'upstream_failed' }, [loss({ amount: 7n })]);
        await use(second, T0 + 2_000, 90n, { model: 'two' });
        const day = taipeiDay(T0);
        // The first request has a known upstream cost of 15, and the failed one lost 7.
        const sales = { requests: 3, failed: 1, accounts: 2, revenue: 130n, profit: 40n - 15n - 7n };
        expect(await store.read.salesOfDay(day)).toEqual(sales);
        const none = { requests: 0, failed: 0, accounts: 0, revenue: 0n, profit: 0n };
        expect(await store.read.salesOfDay(day - 1)).toEqual(none);
        const unknown = { requests: 1, failed: 0, accounts: 1, revenue: 90n, profit: null };
        expect(await store.read.salesBetween(T0 + 2_000, T0 + 2_001)).toEqual(unknown);
        expect(await store.read.salesBetween(T0, T0 + 1_000)).toMatchObject({ profit: 25n });
        expect(await store.read.salesBetween(T0, T0 + 2_001)).toEqual(sales);
        const before = { requests: 2, failed: 1, accounts: 1, revenue: 40n, profit: 18n };
        expect(await store.read.salesBetween(T0, T0 + 2_000)).toEqual(before);
        expect(await store.read.mostSold('model', day, 9)).toEqual([
          { part: 'two', requests: 1, revenue: 90n },
          { part: 'one', requests: 2, revenue: 40n },
        ]);
        expect(await store.read.mostSold('account', day, 1)).toEqual([
          { part: second.accountId, requests: 1, revenue: 90n },
        ]);
        // Whoever never paid has only the trial credit, which is always low.
        expect(await store.read.lowBalances(day, 9)).toEqual([]);
        for (const { accountId } of [first, second]) {
          const amount = accountId === first.accountId ? 9n : 5_000_000_000n;
          const kind = accountId === first.accountId ? ('topup' as const) : ('credit' as const);
          await store.commit('credit', { accountId, amount, kind, reference: fresh('ref'), reason: 'r', at: T0 });
        }
        const low = { accountId: first.accountId, balance: 1_000_000_000n - 40n + 9n, spent: 40n };
        expect(await store.read.lowBalances(day, 9)).toEqual([low]);
        expect(await store.read.lowBalances(day + 1, 9)).toEqual([]);
      } finally {
        await own.close();
      }
    });

    test('refunds reduce the sales of their own time, and profit where the cost of their request is known', async () => {
      const own = await open();
      try {
        const { store } = own;
        await renewLease(store);
        const account = await createAccount(store);
        const { accountId } = account;
        const requests = [];
        for (const upstreamCost of [15n, null]) {
          const hold = paid(account, { at: T0, hold: { base: 100n, unit: 0n } });
          await admitted(store, hold);
          await store.commit('settle', settling(hold, 40n, { at: T0, upstreamCost }));
          requests.push({ kind: 'request' as const, id: hold.requestId, charged: 40n, paid: null });
        }
        for (const of of requests) {
          const reference = fresh('ref');
          await store.commit('refund', { accountId, of, amount: 10n, reference, reason: 'r', at: T0 + DAY });
        }
        const day = taipeiDay(T0);
        expect(await store.read.salesOfDay(day)).toMatchObject({ revenue: 80n, profit: 25n });
        expect(await store.read.revenueByDay(day)).toEqual([
          { day, requests: 2, accounts: 1, revenue: 80n },
          { day: day + 1, requests: 0, accounts: 0, revenue: -20n },
        ]);
        const refunded = { requests: 0, failed: 0, accounts: 0, revenue: -20n, profit: -10n };
        expect(await store.read.salesOfDay(day + 1)).toEqual(refunded);
        expect(await store.read.salesBetween(T0, T0 + DAY)).toMatchObject({ revenue: 80n, profit: 25n });
        expect(await store.read.salesBetween(T0, T0 + DAY + 1)).toMatchObject({ revenue: 60n, profit: 15n });
      } finally {
        await own.close();
      }
    });
  });
}
