// Events: each is written by the operation that causes it, once, and read in the order of commits.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { EventType, Incident, KeyRow, NewEvent } from '../../../src/store/rows.ts';
import { appliedLine } from '../../support/applied-line.ts';
import { addKey, paidBy } from './key-tree.ts';
import { loss } from './losses.ts';
import {
  type Account,
  admitted,
  createAccount,
  createKey,
  DAY,
  fresh,
  issueCards,
  paid,
  redeeming,
  registration,
  releasing,
  renewLease,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const NTD = 1_000_000_000n;
const KEPT_DAYS = 30;

export function describeEvents(open: OpenSubject): void {
  describe('events', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
    });
    afterAll(() => subject.close());

    const eventsOf = async ({ accountId }: Pick<Account, 'accountId'>, types?: EventType[]) => {
      const found = await subject.store.read.eventsOf({ accountId, after: 0, types, limit: 100 });
      return found.filter((event) => event.accountId !== null);
    };
    const dataOf = async (account: Pick<Account, 'accountId'>, type: EventType): Promise<object[]> =>
      (await eventsOf(account, [type])).map(({ data }) => data);
    const newest = async () => (await subject.store.read.pulse()).newestEvent;
    const commonSince = async (after: number) =>
      (await subject.store.read.eventsSince(after, 100)).filter(({ accountId }) => accountId === null);
    async function spend(account: Account, cost: bigint, at = T0): Promise<void> {
      const input = paid(account, { at, hold: { base: cost, unit: 0n } });
      await admitted(subject.store, input);
      await subject.store.commit('settle', settling(input, cost, { at }));
    }

    test('a balance that falls below its threshold has one event, until it was above it again', async () => {
      const account = await createAccount(subject.store, 7n * NTD);
      await spend(account, NTD);
      await spend(account, NTD);
      expect(await dataOf(account, 'balance.low')).toEqual([]);
      await spend(account, 1n);
      await spend(account, NTD);
      const low = {
        balance_ntd: 4.999999999,
        balance_nano: '4999999999',
        balance_low_ntd: 5,
        balance_low_nano: '5000000000',
      };
      expect(await dataOf(account, 'balance.low')).toEqual([low]);
      const [card] = (await issueCards(subject.store, 1, { amount: 9n * NTD })).cards;
      await subject.store.commit('redeem', redeeming(account.accountId, card?.hash ?? ''));
      expect(await dataOf(account, 'balance.low')).toHaveLength(1);
      await spend(account, 9n * NTD);
      expect(await dataOf(account, 'balance.low')).toHaveLength(2);
    });

    test('the threshold of a balance is the account’s own; 0 is never reached', async () => {
      const account = await createAccount(subject.store, 9n * NTD);
      const { accountId } = account;
      const set = (balanceLow: bigint) => subject.store.commit('setBalanceLow', { accountId, balanceLow, at: T0 });
      expect(await set(8n * NTD)).toEqual({ ok: true });
      await spend(account, 2n * NTD);
      expect(await dataOf(account, 'balance.low')).toMatchObject([{ balance_ntd: 7, balance_low_ntd: 8 }]);
      await set(0n);
      await spend(account, 7n * NTD);
      expect(await subject.store.read.wallet(accountId)).toMatchObject({ balance: 0n, balanceLow: 0n });
      expect(await dataOf(account, 'balance.low')).toHaveLength(1);
    });

    test('an ordinary call has none, nor one that is released or swept', async () => {
      const account = await createAccount(subject.store, 9n * NTD);
      const key = await createKey(subject.store, account.accountId, { dailyBudget: 9n * NTD });
      const before = await newest();
      await spend(key, NTD);
      const [released, swept] = [paid(key), paid(key)];
      for (const input of [released, swept]) await admitted(subject.store, input);
      await subject.store.commit('release', releasing(released, false));
      await subject.store.commit('sweep', { ...swept, at: T0 });
      expect(await subject.store.read.eventsSince(before, 10)).toEqual([]);
    });

    const BUDGETS: [string, Partial<KeyRow>, laterAt: number][] = [
      ['day', { dailyBudget: 1_000n }, T0 + DAY],
      ['month', { limits: { monthBudget: 1_000n } }, T0 + 31 * DAY],
      ['total', { limits: { totalBudget: 1_000n } }, 0],
      ['session', { limits: { sessionBudget: 1_000n } }, 0],
    ];
    test.each(BUDGETS)(
      'a budget of the kind %s has one at 80 and one at 100 percent, for calls of keys below it too',
      async (budget, fields, laterAt) => {
        const { accountId } = await createAccount(subject.store, NTD);
        const top = await addKey(subject.store, accountId, fields);
        const child = await addKey(subject.store, accountId, {}, top.keyId);
        const charge = async (cost: bigint, at = T0) => {
          const input = await paidBy(subject.store, child, { at, hold: { base: cost, unit: 0n }, session: 'one' });
          await admitted(subject.store, input);
          await subject.store.commit('settle', settling(input, cost, { at }));
        };
        const reached = (percent: number, spent: number) => ({
          key_id: top.keyId,
          budget,
          percent,
          limit_ntd: 0.000001,
          limit_nano: '1000',
          spent_ntd: spent / 1e9,
          spent_nano: String(spent),
        });
        await charge(799n);
        expect(await dataOf({ accountId }, 'key.budget_reached')).toEqual([]);
        await charge(1n);
        await charge(199n);
        expect(await dataOf({ accountId }, 'key.budget_reached')).toEqual([reached(80, 800)]);
        await charge(1n);
        expect(await dataOf({ accountId }, 'key.budget_reached')).toEqual([reached(80, 800), reached(100, 1_000)]);
        if (laterAt === 0) return;
        // Another period, and one charge that reaches both.
        await charge(1_000n, laterAt);
        expect((await dataOf({ accountId }, 'key.budget_reached')).slice(2)).toEqual([reached(100, 1_000)]);
      },
    );

    test('keys: made at registration and later, rotated, and revoked with every key below', async () => {
      const { accountId, keyId: first } = await createAccount(subject.store);
      const top = await addKey(subject.store, accountId);
      const child = await addKey(subject.store, accountId, {}, top.keyId);
      const other = await addKey(subject.store, accountId);
      const rotation = { accountId, keyId: other.keyId, hash: fresh('hash'), last4: 'wxyz', at: T0 };
      await subject.store.commit('rotateKey', { ...rotation, graceUntil: T0 + 1_000 });
      await subject.store.commit('revokeKey', { accountId, keyId: top.keyId, at: T0 + 1 });
      const again = await subject.store.commit('revokeKey', { accountId, keyId: top.keyId, at: T0 + 1 });
      expect(again).toMatchObject({ ok: false, reason: 'not_found' });
      const of = (keyId: string, parentId: string | null = null) => ({ key_id: keyId, parent_id: parentId });
      expect((await eventsOf({ accountId })).map(({ type, at, data }) => [type, at, data as object])).toEqual([
        ['key.created', T0, of(first)],
        ['key.created', T0, of(top.keyId)],
        ['key.created', T0, of(child.keyId, top.keyId)],
        ['key.created', T0, of(other.keyId)],
        ['key.rotated', T0, { ...of(other.keyId), old_until: new Date(T0 + 1_000).toISOString() }],
        ['key.revoked', T0 + 1, of(top.keyId)],
        ['key.revoked', T0 + 1, of(child.keyId, top.keyId)],
      ]);
    });

    test('a repeated call has no second event', async () => {
      const replay = { id: fresh('replay'), bodyHash: 'body', salt: 'salt' };
      const input = registration({ replay });
      for (let time = 0; time < 2; time++) await subject.store.commit('register', input);
      const [card] = (await issueCards(subject.store, 1, { amount: 100n })).cards;
      for (let time = 0; time < 2; time++) {
        await subject.store.commit('redeem', redeeming(input.accountId, card?.hash ?? ''));
      }
      expect((await eventsOf(input)).map(({ type }) => type)).toEqual(['key.created', 'card.redeemed']);
      expect(await dataOf(input, 'card.redeemed')).toEqual([
        {
          card_serial: card?.serial,
          amount_ntd: 1e-7,
          amount_nano: '100',
          balance_ntd: 1.0000001,
          balance_nano: '1000000100',
        },
      ]);
    });

    test('losses that reach the guard of the day have one', async () => {
      const account = await createAccount(subject.store, 100_000n);
      const losses = { items: [loss({ amount: 600n, charge: 600n })], guard: 1_000n };
      const ids: string[] = [];
      for (let time = 0; time < 3; time++) {
        const input = paid(account);
        ids.push(input.requestId);
        await admitted(subject.store, input);
        await subject.store.commit('settle', { ...settling(input, 0n), losses });
      }
      expect(await dataOf(account, 'account.losses')).toEqual([
        { request_id: ids[1] ?? '', allowance_ntd: 0.000001, allowance_nano: '1000' },
      ]);
    });

    test('incidents are for all accounts: opened, resolved, opened again', async () => {
      const before = await newest();
      const { accountId } = await createAccount(subject.store);
      const incidentId = fresh('inc');
      const texts = { titleEn: 'Slow', titleZh: '較慢', textEn: '', textZh: '' };
      const incident: Incident = { incidentId, startedAt: T0, endedAt: null, ...texts, createdAt: T0 + 1 };
      const put = (fields: Partial<Incident>, changes?: 'words' | 'end' | 'words_and_end') =>
        subject.store.commit('putIncident', { incident: { ...incident, ...fields }, ...(changes ? { changes } : {}) });
      await put({});
      await put({ titleEn: 'Slower' }, 'words');
      await put({ endedAt: T0 + 5 }, 'end');
      await put({ endedAt: T0 + 9 }, 'end');
      await put({ titleEn: 'Over' }, 'words');
      await put({ endedAt: null }, 'words_and_end');
      await put({ incidentId: fresh('inc'), endedAt: T0 + 5 });
      const types = (await commonSince(before)).map(({ type }) => type);
      expect(types).toEqual([
        'incident.opened',
        'incident.resolved',
        'incident.opened',
        'incident.opened',
        'incident.resolved',
      ]);
      const started_at = new Date(T0).toISOString();
      const ended_at = new Date(T0 + 5).toISOString();
      const common = await subject.store.read.eventsOf({
        accountId,
        after: before,
        types: ['incident.resolved'],
        limit: 1,
      });
      expect(common).toMatchObject([
        { accountId: null, at: T0 + 1, data: { incident_id: incidentId, started_at, ended_at } },
      ]);
    });

    test('a revision has those that it is given, unless it is stale', async () => {
      const before = await newest();
      const data = { model: 'asked', effective_at: new Date(T0).toISOString(), price: { input_ntd: 1 } };
      const event: NewEvent = { accountId: null, type: 'price.changing', at: T0, data };
      const revise = (expects?: number) =>
        subject.store.commit('revise', {
          document: '{}',
          source: 'operator',
          sourceHash: 'x',
          at: T0,
          log: appliedLine(T0),
          events: [event],
          ...(expects === undefined ? {} : { expects }),
        });
      expect(await revise()).toEqual({ ok: true });
      expect(await revise(999)).toMatchObject({ ok: false });
      expect(await commonSince(before)).toEqual([{ ...event, eventId: expect.any(Number) }]);
    });

    test('an operation that fails leaves none, and those of its batch stay', async () => {
      const before = await newest();
      const texts = { titleEn: '', titleZh: '', textEn: '', textZh: '' };
      const backwards = { incidentId: fresh('inc'), startedAt: T0, endedAt: T0 - 1, ...texts, createdAt: T0 };
      const input = registration();
      const [failed] = await Promise.allSettled([
        subject.store.commit('putIncident', { incident: backwards }),
        subject.store.commit('register', input),
      ]);
      expect(failed?.status).toBe('rejected');
      expect(await subject.store.read.eventsSince(before, 10)).toMatchObject([
        { accountId: input.accountId, type: 'key.created' },
      ]);
    });

    test('are read page by page, each once and in order, and of no other account', async () => {
      const account = await createAccount(subject.store);
      const before = (await eventsOf(account)).at(-1)?.eventId ?? 0;
      const keys: string[] = [];
      for (let count = 0; count < 5; count++) {
        keys.push((await createKey(subject.store, account.accountId)).keyId);
        await createAccount(subject.store);
      }
      const seen: string[] = [];
      for (let after = before; ; ) {
        const page = await subject.store.read.eventsOf({ accountId: account.accountId, after, limit: 2 });
        expect(page.length).toBeLessThanOrEqual(2);
        for (const { data } of page) if ('key_id' in data) seen.push(data.key_id);
        const last = page.at(-1);
        if (!last) break;
        expect(last.eventId).toBeGreaterThan(after);
        after = last.eventId;
      }
      expect(seen).toEqual(keys);
      const numbers = (await subject.store.read.eventsSince(0, 10_000)).map(({ eventId }) => eventId);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(await newest()).toBe(numbers.at(-1) ?? 0);
    });

    test(`are kept for ${KEPT_DAYS} days, and a number is never given again`, async () => {
      const other = await open();
      try {
        const { store } = other;
        const old = registration({ at: T0 });
        await store.commit('register', old);
        const forget = (now: number) => store.forget(now - 2 * DAY);
        const numbers = async () => (await store.read.eventsSince(0, 10)).map(({ eventId }) => eventId);
        await forget(T0 + KEPT_DAYS * DAY);
        const [last = 0] = await numbers();
        expect(last).toBeGreaterThan(0);
        await forget(T0 + KEPT_DAYS * DAY + 1);
        expect(await numbers()).toEqual([]);
        await store.commit('register', registration({ at: T0 }));
        expect(await numbers()).toEqual([last + 1]);
      } finally {
        await other.close();
      }
    });
  });
}
