// Batches: operations are whole, each is answered by itself, money moves once and exactly.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Fault } from '../../../src/faults/fault.ts';
import { MAX_NANO } from '../../../src/kit/money.ts';
import type { AdmitInput } from '../../../src/store/operations.ts';
import type { Store } from '../../../src/store/store.ts';
import { free, lease, NODE, NOW, newId, paid, registration, release, settlement, TRIAL } from './inputs.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeBatches(open: OpenSubject): void {
  describe('batches', () => {
    let opened: StoreSubject;
    let store: Store;
    let accountId: string;

    beforeAll(async () => {
      opened = await open();
      store = opened.store;
      await store.commit('lease', lease());
    });
    beforeEach(async () => {
      ({ accountId } = registration());
      await store.commit('register', registration({ accountId }));
    });
    afterAll(() => opened.close());

    const wallet = async (id = accountId) => {
      const row = await store.read.wallet(id);
      return row && { balance: row.balance, held: row.held, inFlight: row.inFlight, freeInFlight: row.freeInFlight };
    };
    const entries = async (id = accountId) =>
      (await store.read.entriesOf(id, 100)).map(({ kind, amount }) => ({ kind, amount }));
    const admitted = async (input: AdmitInput) => {
      expect(await store.commit('admit', input)).toMatchObject({ ok: true });
      return input;
    };
    const failure = async (commit: Promise<unknown>) =>
      commit.then(
        () => undefined,
        (error: unknown) => error,
      );

    describe('a batch', () => {
      test('answers each operation by itself, and a failing one leaves its neighbours alone', async () => {
        const first = registration();
        const second = registration();
        const once = paid(accountId, 10n);
        const [a, b, bad, alsoBad, c] = await Promise.all([
          store.commit('register', first),
          store.commit('admit', once),
          failure(store.commit('admit', once)),
          failure(store.commit('register', registration({ key: first.key }))),
          store.commit('register', second),
        ]);
        expect([a, b, c]).toMatchObject([{ ok: true }, { ok: true, held: 10n }, { ok: true }]);
        for (const error of [bad, alsoBad]) {
          expect(error).toBeInstanceOf(Fault);
          expect((error as Fault).code).toBe('internal_error');
        }
        expect(await wallet(first.accountId)).toMatchObject({ balance: TRIAL });
        expect(await wallet(second.accountId)).toMatchObject({ balance: TRIAL });
        expect(await wallet()).toMatchObject({ balance: TRIAL, held: 10n, inFlight: 1 });
      });

      test('has no payment that a wallet cannot count, and its neighbours pass', async () => {
        const credit = (amount: bigint) =>
          store.commit('credit', { accountId, amount, reason: 'test', reference: newId('ref'), at: NOW });
        const [one, tooMuch, two] = await Promise.all([credit(1n), credit(MAX_NANO - TRIAL), credit(2n)]);
        expect([one, two]).toMatchObject([{ ok: true }, { ok: true, balance: TRIAL + 3n }]);
        expect(tooMuch).toEqual({ ok: false, reason: 'wallet_full' });
        expect(await wallet()).toMatchObject({ balance: TRIAL + 3n });
        // In the order of the batch, so that each balance follows from the one before.
        expect((await entries()).map(({ amount }) => amount)).toEqual([2n, 1n, TRIAL]);
      });

      test('is decided in order: what one operation opened, the next may close', async () => {
        const input = paid(accountId, 100n);
        const [opened_, settled, late] = await Promise.all([
          store.commit('admit', input),
          store.commit('settle', settlement(input, 40n)),
          store.commit('release', release(input)),
        ]);
        expect(opened_).toMatchObject({ ok: true, held: 100n });
        expect(settled).toEqual({ state: 'closed', charged: 40n, writtenOff: 0n, balance: TRIAL - 40n });
        expect(late).toEqual({ state: 'late' });
      });

      test('of many operations is many answers', async () => {
        const inputs = Array.from({ length: 1_000 }, () => free(accountId));
        // No more at once than one batch takes: admissions that wait too long are turned away.
        for (let at = 0; at < inputs.length; at += 100) await Promise.all(inputs.slice(at, at + 100).map(admitted));
        expect(await wallet()).toMatchObject({ freeInFlight: 1_000 });
        const closed = await Promise.all(inputs.map((input) => store.commit('release', release(input))));
        expect(closed.filter(({ state }) => state === 'closed')).toHaveLength(1_000);
        expect(await wallet()).toMatchObject({ freeInFlight: 0 });
      });
    });

    describe('a hold', () => {
      test('is taken from what is available and nothing else', async () => {
        await admitted(paid(accountId, 300_000_000n));
        expect(await wallet()).toEqual({ balance: TRIAL, held: 300_000_000n, inFlight: 1, freeInFlight: 0 });
        expect(await entries()).toEqual([{ kind: 'trial', amount: TRIAL }]);
      });

      test('never exceeds what is available, however many ask at once', async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, () => store.commit('admit', paid(accountId, 300_000_000n))),
        );
        expect(results.filter(({ ok }) => ok)).toHaveLength(3);
        const reasons = results.flatMap((result) => (result.ok ? [] : [result.reason]));
        expect(new Set(reasons)).toEqual(new Set(['balance_in_use']));
        expect(await wallet()).toEqual({ balance: TRIAL, held: 900_000_000n, inFlight: 3, freeInFlight: 0 });
      });

      test('of all there is leaves nothing', async () => {
        await admitted(paid(accountId, TRIAL));
        expect(await store.commit('admit', paid(accountId, 1n))).toMatchObject({
          ok: false,
          reason: 'balance_in_use',
          available: 0n,
        });
        expect(await store.commit('admit', paid(accountId, TRIAL + 1n))).toMatchObject({
          ok: false,
          reason: 'insufficient_balance',
          needed: TRIAL + 1n,
        });
      });

      test('is opened once for one request', async () => {
        const input = await admitted(paid(accountId, 5n));
        expect(await failure(store.commit('admit', input))).toBeInstanceOf(Fault);
        expect(await wallet()).toMatchObject({ held: 5n, inFlight: 1 });
      });

      test('is resolved once, whoever comes first', async () => {
        const input = await admitted(paid(accountId, 1_000n));
        const results = await Promise.all([
          store.commit('settle', settlement(input, 700n)),
          store.commit('settle', settlement(input, 700n)),
          store.commit('release', release(input)),
          store.commit('sweep', { ...input, at: NOW }),
        ]);
        expect(results.map(({ state }) => state)).toEqual(['closed', 'late', 'late', 'late']);
        expect(await wallet()).toEqual({ balance: TRIAL - 700n, held: 0n, inFlight: 0, freeInFlight: 0 });
        expect(await entries()).toHaveLength(2);
      });
    });

    describe('a settlement', () => {
      test('moves its cost and writes its record', async () => {
        const input = await admitted(paid(accountId, 1_000n));
        await store.commit('settle', settlement(input, 250n));
        expect(await store.read.usageRecord(accountId, input.requestId)).toMatchObject({
          status: 'ok',
          channel: 'up',
          input: 3,
          output: 4,
          held: 1_000n,
          cost: 250n,
          balanceAfter: TRIAL - 250n,
          attempts: [{ channel: 'up', outcome: 'ok', ms: 6 }],
        });
        const [newest] = await store.read.entriesOf(accountId, 1);
        expect(newest).toMatchObject({
          kind: 'usage',
          debit: accountId,
          credit: 'house:revenue',
          amount: 250n,
          balanceAfter: TRIAL - 250n,
          reference: input.requestId,
        });
      });

      test('above its hold charges the hold; the house bears the rest', async () => {
        const input = await admitted(paid(accountId, 1_000n));
        expect(await store.commit('settle', settlement(input, 5_000n))).toEqual({
          state: 'closed',
          charged: 1_000n,
          writtenOff: 4_000n,
          balance: TRIAL - 1_000n,
        });
      });

      test('of 0 posts nothing', async () => {
        const input = await admitted(paid(accountId, 1_000n));
        await store.commit('settle', settlement(input, 0n));
        expect(await entries()).toHaveLength(1);
        expect(await store.read.usageRecord(accountId, input.requestId)).toMatchObject({ cost: 0n });
      });

      test('that comes after the release moves nothing and writes no second record', async () => {
        const input = await admitted(paid(accountId, 1_000n));
        await store.commit('release', release(input));
        expect(await store.commit('settle', settlement(input, 900n))).toEqual({ state: 'late' });
        expect(await wallet()).toMatchObject({ balance: TRIAL, held: 0n });
        expect(await store.read.usageRecord(accountId, input.requestId)).toMatchObject({
          cost: 0n,
          status: 'upstream_failed',
        });
      });

      test('of a free request cannot post money', async () => {
        const input = await admitted(free(accountId));
        expect(await failure(store.commit('settle', settlement(input, 1n)))).toBeInstanceOf(Fault);
        await store.commit('settle', settlement(input, 0n));
        expect(await wallet()).toEqual({ balance: TRIAL, held: 0n, inFlight: 0, freeInFlight: 0 });
        expect(await entries()).toHaveLength(1);
      });
    });

    describe('amounts', () => {
      test('above 2^53 are exact to the nano', async () => {
        const large = 9_007_199_254_740_993n + TRIAL;
        const credit = { accountId, amount: large, reference: newId('credit'), reason: 'test', at: NOW };
        await store.commit('credit', credit);
        const input = await admitted(paid(accountId, large - 1n));
        expect(await wallet()).toMatchObject({ balance: large + TRIAL, held: large - 1n });
        await store.commit('settle', settlement(input, large - 3n));
        expect(await wallet()).toMatchObject({ balance: TRIAL + 3n, held: 0n });
        expect(await store.read.usageRecord(accountId, input.requestId)).toMatchObject({
          cost: large - 3n,
          held: large - 1n,
        });
        const { totals } = await store.read.usagePage({ accountId, limit: 1 });
        expect(totals.cost).toBe(large - 3n);
      });

      test('that 64 bits cannot hold are refused whole', async () => {
        const most = 9_223_372_036_854_775_807n;
        const { store: own, close } = await open();
        const credit = (amount: bigint) =>
          own.commit('credit', { accountId, amount, reference: newId('credit'), reason: 'test', at: NOW });
        await own.commit('register', registration({ accountId }));
        await credit(most - TRIAL);
        expect(await credit(1n)).toEqual({ ok: false, reason: 'wallet_full' });
        expect(await own.read.wallet(accountId)).toMatchObject({ balance: most });
        expect(await own.read.entriesOf(accountId, 10)).toHaveLength(2);
        await close();
      });
    });

    describe('a node', () => {
      test('without a lease admits nothing', async () => {
        const nobody = paid(accountId, 1n, { nodeId: 'node_without' });
        expect(await store.commit('admit', nobody)).toEqual({ ok: false, reason: 'lease_lost' });
        expect(await wallet()).toMatchObject({ held: 0n, inFlight: 0 });
      });

      test('whose lease ran out admits nothing until it has a new one', async () => {
        const nodeId = newId('node');
        await store.commit('lease', lease(nodeId, NOW));
        for (const input of [paid(accountId, 1n, { nodeId }), free(accountId, { nodeId })]) {
          expect(await store.commit('admit', input)).toEqual({ ok: false, reason: 'lease_lost' });
        }
        await store.commit('lease', lease(nodeId, NOW + 1));
        expect(await store.commit('admit', paid(accountId, 1n, { nodeId }))).toMatchObject({ ok: true });
      });

      test('that died leaves holds which another one finds and releases', async () => {
        const nodeId = newId('node');
        await store.commit('lease', lease(nodeId, NOW + 1_000));
        const inputs = [paid(accountId, 7n, { nodeId }), free(accountId, { nodeId })];
        for (const input of inputs) await admitted(input);
        const orphans = async (...deadNodes: string[]) =>
          (await store.read.orphanedHolds({ deadNodes, limit: 100 }))
            .filter((hold) => hold.nodeId === nodeId)
            .map(({ requestId }) => requestId);
        const ids = inputs.map(({ requestId }) => requestId).toSorted();
        expect(await orphans()).toEqual([]);
        expect((await orphans(nodeId)).toSorted()).toEqual(ids);

        for (const { requestId, keyId } of inputs) {
          const swept = await store.commit('sweep', { requestId, accountId, keyId, at: NOW + 61_000 });
          expect(swept).toMatchObject({ state: 'closed', charged: 0n, balance: TRIAL });
        }
        expect(await orphans(nodeId)).toEqual([]);
        expect(await wallet()).toEqual({ balance: TRIAL, held: 0n, inFlight: 0, freeInFlight: 0 });
        for (const { requestId } of inputs) {
          expect(await store.read.usageRecord(accountId, requestId)).toMatchObject({
            status: 'gateway_died',
            cost: 0n,
          });
        }
      });
    });

    test('the books balance after all of this', async () => {
      const { differences, total } = await store.read.audit({});
      expect(differences).toEqual([]);
      expect(total).toBe(0n);
      expect(await store.read.orphanedHolds({ deadNodes: [NODE], limit: 1 })).not.toEqual([]);
    });
  });
}
