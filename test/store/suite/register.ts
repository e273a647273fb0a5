// Registration: account, key, trial credit and limit slots together, or nothing.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, fresh, HOUR, MIDNIGHT, registration, sampleKey, T0, UNLIMITED } from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeRegister(open: OpenSubject): void {
  describe('register', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    test('makes the account, its wallet, its key and its trial entry', async () => {
      const input = registration();
      expect(await subject.store.commit('register', input)).toEqual({
        ok: true,
        accountId: input.accountId,
        keyId: input.key.keyId,
        balance: 1_000_000_000n,
      });
      expect(await subject.store.read.wallet(input.accountId)).toEqual({
        accountId: input.accountId,
        balance: 1_000_000_000n,
        held: 0n,
        inFlight: 0,
        freeInFlight: 0,
        frozen: false,
        paid: 0n,
        paidSpent: 0n,
        balanceLow: 5_000_000_000n,
        touchedAt: T0,
      });
      expect(await subject.store.read.keysOf(input.accountId)).toEqual([input.key]);
      expect(await subject.store.read.entriesOf(input.accountId, 10)).toEqual([
        {
          entryId: expect.any(Number),
          at: T0,
          kind: 'trial',
          debit: 'house:trial',
          credit: input.accountId,
          amount: 1_000_000_000n,
          accountId: input.accountId,
          balanceAfter: 1_000_000_000n,
          reference: input.accountId,
          note: null,
          refundOf: null,
          paid: 0n,
          once: null,
        },
      ]);
    });

    test('without trial credit posts no entry', async () => {
      const input = registration({ trial: 0n });
      expect(await subject.store.commit('register', input)).toMatchObject({ ok: true, balance: 0n });
      expect(await subject.store.read.entriesOf(input.accountId, 10)).toEqual([]);
    });

    test('keeps every digit of amounts above 2^53', async () => {
      const trial = 9_007_199_254_740_993n;
      const input = registration({ trial });
      expect(await subject.store.commit('register', input)).toMatchObject({ balance: trial });
      expect((await subject.store.read.wallet(input.accountId))?.balance).toBe(trial);
      expect((await subject.store.read.entriesOf(input.accountId, 1))[0]?.balanceAfter).toBe(trial);
    });

    test('three from an address in 24 hours; the fourth is refused and leaves nothing', async () => {
      const address = fresh('address');
      for (const hours of [0, 1, 2]) {
        const input = registration({ address, at: T0 + hours * HOUR });
        expect(await subject.store.commit('register', input)).toMatchObject({ ok: true });
      }
      const fourth = registration({ address, at: T0 + 3 * HOUR });
      expect(await subject.store.commit('register', fourth)).toEqual({
        ok: false,
        reason: 'registration_ip_limit',
        allowance: { limit: 3, used: 3, remaining: 0, resetsAt: T0 + DAY },
      });
      expect(await subject.store.read.wallet(fourth.accountId)).toBeUndefined();
      expect(await subject.store.read.keysOf(fourth.accountId)).toEqual([]);
      const later = registration({ address, at: T0 + DAY });
      expect(await subject.store.commit('register', later)).toMatchObject({ ok: true });
    });

    test('the whole site has a limit by the Taipei day', async () => {
      const own = await open();
      try {
        const limits = { perAddress: 3, perDay: 2 };
        for (const at of [T0, T0 + HOUR]) await own.store.commit('register', registration({ limits, at }));
        expect(await own.store.commit('register', registration({ limits, at: T0 + 2 * HOUR }))).toEqual({
          ok: false,
          reason: 'registration_site_limit',
          allowance: { limit: 2, used: 2, remaining: 0, resetsAt: MIDNIGHT },
        });
        const tomorrow = registration({ limits, at: MIDNIGHT });
        expect(await own.store.commit('register', tomorrow)).toMatchObject({ ok: true });
      } finally {
        await own.close();
      }
    });

    test('networks of the address have limits of their own, and a refused registration takes no slot of any', async () => {
      const [site, block] = [fresh('address'), fresh('address')];
      const networks = [
        { prefix: 56, address: block, limit: 4 },
        { prefix: 48, address: site, limit: 6 },
      ];
      const commit = (given: typeof networks, at = T0) =>
        subject.store.commit('register', registration({ networks: given, at }));
      for (let n = 0; n < 4; n++) expect(await commit(networks, T0 + n * HOUR)).toMatchObject({ ok: true });
      expect(await commit(networks, T0 + 4 * HOUR)).toEqual({
        ok: false,
        reason: 'registration_ip_limit',
        allowance: { limit: 4, used: 4, remaining: 0, resetsAt: T0 + DAY },
        prefix: 56,
      });
      const elsewhere = networks.slice(1);
      for (let n = 0; n < 2; n++) expect(await commit(elsewhere, T0 + 5 * HOUR)).toMatchObject({ ok: true });
      expect(await commit(elsewhere, T0 + 6 * HOUR)).toMatchObject({ ok: false, prefix: 48 });
      expect(await commit(networks, T0 + DAY)).toMatchObject({ ok: true });
    });

    test('64 at once from one network: as many pass as it may', async () => {
      const networks = [{ prefix: 48, address: fresh('address'), limit: 10 }];
      const results = await Promise.all(
        Array.from({ length: 64 }, () => subject.store.commit('register', registration({ networks }))),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(10);
    });

    test('64 at once from one address: three pass', async () => {
      const address = fresh('address');
      const results = await Promise.all(
        Array.from({ length: 64 }, () => subject.store.commit('register', registration({ address }))),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(3);
    });

    describe('repeated with its Idempotency-Key', () => {
      const replay = (id: string, salt: string, bodyHash = 'body') => ({ id, bodyHash, salt });

      test('answers with the first result, and takes no slot', async () => {
        const id = fresh('replay');
        const address = fresh('address');
        const first = registration({ address, replay: replay(id, 'salt 1') });
        await subject.store.commit('register', first);
        for (let n = 2; n < 6; n++) {
          const again = registration({ address, replay: replay(id, `salt ${n}`) });
          expect(await subject.store.commit('register', again)).toEqual({
            ok: true,
            accountId: first.accountId,
            keyId: first.key.keyId,
            balance: 1_000_000_000n,
            replayedSalt: 'salt 1',
          });
        }
        expect(await subject.store.commit('register', registration({ address }))).toMatchObject({ ok: true });
      });

      test('tells what the first call announced, or nothing if an earlier version did not remember it', async () => {
        const id = fresh('replay');
        await subject.store.commit('register', registration({ announced: '{"a":1}', replay: replay(id, 'salt 1') }));
        const again = () =>
          subject.store.commit('register', registration({ announced: '{"a":2}', replay: replay(id, 'salt 2') }));
        expect(await again()).toMatchObject({ announced: '{"a":1}', replayedSalt: 'salt 1' });
        await subject.plant(`UPDATE replays SET result = '{"accountId":"a","keyId":"k"}' WHERE replay_id = '${id}'`);
        expect(await again()).toEqual({
          ok: true,
          accountId: 'a',
          keyId: 'k',
          balance: 1_000_000_000n,
          replayedSalt: 'salt 1',
        });
      });

      test('with another body is refused', async () => {
        const id = fresh('replay');
        await subject.store.commit('register', registration({ replay: replay(id, 'salt') }));
        const other = registration({ replay: replay(id, 'salt', 'other body') });
        expect(await subject.store.commit('register', other)).toEqual({ ok: false, reason: 'idempotency_key_reused' });
      });

      test('a day later is a new call', async () => {
        const id = fresh('replay');
        await subject.store.commit('register', registration({ replay: replay(id, 'salt 1') }));
        const later = registration({ replay: replay(id, 'salt 2'), at: T0 + DAY });
        expect(await subject.store.commit('register', later)).toMatchObject({ ok: true, accountId: later.accountId });
      });

      test('64 twins at once make one account', async () => {
        const id = fresh('replay');
        const results = await Promise.all(
          Array.from({ length: 64 }, (_, n) =>
            subject.store.commit('register', registration({ replay: replay(id, `salt ${n}`) })),
          ),
        );
        expect(new Set(results.map((result) => result.ok && result.accountId)).size).toBe(1);
        expect(results.filter((result) => result.ok && result.replayedSalt === undefined)).toHaveLength(1);
      });
    });

    test('one that the database refuses does not spoil its neighbours', async () => {
      const taken = registration();
      await subject.store.commit('register', taken);
      const bad = registration({ key: sampleKey('nobody', { hash: taken.key.hash }) });
      const [before, refused, after] = await Promise.allSettled([
        subject.store.commit('register', registration()),
        subject.store.commit('register', { ...bad, key: { ...bad.key, accountId: bad.accountId } }),
        subject.store.commit('register', registration({ limits: { perAddress: 3, perDay: UNLIMITED } })),
      ]);
      expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled']);
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'internal_error' } });
      expect(await subject.store.read.wallet(bad.accountId)).toBeUndefined();
    });
  });
}
