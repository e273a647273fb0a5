// One meaning of "failed": the list of accounts, the sales of a day and the filter of usage count the same requests.

import { describe, expect, test } from 'bun:test';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import type { RequestStatus } from '../../../src/store/rows.ts';
import { admitted, createAccount, paid, renewLease, settling, T0 } from './samples.ts';
import type { OpenSubject } from './subject.ts';

const ENDED: readonly RequestStatus[] = ['ok', 'client_gone', 'time_limit'];
const FAILED: readonly RequestStatus[] = ['upstream_failed', 'gateway_died', 'invalid_request', 'internal_error'];

export function describeFailed(open: OpenSubject): void {
  describe('failed requests', () => {
    test('are the same ones in every figure: neither ended well, nor by the client, nor by the limit of an hour', async () => {
      const subject = await open();
      try {
        const { store } = subject;
        await renewLease(store);
        const account = await createAccount(store);
        for (const [index, status] of [...ENDED, ...FAILED].entries()) {
          const call = paid(account, { at: T0 + index });
          await admitted(store, call);
          await store.commit('settle', settling(call, 1n, { at: T0 + index, status }));
        }
        const { accountId } = account;
        const [day, counted] = [taipeiDay(T0), { requests: ENDED.length + FAILED.length, failed: FAILED.length }];
        expect(await store.read.salesOfDay(day)).toMatchObject(counted);
        expect(await store.read.salesBetween(T0, T0 + 100)).toMatchObject(counted);
        const list = { sort: 'failure_rate', isAscending: false, sinceDay: day, limit: 5 } as const;
        expect(await store.read.accountList(list)).toMatchObject([{ accountId, ...counted }]);
        for (const query of [{}, { sort: 'cost' as const }, { from: T0, to: T0 + 100 }]) {
          const page = await store.read.usagePage({ accountId, limit: 10, isFailed: true, ...query });
          expect(page.records.map(({ status }) => status).toSorted()).toEqual(FAILED.toSorted());
          expect(page.totals.requests).toBe(FAILED.length);
        }
      } finally {
        await subject.close();
      }
    });
  });
}
