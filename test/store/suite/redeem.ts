// Cards: issued whole, credited once, never locked by guesses.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAccount, DAY, fresh, HOUR, issueCards, MIDNIGHT, MINUTE, redeeming, T0 } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const NOT_REDEEMABLE = { ok: false, reason: 'card_not_redeemable' } as const;

export function describeRedeem(open: OpenSubject): void {
  describe('cards', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const card = async (options?: Parameters<typeof issueCards>[2]) => {
      const [first] = (await issueCards(subject.store, 1, options)).cards;
      if (!first) throw new Error('no card');
      return first;
    };

    test.each(['sold', 'promo'] as const)('a %s card credits its amount', async (kind) => {
      const { accountId } = await createAccount(subject.store, 5n);
      const { hash, serial } = await card({ kind, amount: 70n });
      expect(await subject.store.commit('redeem', redeeming(accountId, hash))).toEqual({
        ok: true,
        serial,
        amount: 70n,
        balance: 75n,
        alreadyRedeemed: false,
      });
      expect((await subject.store.read.entriesOf(accountId, 1))[0]).toMatchObject({
        kind: 'card',
        debit: `house:cards_${kind}`,
        amount: 70n,
        reference: serial,
        balanceAfter: 75n,
      });
      expect(await subject.store.read.cards({ serials: [serial], limit: 5 })).toMatchObject([
        { hash, serial, kind, state: 'redeemed', redeemedBy: accountId, redeemedAt: T0 },
      ]);
    });

    test('its own account repeating it hears so, without a second credit', async () => {
      const { accountId } = await createAccount(subject.store, 5n);
      const { hash } = await card();
      await subject.store.commit('redeem', redeeming(accountId, hash));
      expect(await subject.store.commit('redeem', redeeming(accountId, hash))).toMatchObject({
        ok: true,
        balance: 105n,
        alreadyRedeemed: true,
      });
    });

    test('unknown, used by another, voided and expired are refused alike', async () => {
      const [one, other] = [await createAccount(subject.store), await createAccount(subject.store)];
      const [used, voided] = [await card(), await card()];
      const expired = await card({ kind: 'promo', expiresAt: T0 });
      await subject.store.commit('redeem', redeeming(one.accountId, used.hash));
      expect(await subject.store.commit('void', { hash: voided.hash })).toEqual({ state: 'voided' });
      for (const hash of ['hash of nothing', used.hash, voided.hash, expired.hash]) {
        expect(await subject.store.commit('redeem', redeeming(other.accountId, hash))).toEqual(NOT_REDEEMABLE);
      }
      const early = redeeming(other.accountId, expired.hash, { at: T0 - 1 });
      expect(await subject.store.commit('redeem', early)).toMatchObject({ ok: true });
    });

    test('64 accounts race for one card: one gets it', async () => {
      const accounts = await Promise.all(Array.from({ length: 64 }, () => createAccount(subject.store, 1n)));
      const { hash } = await card({ amount: 50n });
      const results = await Promise.all(
        accounts.map(({ accountId }) => subject.store.commit('redeem', redeeming(accountId, hash))),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    });

    test('wrong guesses are counted by account: five in ten minutes', async () => {
      const { accountId } = await createAccount(subject.store);
      const guess = (at: number) => subject.store.commit('redeem', redeeming(accountId, 'wrong', { at }));
      for (let n = 0; n < 5; n++) expect(await guess(T0 + n)).toEqual(NOT_REDEEMABLE);
      const limited = {
        ok: false,
        reason: 'redeem_rate_limited',
        allowance: { limit: 5, used: 5, remaining: 0, resetsAt: T0 + 10 * MINUTE },
      };
      expect(await guess(T0 + 9 * MINUTE)).toMatchObject(limited);
      const { hash } = await card();
      expect(await subject.store.commit('redeem', redeeming(accountId, hash))).toMatchObject(limited);
      expect(await subject.store.commit('redeem', redeeming(accountId, hash, { at: T0 + 10 * MINUTE }))).toMatchObject({
        ok: true,
      });
    });

    test('twenty a day by account', async () => {
      const { accountId } = await createAccount(subject.store);
      const guess = (n: number) =>
        subject.store.commit('redeem', redeeming(accountId, 'wrong', { at: T0 + n * 20 * MINUTE }));
      for (let n = 0; n < 20; n++) expect(await guess(n)).toEqual(NOT_REDEEMABLE);
      expect(await guess(20)).toMatchObject({
        reason: 'redeem_rate_limited',
        allowance: { limit: 20, resetsAt: MIDNIGHT },
      });
    });

    test('64 at once where three of the day are left: three are looked at', async () => {
      const { accountId } = await createAccount(subject.store);
      const guess = (at: number) => subject.store.commit('redeem', redeeming(accountId, 'wrong', { at }));
      for (let n = 0; n < 17; n++) await guess(T0 + n * 11 * MINUTE);
      const raced = await Promise.all(Array.from({ length: 64 }, () => guess(T0 + 17 * 11 * MINUTE)));
      expect(raced.filter((result) => !result.ok && result.reason === 'card_not_redeemable')).toHaveLength(3);
      expect(raced.filter((result) => !result.ok && result.reason === 'redeem_rate_limited')).toHaveLength(61);
    });

    test('twenty an hour by address, whatever the account', async () => {
      const address = fresh('address');
      for (let n = 0; n < 20; n++) {
        const { accountId } = await createAccount(subject.store);
        expect(await subject.store.commit('redeem', redeeming(accountId, 'wrong', { address }))).toEqual(
          NOT_REDEEMABLE,
        );
      }
      const { accountId } = await createAccount(subject.store);
      expect(await subject.store.commit('redeem', redeeming(accountId, 'wrong', { address }))).toMatchObject({
        reason: 'redeem_rate_limited',
        allowance: { limit: 20, resetsAt: T0 + HOUR },
      });
    });

    test('repeated with its Idempotency-Key', async () => {
      const { accountId } = await createAccount(subject.store, 1n);
      const [first, second] = [await card(), await card()];
      const replay = { id: fresh('replay'), bodyHash: 'body', salt: 'salt' };
      const calls = Array.from({ length: 8 }, () => redeeming(accountId, first.hash, { replay }));
      const results = await Promise.all(calls.map((call) => subject.store.commit('redeem', call)));
      expect(results.filter((result) => result.ok && result.replayed)).toHaveLength(7);
      for (const result of results) expect(result).toMatchObject({ ok: true, balance: 101n, alreadyRedeemed: false });
      const other = redeeming(accountId, second.hash, { replay: { ...replay, bodyHash: 'other' } });
      expect(await subject.store.commit('redeem', other)).toEqual({ ok: false, reason: 'idempotency_key_reused' });
      const nextDay = redeeming(accountId, first.hash, { replay, at: T0 + DAY });
      expect(await subject.store.commit('redeem', nextDay)).toMatchObject({ alreadyRedeemed: true });
    });

    test('refused, and repeated with its Idempotency-Key: one guess, whatever became of the card', async () => {
      const { accountId } = await createAccount(subject.store);
      const { serial, hash } = { serial: fresh('serial'), hash: fresh('hash') };
      const replay = { id: fresh('replay'), bodyHash: 'body', salt: 'salt' };
      const guess = (fields = {}) => subject.store.commit('redeem', redeeming(accountId, hash, { replay, ...fields }));
      expect(await guess()).toEqual(NOT_REDEEMABLE);
      for (let n = 0; n < 8; n++) expect(await guess()).toEqual({ ...NOT_REDEEMABLE, replayed: true });
      expect(await guess({ replay: { ...replay, bodyHash: 'other' } })).toEqual({
        ok: false,
        reason: 'idempotency_key_reused',
      });
      await subject.store.commit('issue', {
        batch: {
          batchId: fresh('batch'),
          kind: 'sold',
          amount: 5n,
          count: 1,
          expiresAt: null,
          note: null,
          createdAt: T0,
        },
        cards: [{ hash, serial }],
      });
      expect(await guess()).toEqual({ ...NOT_REDEEMABLE, replayed: true });
      const wrong = () => subject.store.commit('redeem', redeeming(accountId, 'wrong'));
      for (let n = 0; n < 4; n++) expect(await wrong()).toEqual(NOT_REDEEMABLE);
      expect(await wrong()).toMatchObject({ reason: 'redeem_rate_limited' });
      expect(await guess()).toEqual({ ...NOT_REDEEMABLE, replayed: true });
    });

    test('its own account hears of it after every guess is used up; another account does not', async () => {
      const [one, other] = [await createAccount(subject.store, 5n), await createAccount(subject.store)];
      const { hash } = await card();
      await subject.store.commit('redeem', redeeming(one.accountId, hash));
      for (const { accountId } of [one, other]) {
        for (let n = 0; n < 5; n++) await subject.store.commit('redeem', redeeming(accountId, 'wrong'));
      }
      expect(await subject.store.commit('redeem', redeeming(one.accountId, hash))).toMatchObject({
        ok: true,
        balance: 105n,
        alreadyRedeemed: true,
      });
      expect(await subject.store.commit('redeem', redeeming(other.accountId, hash))).toMatchObject({
        reason: 'redeem_rate_limited',
      });
    });

    test('a batch is issued whole or not at all', async () => {
      const { cards } = await issueCards(subject.store, 2);
      const batch = {
        batchId: fresh('batch'),
        kind: 'sold',
        amount: 5n,
        count: 2,
        expiresAt: null,
        note: 'n',
        createdAt: T0,
      } as const;
      const hash = `hash of ${batch.batchId}`;
      const taken = cards[0]?.serial ?? '';
      const issue = (serial: string) =>
        subject.store.commit('issue', {
          batch,
          cards: [
            { hash, serial },
            { hash: `${hash} 2`, serial: `${serial} 2` },
          ],
        });
      expect(await issue(taken).catch((error) => error.code)).toBe('internal_error');
      expect(await subject.store.read.cards({ batchId: batch.batchId, limit: 5 })).toEqual([]);
      await issue(fresh('serial'));
      expect(await subject.store.read.cards({ batchId: batch.batchId, state: 'issued', limit: 5 })).toHaveLength(2);
      expect((await subject.store.read.cardBatches(1_000)).find(({ batchId }) => batchId === batch.batchId)).toEqual(
        batch,
      );
    });

    test('void: once is enough, a redeemed card stays, an unknown one is unknown', async () => {
      const { accountId } = await createAccount(subject.store);
      const [one, redeemed] = [await card(), await card()];
      await subject.store.commit('redeem', redeeming(accountId, redeemed.hash));
      for (let n = 0; n < 2; n++)
        expect(await subject.store.commit('void', { hash: one.hash })).toEqual({ state: 'voided' });
      expect(await subject.store.commit('void', { hash: redeemed.hash })).toEqual({ state: 'redeemed' });
      expect(await subject.store.commit('void', { hash: 'hash of nothing' })).toEqual({ state: 'unknown' });
    });
  });
}
