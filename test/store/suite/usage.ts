// The usage listing: newest first, in pages that neither skip nor repeat, with the totals of the whole filter.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/kit/clock.ts';
import { firstIdAt } from '../../../src/kit/ids.ts';
import { taipeiDay, taipeiDayStart } from '../../../src/kit/taipei.ts';
import type { UsageQuery } from '../../../src/store/reads.ts';
import { NO_BUCKETS } from '../../../src/store/rows.ts';
import {
  type Account,
  admitted,
  createAccount,
  createKey,
  DAY,
  findAccounts,
  fresh,
  paid,
  renewLease,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeUsage(open: OpenSubject): void {
  describe('usage', () => {
    let subject: StoreSubject;
    let account: Account;
    const requestIds: string[] = [];
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
      account = await createAccount(subject.store);
      const other = await createAccount(subject.store);
      for (let n = 0; n < 12; n++) {
        // Three records each share a time.
        const input = paid(n === 11 ? other : account, { at: T0 + Math.floor(n / 3), model: n % 2 ? 'odd' : 'even' });
        await admitted(subject.store, input);
        const buckets = {
          ...NO_BUCKETS,
          input: n,
          cachedInput: 1,
          cacheWrite5m: 2,
          cacheWrite1h: 3,
          output: 4,
          images: 5,
          seconds: 7,
          characters: 8,
          searches: 9,
        };
        const status = n === 0 ? 'client_gone' : 'ok';
        const channel = n % 3 === 0 ? null : 'channel-a';
        await subject.store.commit('settle', settling(input, BigInt(n), { buckets, reasoning: 6, status, channel }));
        if (n < 11) requestIds.unshift(input.requestId);
      }
    });
    afterAll(() => subject.close());

    const page = (query: Partial<UsageQuery>) =>
      subject.store.read.usagePage({ accountId: account.accountId, limit: 200, ...query });

    test('lists one account’s records, newest first, with totals', async () => {
      const { records, hasMore, totals } = await page({});
      expect(records.map(({ requestId }) => requestId)).toEqual(requestIds);
      expect(hasMore).toBe(false);
      expect(totals).toEqual({
        requests: 11,
        input: 55,
        cachedInput: 11,
        cacheWrite5m: 22,
        cacheWrite1h: 33,
        output: 44,
        reasoning: 66,
        images: 55,
        seconds: 77,
        characters: 88,
        searches: 99,
        cost: 55n,
      });
    });

    test.each([1, 2, 3, 5, 11, 12])('pages of %i neither skip nor repeat', async (limit) => {
      const seen: string[] = [];
      for (let after: UsageQuery['after'], more = true; more; ) {
        const { records, hasMore, totals } = await page({ limit, ...(after ? { after } : {}) });
        expect(totals.requests).toBe(11);
        seen.push(...records.map(({ requestId }) => requestId));
        const last = records.at(-1);
        if (last) after = { at: last.at, requestId: last.requestId };
        more = hasMore;
      }
      expect(seen).toEqual(requestIds);
    });

    test.each([
      ['from', { from: T0 + 2 }, 5],
      ['to', { to: T0 + 2 }, 6],
      ['model', { models: ['odd'] }, 5],
      ['any of several models', { models: ['even', 'odd', 'none'] }, 11],
      ['channel', { channel: 'channel-a' }, 7],
      ['status', { status: 'client_gone' }, 1],
      ['all of them', { from: T0, to: T0 + 9, models: ['odd'], channel: 'channel-a', status: 'ok' }, 3],
      ['a model with quotes', { models: [`odd' OR '1'='1`] }, 0],
    ])('filters by %s', async (_, query, expected) => {
      const { records, totals } = await page(query);
      expect([records.length, totals.requests]).toEqual([expected, expected]);
    });

    test('filters by key', async () => {
      expect((await page({ keyId: account.keyId })).records).toHaveLength(11);
      expect((await page({ keyId: 'key_other' })).totals).toMatchObject({ requests: 0, cost: 0n });
    });
  });

  describe('usage over many days', () => {
    let subject: StoreSubject;
    let account: Account;
    /** Newest first. */
    const kept: { at: number; model: string; cost: bigint; requestId: string }[] = [];
    const today = taipeiDay(T0);
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
      account = await createAccount(subject.store);
      for (let n = 0; n < 60; n++) {
        // Uneven over 12 days, also on the very first and last moment of some; one model is rare.
        const edge = [0, 1, DAY_MS - 1, DAY_MS / 2][n % 4] ?? 0;
        const at = taipeiDayStart(today - Math.floor((n * n) / 300)) + edge;
        const model = n % 17 === 0 ? 'rare' : 'often';
        const input = paid(account, { at, model });
        await admitted(subject.store, input);
        await subject.store.commit('settle', settling(input, BigInt(n)));
        kept.push({ at, model, cost: BigInt(n), requestId: input.requestId });
      }
      kept.sort((a, b) => b.at - a.at || (a.requestId < b.requestId ? 1 : -1));
    });
    afterAll(() => subject.close());

    const spans: [string, number | undefined, number | undefined][] = [
      ['everything', undefined, undefined],
      ['whole days', taipeiDayStart(today - 5), taipeiDayStart(today - 1)],
      ['a moment after midnight', taipeiDayStart(today - 5) + 1, taipeiDayStart(today - 1) + 1],
      ['from noon on', taipeiDayStart(today - 3) + DAY_MS / 2, undefined],
      ['until noon', undefined, taipeiDayStart(today - 3) + DAY_MS / 2],
      ['from noon to noon', taipeiDayStart(today - 4) + DAY_MS / 2, taipeiDayStart(today - 2) + DAY_MS / 2],
      [
        'noon to noon over one midnight',
        taipeiDayStart(today - 4) + DAY_MS / 2,
        taipeiDayStart(today - 3) + DAY_MS / 2,
      ],
      ['a part of one day', taipeiDayStart(today) + 1, taipeiDayStart(today) + DAY_MS / 2 + 1],
      ['backwards', taipeiDayStart(today), taipeiDayStart(today - 3)],
      ['nothing', taipeiDayStart(today) + 5, taipeiDayStart(today) + 5],
    ];
    const models = ['often', 'rare', undefined];
    test.each(spans.flatMap(([what, from, to]) => models.map((model) => [what, model, from, to] as const)))(
      'totals and pages of %s, model %s',
      async (_, model, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY) => {
        const matches = kept.filter((one) => one.at >= from && one.at < to && (model ?? one.model) === one.model);
        for (const limit of [1, 4, 200]) {
          const seen: string[] = [];
          for (let after: UsageQuery['after'], more = true; more; ) {
            const page = await subject.store.read.usagePage({
              accountId: account.accountId,
              limit,
              ...(Number.isFinite(from) ? { from } : {}),
              ...(Number.isFinite(to) ? { to } : {}),
              ...(model === undefined ? {} : { models: [model] }),
              ...(after ? { after } : {}),
            });
            const cost = matches.reduce((sum, one) => sum + one.cost, 0n);
            expect(page.totals).toMatchObject({ requests: matches.length, input: 40 * matches.length, cost });
            seen.push(...page.records.map(({ requestId }) => requestId));
            const last = page.records.at(-1);
            if (last) after = { at: last.at, requestId: last.requestId };
            more = page.hasMore;
          }
          expect(seen).toEqual(matches.map(({ requestId }) => requestId));
        }
      },
    );

    test('spend by day', async () => {
      const since = today - 6;
      const days = Map.groupBy(
        kept.filter(({ at }) => taipeiDay(at) >= since),
        ({ at }) => taipeiDay(at),
      );
      const expected = [...days]
        .map(([day, own]) => ({ day, requests: own.length, cost: own.reduce((sum, { cost }) => sum + cost, 0n) }))
        .sort((a, b) => a.day - b.day);
      expect(expected.length).toBeGreaterThan(3);
      expect(await subject.store.read.spendByDay(account.accountId, since)).toEqual(expected);
      expect(await subject.store.read.spendByDay('acc_nobody', since)).toEqual([]);
    });

    test('spend by key', async () => {
      const since = today - 6;
      const own = kept.filter(({ at }) => taipeiDay(at) >= since);
      const cost = own.reduce((sum, one) => sum + one.cost, 0n);
      const expected = [{ keyId: account.keyId, requests: own.length, cost }];
      expect(await subject.store.read.spendByKey(account.accountId, since)).toEqual(expected);
      expect(await subject.store.read.spendByKey('acc_nobody', since)).toEqual([]);
    });

    test('by day and model or key, from sums alone', async () => {
      const { accountId, keyId } = account;
      const [from, to] = [today - 6, today];
      const own = kept.filter(({ at }) => taipeiDay(at) >= from && taipeiDay(at) < to);
      const days = (by: 'model' | 'key', more: Partial<UsageQuery> = {}) =>
        subject.store.read.usageByDay({ accountId, limit: 1, ...more }, by, from, to);
      const sumsOf = (records: typeof kept, nameOf: (one: (typeof kept)[number]) => string) =>
        [...Map.groupBy(records, (one) => `${taipeiDay(one.at)} ${nameOf(one)}`)]
          .map(([name, all]) => [name, all.length, all.reduce((sum, { cost }) => sum + cost, 0n)])
          .sort();
      const shown = (found: Awaited<ReturnType<typeof days>>) =>
        found.map(({ day, name, requests, cost }) => [`${day} ${name}`, requests, cost]).sort();
      expect(own.length).toBeGreaterThan(3);
      expect(shown(await days('model'))).toEqual(sumsOf(own, ({ model }) => model));
      expect(shown(await days('key'))).toEqual(sumsOf(own, () => keyId));
      const [model = ''] = new Set(own.map((one) => one.model));
      const ofModel = own.filter((one) => one.model === model);
      expect(shown(await days('model', { models: [model] }))).toEqual(sumsOf(ofModel, () => model));
      expect(await days('key', { keyIds: [] })).toEqual([]);
    });

    test('by hour of one day and model or key, from its records', async () => {
      const { accountId, keyId } = account;
      const day = taipeiDay(kept[0]?.at ?? 0);
      const own = kept.filter(({ at }) => taipeiDay(at) === day);
      const hourOf = (at: number) => Math.floor((at - taipeiDayStart(day)) / (DAY_MS / 24));
      const hours = (by: 'model' | 'key', more: Partial<UsageQuery> = {}) =>
        subject.store.read.usageByHour({ accountId, limit: 1, ...more }, by, day);
      const sumsOf = (nameOf: (one: (typeof kept)[number]) => string) =>
        [...Map.groupBy(own, (one) => `${hourOf(one.at)} ${nameOf(one)}`)]
          .map(([name, all]) => [name, all.length, all.reduce((sum, { cost }) => sum + cost, 0n)])
          .sort();
      const shown = (found: Awaited<ReturnType<typeof hours>>) =>
        found.map(({ hour, name, requests, cost }) => [`${hour} ${name}`, requests, cost]).sort();
      expect(own.length).toBeGreaterThan(0);
      expect(shown(await hours('model'))).toEqual(sumsOf(({ model }) => model));
      expect(shown(await hours('key'))).toEqual(sumsOf(() => keyId));
      expect(await hours('key', { keyIds: [] })).toEqual([]);
    });

    test('sorted by cost or duration, and only what failed', async () => {
      const { accountId, keyId } = await createAccount(subject.store);
      const ends = [
        ['ok', 3n, 10],
        ['upstream_failed', 0n, 30],
        ['ok', 9n, 20],
        ['client_gone', 5n, 5],
      ] as const;
      for (const [index, [status, cost, totalMs]] of ends.entries()) {
        const input = paid({ accountId, keyId }, { at: T0 + index });
        await admitted(subject.store, input);
        await subject.store.commit('settle', settling(input, cost, { at: T0 + index, status, totalMs }));
      }
      const costs = async (query: Partial<UsageQuery>) => {
        const { records, totals } = await subject.store.read.usagePage({ accountId, limit: 10, ...query });
        return [records.map(({ cost }) => cost), totals.requests];
      };
      expect(await costs({})).toEqual([[5n, 9n, 0n, 3n], 4]);
      expect(await costs({ sort: 'cost' })).toEqual([[9n, 5n, 3n, 0n], 4]);
      expect(await costs({ sort: 'cost', limit: 2 })).toEqual([[9n, 5n], 4]);
      expect(await costs({ sort: 'duration' })).toEqual([[0n, 9n, 3n, 5n], 4]);
      expect(await costs({ isFailed: true })).toEqual([[0n], 1]);
      for (const sort of ['cost', 'duration'] as const) {
        const all = (await subject.store.read.usagePage({ accountId, limit: 10, sort })).records;
        const paged: typeof all = [];
        for (let hasMore = true; hasMore; ) {
          const last = paged.at(-1);
          const value = Number(sort === 'cost' ? last?.cost : last?.totalMs);
          const after = last ? { sortedAfter: { value, requestId: last.requestId } } : {};
          const page = await subject.store.read.usagePage({ accountId, limit: 1, sort, ...after });
          expect(page.records).toHaveLength(1);
          paged.push(...page.records);
          hasMore = page.hasMore;
        }
        expect(paged).toEqual(all);
      }
      expect(await costs({ isFailed: true, sort: 'cost', from: T0 + 1 })).toEqual([[0n], 1]);
    });

    test('of some keys, and summed for each key, from whole days and from parts of one', async () => {
      const own = await createAccount(subject.store);
      const second = await createKey(subject.store, own.accountId);
      const { accountId } = own;
      for (const [{ keyId }, at] of [
        [own, T0 - DAY],
        [own, T0],
        [second, T0],
      ] as const) {
        const input = paid({ accountId, keyId }, { at });
        await admitted(subject.store, input);
        await subject.store.commit('settle', settling(input, 7n, { at }));
      }
      const { read } = subject.store;
      const count = async (keyIds: string[], from?: number) => {
        const query = { accountId, keyIds, limit: 1, ...(from === undefined ? {} : { from }) };
        const { totals, records } = await read.usagePage(query);
        return [totals.requests, records.length];
      };
      expect(await count([own.keyId, second.keyId, 'key_unknown'])).toEqual([3, 1]);
      expect(await count([second.keyId])).toEqual([1, 1]);
      expect(await count([])).toEqual([0, 0]);
      expect(await count([own.keyId], T0)).toEqual([1, 1]);
      const sums = async (query: Partial<UsageQuery>) => {
        const found = await read.usageByKey({ accountId, limit: 1, ...query });
        return Object.fromEntries(found.map(({ keyId, requests, cost }) => [keyId, [requests, cost]]));
      };
      expect(await sums({})).toEqual({ [own.keyId]: [2, 14n], [second.keyId]: [1, 7n] });
      expect(await sums({ from: T0 - 1 })).toEqual({ [own.keyId]: [1, 7n], [second.keyId]: [1, 7n] });
      expect(await sums({ keyIds: [second.keyId] })).toEqual({ [second.keyId]: [1, 7n] });
      expect(await sums({ keyIds: [] })).toEqual({});
      const [yesterday, today] = [taipeiDay(T0 - DAY), taipeiDay(T0)];
      const days = async (keyId: string) => (await read.spendByDay(accountId, 0, [keyId])).map(({ day }) => day);
      expect([await days(own.keyId), await days(second.keyId)]).toEqual([[yesterday, today], [today]]);
    });

    test('is forgotten by whole days of Taipei, a few records at a time; entries and balances stay', async () => {
      const own = await open();
      try {
        const { store } = own;
        const account = await createAccount(store);
        await renewLease(store);
        const today = taipeiDay(T0);
        const midnight = taipeiDayStart(today);
        const use = async (openedAt: number, settledAt = openedAt) => {
          const requestId = `${firstIdAt('req', openedAt - 1)}${fresh('x')}`;
          const input = paid(account, { requestId, at: openedAt });
          await admitted(store, input);
          await store.commit('settle', settling(input, 10n, { at: settledAt }));
          return requestId;
        };
        const oldest = await use(midnight - 3 * DAY);
        await use(midnight - DAY);
        // Begun on a day that is forgotten, settled on one that is kept.
        await use(midnight - 1, midnight + 1);
        const kept = [await use(midnight), await use(T0)];
        const left = async () =>
          (await store.read.usagePage({ accountId: account.accountId, limit: 10 })).records.map((one) => one.requestId);

        const forget = (day: number) => store.forgetUsage({ day, limit: 2 });
        expect(await store.read.usageKeptFrom()).toBe(0);
        expect(await forget(today - 10)).toEqual({ records: 0, sums: 0, losses: 0 });
        expect(await left()).toHaveLength(5);
        expect(await forget(today)).toEqual({ records: 2, sums: 0, losses: 0 });
        expect((await store.read.audit({})).differences).toEqual([]);
        expect(await forget(today)).toEqual({ records: 1, sums: 0, losses: 0 });
        expect(await forget(today)).toEqual({ records: 0, sums: 2, losses: 0 });
        expect((await store.read.audit({})).differences).toEqual([]);
        expect(await forget(today)).toEqual({ records: 0, sums: 0, losses: 0 });
        expect(await left()).toEqual(kept.toReversed());
        expect(await store.read.usageKeptFrom()).toBe(today);
        const found = await findAccounts(store, { text: oldest });
        expect(found).toMatchObject([{ accountId: account.accountId, by: 'request' }]);
        const { totals } = await store.read.usagePage({ accountId: account.accountId, limit: 1 });
        expect(totals).toMatchObject({ requests: 2, cost: 20n });
        const entries = await store.read.entriesOf(account.accountId, 10);
        expect(entries.filter(({ kind }) => kind === 'usage')).toHaveLength(5);
        expect((await store.read.audit({})).differences).toEqual([]);
        // A day before the first that is kept does not bring anything back into question.
        expect(await forget(today - 10)).toEqual({ records: 0, sums: 0, losses: 0 });
        expect(await store.read.usageKeptFrom()).toBe(today);
        expect((await store.read.audit({})).differences).toEqual([]);
        // A first day that has not come would keep the audit from looking.
        expect(await store.read.audit({ now: T0 })).toMatchObject({ differences: [] });
        expect((await store.read.audit({ now: T0 - DAY })).differences).toEqual([
          { what: 'usage_from_day', subject: 'usage', expected: String(today - 1), found: String(today) },
        ]);
        expect(await store.read.lastUsedDay(today + 1)).toBe(today);
        expect(await store.read.lastUsedDay(today)).toBeUndefined();
        // What is missing of the days that are kept is noticed as before.
        await own.sql(`DELETE FROM usage_records WHERE request_id = '${kept[1]}'`);
        expect((await store.read.audit({})).differences.map(({ what }) => what)).toContain('usage_day');
      } finally {
        await own.close();
      }
    });
  });
}
