// The usage listing: newest first, in pages that neither skip nor repeat, with the totals of the whole filter.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { UsageQuery } from '../../../src/store/reads.ts';
import { NO_BUCKETS } from '../../../src/store/rows.ts';
import { type Account, admitted, createAccount, paid, renewLease, settling, T0 } from './samples.ts';
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
      ['model', { model: 'odd' }, 5],
      ['channel', { channel: 'channel-a' }, 7],
      ['status', { status: 'client_gone' }, 1],
      ['all of them', { from: T0, to: T0 + 9, model: 'odd', channel: 'channel-a', status: 'ok' }, 3],
      ['a model with quotes', { model: `odd' OR '1'='1` }, 0],
    ])('filters by %s', async (_, query, expected) => {
      const { records, totals } = await page(query);
      expect([records.length, totals.requests]).toEqual([expected, expected]);
    });

    test('filters by key', async () => {
      expect((await page({ keyId: account.keyId })).records).toHaveLength(11);
      expect((await page({ keyId: 'key_other' })).totals).toMatchObject({ requests: 0, cost: 0n });
    });
  });
}
