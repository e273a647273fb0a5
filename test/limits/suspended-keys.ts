// Keys that nobody uses, of accounts that never had money put in: exported once, run by every store.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { taipeiDay, taipeiDayStart } from '../../src/kit/taipei.ts';
import { suspendKeys } from '../../src/server/jobs/delete-old.ts';
import type { Store } from '../../src/store/store.ts';
import { addKey, paidBy } from '../store/suite/key-tree.ts';
import {
  type Account,
  admitted,
  createAccount,
  DAY,
  free,
  HOUR,
  issueCards,
  paid,
  redeeming,
  renewLease,
  sampleKey,
  settling,
  T0,
} from '../store/suite/samples.ts';
import type { OpenSubject, StoreSubject } from '../store/suite/subject.ts';
import { eventually } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';

const DAYS = 30;

export function describeSuspendedKeys(name: string, open: OpenSubject): void {
  describe(`${name}: suspend_unused_days`, () => {
    let subject: StoreSubject;
    let store: Store;
    let account: Account;
    beforeAll(async () => {
      subject = await open();
      ({ store } = subject);
      await renewLease(store);
    });
    beforeEach(async () => {
      account = await createAccount(store);
    });
    afterAll(() => subject.close());

    /** The job's next run at this time. */
    async function runAt(at: number, days: number | null = DAYS, usage_months: number | null = null): Promise<void> {
      const clock = createManualClock(at - HOUR);
      const events: string[] = [];
      const catalog = () => ({ guards: { suspend_unused_days: days, usage_months } }) as Catalog;
      const timers = clock.pending();
      const stop = suspendKeys(store, clock, (_level, event) => void events.push(event), catalog);
      await clock.advance(HOUR);
      // The next run is set when this one has ended.
      await eventually('the end of the run', () => clock.pending() > timers);
      stop();
      expect(events).not.toContain('suspend_failed');
    }
    const isLive = async (keyId = account.keyId) =>
      (await store.read.keysOf(account.accountId)).some((key) => key.keyId === keyId && key.revokedAt === null);

    test('a key that was never used is suspended after so many days, not before', async () => {
      await runAt(T0 + DAYS * DAY);
      expect(await isLive()).toBe(true);
      await runAt(T0 + DAYS * DAY + 1);
      expect(await isLive()).toBe(false);
    });

    test('none is suspended by a time that is longer than usage is kept', async () => {
      await runAt(T0 + 1_000 * DAY, DAYS, 1);
      expect(await isLive()).toBe(true);
      await runAt(T0 + 1_000 * DAY, DAYS - 2, 1);
      expect(await isLive()).toBe(false);
    });

    test('a key that was used counts from its last use', async () => {
      const at = T0 + 20 * DAY;
      const input = free(account, { at });
      await admitted(store, input);
      await store.commit('settle', settling(input, 0n));
      await runAt(T0 + (20 + DAYS) * DAY);
      expect(await isLive()).toBe(true);
      await runAt(T0 + (20 + DAYS) * DAY + 1);
      expect(await isLive()).toBe(false);
    });

    test('a key whose call is under way stays', async () => {
      const at = T0 + 90 * DAY;
      const input = paid(account, { at });
      await admitted(store, input);
      await runAt(at + 1);
      expect(await isLive()).toBe(true);
      await store.commit('settle', settling(input, 0n));
    });

    test('each key of an account by itself: the used one stays, the other goes, also the last that manages', async () => {
      const second = sampleKey(account.accountId, { manage: false });
      await store.commit('createKey', { key: second, at: T0 });
      const at = T0 + 29 * DAY;
      const input = free({ ...account, keyId: second.keyId }, { at });
      await admitted(store, input);
      await store.commit('settle', settling(input, 0n));
      await runAt(T0 + 31 * DAY);
      expect(await isLive()).toBe(false);
      expect(await isLive(second.keyId)).toBe(true);
    });

    test('a key stays while a key below it is valid, because it would take that along', async () => {
      const top = await addKey(store, account.accountId);
      const low = await addKey(store, account.accountId, {}, top.keyId);
      const input = await paidBy(store, low, { at: T0 + 29 * DAY });
      await admitted(store, input);
      await store.commit('settle', settling(input, 1n));
      await runAt(T0 + 31 * DAY);
      expect([await isLive(top.keyId), await isLive(low.keyId)]).toEqual([true, true]);
      await runAt(T0 + 60 * DAY);
      expect([await isLive(top.keyId), await isLive(low.keyId)]).toEqual([true, false]);
      await runAt(T0 + 60 * DAY);
      expect(await isLive(top.keyId)).toBe(false);
    });

    test('keys of accounts with a card stay for ever', async () => {
      const { cards } = await issueCards(store);
      const redeemed = await store.commit('redeem', redeeming(account.accountId, cards[0]?.hash ?? ''));
      expect(redeemed.ok).toBe(true);
      await runAt(T0 + 3_000 * DAY);
      expect(await isLive()).toBe(true);
    });

    test('keys of accounts with an operator’s credit stay, too', async () => {
      const { accountId } = account;
      await store.commit('credit', { accountId, amount: 5n, reference: accountId, reason: 'sorry', at: T0 });
      await runAt(T0 + 3_000 * DAY);
      expect(await isLive()).toBe(true);
    });

    test('more than one run can take: the next one goes on', async () => {
      for (let n = 0; n < 19; n++) {
        const keys = Array.from({ length: 30 }, () => sampleKey(account.accountId, { createdAt: T0 - DAY }));
        await Promise.all(keys.map((key) => store.commit('createKey', { key, at: T0 })));
        account = n % 5 === 4 ? await createAccount(store) : account;
      }
      const left = async () => (await store.read.unusedKeys(T0 + DAY, 10_000)).length;
      const before = await left();
      expect(before).toBeGreaterThan(500);
      await runAt(T0 + 31 * DAY);
      expect(await left()).toBe(before - 500);
      await runAt(T0 + 31 * DAY);
      expect(await left()).toBe(0);
    });

    test('null suspends nobody', async () => {
      await runAt(T0 + 3_000 * DAY, null);
      expect(await isLive()).toBe(true);
    });

    // The last of them: what is deleted here is known to none of the others any more.
    test('none is suspended by a time in which usage was deleted, be it kept for longer now', async () => {
      const input = free(account, { at: T0 + 30 * DAY });
      await admitted(store, input);
      await store.commit('settle', settling(input, 0n));
      const day = taipeiDay(T0 + 45 * DAY);
      while ((await store.forgetUsage({ day, limit: 500 })).records > 0);
      expect(await store.read.usageRecord(account.accountId, input.requestId)).toBeUndefined();
      await runAt(T0 + 75 * DAY, 60, 24);
      expect(await isLive()).toBe(true);
      const since = taipeiDayStart(day);
      await runAt(since - 1 + 60 * DAY, 60, 24);
      expect(await isLive()).toBe(true);
      await runAt(since + 60 * DAY, 60, 24);
      expect(await isLive()).toBe(false);
    });
  });
}
