// Holds of a node that is gone, on a wallet that is wrong: they stay, and keep no other hold from being released.

import { describe, expect, test } from 'bun:test';
import { fault } from '../../../src/faults/fault.ts';
import { createLog } from '../../../src/kit/log.ts';
import { ENDED } from '../../../src/server/jobs/keep-lease.ts';
import { createSweep } from '../../../src/server/jobs/sweep-holds.ts';
import type { Store } from '../../../src/store/store.ts';
import { createLogCapture } from '../../support/log-capture.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { admitted, createAccount, MINUTE, paid, renewLease, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const GONE = 'node_gone';
/** More than a sweep takes at once. */
const MANY = 1_100;

export function describeSweep(open: OpenSubject): void {
  describe('sweeping', () => {
    /** Three holds of a node that is gone: the first two of a wallet that is then changed by hand. */
    async function plant(subject: StoreSubject, change: string) {
      const { store } = subject;
      await renewLease(store, GONE);
      const [wrong, right] = [await createAccount(store), await createAccount(store)];
      const calls = [wrong, wrong, right].map((account) => paid(account, { nodeId: GONE }));
      for (const call of calls) await admitted(store, call);
      await renewLease(store, GONE, ENDED);
      await subject.plant(`UPDATE wallets SET ${change} WHERE account_id = '${wrong.accountId}'`);
      const capture = createLogCapture();
      const clock = createManualClock(T0 + MINUTE);
      const node = { nodeId: 'node_sweeping', host: 'here', pid: 8 };
      const log = createLog(clock, capture.write);
      const alive = { isProcessAlive: () => true, isOfAnotherBoot: () => false };
      const sweepOf = (store: Store) => createSweep({ store, clock, log, node, isAlone: true, ...alive });
      const sweep = sweepOf(store);
      const told = (event: string) => capture.lines().filter((line) => line.event === event);
      return { wrong, right, calls, sweep, sweepOf, told };
    }

    test.each([
      ['held', 'held_nano = 0', 2, 'held_nano = 4000'],
      ['held, of one of two', 'held_nano = 2000', 1, 'held_nano = 2000'],
      ['in flight', 'in_flight = 0', 2, 'in_flight = 2'],
    ])('less %s than there is: told once, the others are released', async (_, change, stuck, mended) => {
      const subject = await open();
      try {
        const { store } = subject;
        const { wrong, right, calls, sweep, told } = await plant(subject, change);
        for (let pass = 0; pass < 3; pass++) await sweep();
        expect(await store.read.wallet(right.accountId)).toMatchObject({ held: 0n, inFlight: 0 });
        expect(await store.read.openHolds(right.accountId)).toEqual([]);
        expect(await store.read.openHolds(wrong.accountId)).toHaveLength(stuck);
        const failures = told('sweep_failed');
        expect(failures).toHaveLength(stuck);
        for (const failure of failures) {
          expect(failure).toMatchObject({
            level: 'error',
            account_id: wrong.accountId,
            detail: expect.stringMatching(/^sweep: /),
          });
          expect(calls.map(({ requestId }) => requestId)).toContain(String(failure.request_id));
        }
        expect(told('holds_swept')).toMatchObject([{ count: 3 - stuck }]);

        // Once the wallet is put right, the next sweep releases them.
        await subject.plant(`UPDATE wallets SET ${mended} WHERE account_id = '${wrong.accountId}'`);
        await sweep();
        expect(await store.read.wallet(wrong.accountId)).toMatchObject({ held: 0n, inFlight: 0 });
        expect((await store.read.audit({})).differences).toEqual([]);
      } finally {
        await subject.close();
      }
    });

    test('by a store that goes away in the middle is told of no hold: it is done by the next', async () => {
      const subject = await open();
      try {
        const { store } = subject;
        const { calls, sweep, sweepOf, told } = await plant(subject, 'frozen = frozen');
        const commit = () => Promise.reject(fault('unavailable', { internal: 'store: away' }));
        await expect(sweepOf({ ...store, commit })()).rejects.toMatchObject({ code: 'unavailable' });
        expect(told('sweep_failed')).toEqual([]);
        await sweep();
        expect(told('holds_swept')).toMatchObject([{ count: calls.length }]);
      } finally {
        await subject.close();
      }
    });

    test('more of them than a sweep takes at once keep none of the others', async () => {
      const subject = await open();
      try {
        const { wrong, right, calls, sweep, told } = await plant(subject, 'held_nano = 0');
        const columns = 'key_id, node_id, amount_nano, free, model, endpoint, stream, revision, opened_at, budgeted';
        await subject.plant(`INSERT INTO holds (request_id, account_id, ${columns})
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})
          SELECT 'a_' || n, account_id, ${columns} FROM holds, numbers WHERE request_id = '${calls[0]?.requestId}'`);
        await sweep();
        expect(await subject.store.read.openHolds(right.accountId)).toEqual([]);
        expect((await subject.store.read.holdSums()).open).toBe(MANY + 2);
        expect(told('sweep_failed')).toHaveLength(MANY + 2);
        expect(told('sweep_failed').every((line) => line.account_id === wrong.accountId)).toBe(true);
      } finally {
        await subject.close();
      }
    });
  });
}
