// Refused requests: counted by day, and the newest of each account kept for a week.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/kit/clock.ts';
import { firstIdAt } from '../../../src/kit/ids.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import {
  KEPT_PER_ACCOUNT,
  KEPT_PER_CODE,
  type RefusalCount,
  type RefusalQuery,
  type RefusedRequest,
} from '../../../src/store/refusals.ts';
import { fresh, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const TODAY = taipeiDay(T0);

function refused(accountId: string, at = T0, fields: Partial<RefusedRequest> = {}): RefusedRequest {
  const requestId = `${firstIdAt('req', at)}${fresh('')}`;
  return {
    ...{ requestId, accountId, keyId: accountId && 'key_1', at, endpoint: 'POST /v1/messages', model: null },
    ...{ status: 429, code: 'rate_limited', figures: { limit: 60, resets_at: '2026-11-18T00:00:00.000Z' } },
    ...fields,
  };
}

function counted(accountId: string, fields: Partial<RefusalCount> = {}): RefusalCount {
  return { accountId, day: TODAY, keyId: 'key_1', code: 'rate_limited', refused: 1, ...fields };
}

export function describeRefusals(open: OpenSubject): void {
  describe('refused requests', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());
    const read = (query: RefusalQuery) => subject.store.read.refusedRequests(query);
    const source = fresh('node');
    let number = 0;
    const record = (requests: RefusedRequest[], counts: RefusalCount[] = []) =>
      subject.store.recordRefusals({ source, number: ++number, requests, counts });

    test('counts of a day, a key and a code are added up', async () => {
      const accountId = fresh('acc');
      const other = counted(accountId, { keyId: 'key_2', code: 'model_not_found', refused: 5 });
      await record([], [counted(accountId, { refused: 2 }), other, counted(accountId, { day: TODAY - 1 })]);
      await record([], [counted(accountId, { refused: 40 }), counted(fresh('acc'))]);
      expect(await subject.store.read.refusalCounts(accountId, TODAY)).toEqual([
        counted(accountId, { refused: 42 }),
        other,
      ]);
      expect(await subject.store.read.refusalCounts(accountId, TODAY - 1)).toHaveLength(3);
    });

    test('a request is found by its id, by its account or by both, and is the same if it is written twice', async () => {
      const accountId = fresh('acc');
      const one = refused(accountId, T0, { model: 'asked', figures: { budget: 'day', needed_ntd: 0.5 } });
      const two = refused(accountId, T0 + 1);
      await record([one, two]);
      await record([two]);
      expect(await read({ requestId: one.requestId })).toEqual([one]);
      expect(await read({ accountId })).toEqual([two, one]);
      expect(await read({ accountId, requestId: two.requestId })).toEqual([two]);
      expect(await read({ accountId: fresh('acc'), requestId: two.requestId })).toEqual([]);
    });

    test.each([
      [fresh('acc'), KEPT_PER_ACCOUNT],
      ['', KEPT_PER_CODE],
    ])('of account %p the newest %p are kept', async (accountId, kept) => {
      const neighbour = refused(fresh('acc'), T0 - 1_000);
      const all = Array.from({ length: kept + 5 }, (_, index) => refused(accountId, T0 + index));
      await record([neighbour, ...all.slice(0, 50)]);
      await record(all.slice(50));
      expect(await read({ accountId })).toEqual(all.slice(5).toReversed());
      expect(await read({ requestId: neighbour.requestId })).toEqual([neighbour]);
    });

    test('of unknown accounts a flood of one code does not push out requests of another', async () => {
      const quoted = refused('', T0 - 1_000, { status: 401, code: 'invalid_api_key' });
      await record([quoted]);
      const flood = Array.from({ length: KEPT_PER_CODE + 5 }, (_, index) =>
        refused('', T0 + 10_000 + index, { status: 404, code: 'route_not_found' }),
      );
      await record(flood);
      const kept = (await read({ accountId: '' })).filter(({ code }) => code !== 'rate_limited');
      expect(kept).toEqual([...flood.slice(5).toReversed(), quoted]);
    });

    test('requests are forgotten after 7 days, counts after 30', async () => {
      const accountId = fresh('acc');
      const [old, young] = [refused(accountId, T0 - 7 * DAY_MS - 1), refused(accountId, T0 - 7 * DAY_MS)];
      const counts = [counted(accountId, { day: TODAY - 31 }), counted(accountId, { day: TODAY - 29 })];
      await record([old, young], counts);
      await subject.store.forget(T0 - 2 * DAY_MS);
      expect(await read({ accountId })).toEqual([young]);
      expect(await subject.store.read.refusalCounts(accountId, 0)).toEqual(counts.slice(1));
    });
  });
}
