// The end of a request: its hold is resolved once, and becomes its usage record.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { NO_BUCKETS } from '../../../src/store/rows.ts';
import {
  admitted,
  createAccount,
  createKey,
  free,
  MINUTE,
  paid,
  releasing,
  renewLease,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

export function describeClose(open: OpenSubject): void {
  describe('closing', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
    });
    afterAll(() => subject.close());

    test('the open holds together: how many, how much, since when', async () => {
      const before = await subject.store.read.holdSums();
      expect(before).toEqual({ open: 0, amount: 0n, oldestAt: null });
      const [first, second] = [await createAccount(subject.store), await createAccount(subject.store)].map((account) =>
        paid(account),
      );
      if (!first || !second) throw new Error('two were made');
      await admitted(subject.store, { ...first, at: T0 + 7 });
      await admitted(subject.store, second);
      expect(await subject.store.read.holdSums()).toEqual({ open: 2, amount: 4_000n, oldestAt: T0 });
      await subject.store.commit('settle', settling(second, 1n));
      expect(await subject.store.read.holdSums()).toEqual({ open: 1, amount: 2_000n, oldestAt: T0 + 7 });
      await subject.store.commit('release', releasing(first, true));
      expect(await subject.store.read.holdSums()).toEqual(before);
    });

    test('settle charges the wallet and writes one usage record', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const input = paid(account);
      await admitted(subject.store, input);
      expect(await subject.store.commit('settle', settling(input, 1_234n, { upstreamCost: 125n }))).toEqual({
        state: 'closed',
        charged: 1_234n,
        writtenOff: 0n,
        balance: 8_766n,
      });
      expect(await subject.store.read.wallet(account.accountId)).toMatchObject({
        balance: 8_766n,
        held: 0n,
        inFlight: 0,
        touchedAt: T0 + 250,
      });
      expect(await subject.store.read.openHolds(account.accountId)).toEqual([]);
      expect(await subject.store.read.usageRecord(account.accountId, input.requestId)).toEqual({
        requestId: input.requestId,
        ...account,
        at: T0,
        model: 'asked',
        channel: 'channel-a',
        endpoint: '/v1/chat/completions',
        status: 'ok',
        stream: true,
        ...NO_BUCKETS,
        input: 40,
        output: 20,
        reasoning: 5,
        firstTokenMs: 80,
        totalMs: 250,
        held: 2_000n,
        cost: 1_234n,
        balanceAfter: 8_766n,
        estimated: false,
        revision: 3,
        attempts: [{ channel: 'channel-a', outcome: 'ok', ms: 240 }],
        rule: null,
        serviceTier: null,
        toolCalls: null,
        pricedAt: null,
        upstreamCost: 125n,
      });
      expect((await subject.store.read.entriesOf(account.accountId, 1))[0]).toMatchObject({
        kind: 'usage',
        debit: account.accountId,
        credit: 'house:revenue',
        amount: 1_234n,
        balanceAfter: 8_766n,
        reference: input.requestId,
      });
    });

    test('a record says which service tier, which calls of tools and which moment decide its price', async () => {
      const account = await createAccount(subject.store);
      const input = paid(account);
      await admitted(subject.store, input);
      const priced = { serviceTier: 'flex', toolCalls: { web_search: 3, file_search: 1 }, pricedAt: T0 - 1 };
      await subject.store.commit('settle', settling(input, 5n, priced));
      expect(await subject.store.read.usageRecord(account.accountId, input.requestId)).toMatchObject(priced);
    });

    test('a record is for its account only', async () => {
      const [account, other] = [await createAccount(subject.store), await createAccount(subject.store)];
      const input = paid(account);
      await admitted(subject.store, input);
      await subject.store.commit('settle', settling(input, 1n));
      expect(await subject.store.read.usageRecord(other.accountId, input.requestId)).toBeUndefined();
    });

    test('what lies above the hold is the loss of the house', async () => {
      const account = await createAccount(subject.store, 2_000n);
      const input = paid(account);
      await admitted(subject.store, input);
      expect(await subject.store.commit('settle', settling(input, 5_000n))).toEqual({
        state: 'closed',
        charged: 2_000n,
        writtenOff: 3_000n,
        balance: 0n,
      });
      const rows = await subject.sql(
        `SELECT debit, credit, amount_nano, account_id FROM entries WHERE kind = 'write_off' AND reference = '${input.requestId}'`,
      );
      expect(rows).toEqual([
        { debit: 'house:write_off', credit: 'house:revenue', amount_nano: 3_000n, account_id: null },
      ]);
    });

    test('a free request posts no money, and cannot be charged', async () => {
      const account = await createAccount(subject.store, 100n);
      const [input, other] = [free(account), free(account)];
      await admitted(subject.store, input);
      await admitted(subject.store, other);
      expect(await subject.store.commit('settle', settling(input, 0n))).toMatchObject({ charged: 0n, balance: 100n });
      expect(await subject.store.commit('settle', settling(other, 1n)).catch((error) => error.code)).toBe(
        'internal_error',
      );
      expect(await subject.store.read.entriesOf(account.accountId, 10)).toHaveLength(1);
      expect(await subject.store.read.wallet(account.accountId)).toMatchObject({ balance: 100n, freeInFlight: 1 });
    });

    test('the model that answered is the one in the record', async () => {
      const account = await createAccount(subject.store);
      const input = paid(account);
      await admitted(subject.store, input);
      await subject.store.commit(
        'settle',
        settling(input, 1n, { model: 'fallback', estimated: true, firstTokenMs: null }),
      );
      expect(await subject.store.read.usageRecord(account.accountId, input.requestId)).toMatchObject({
        model: 'fallback',
        estimated: true,
        firstTokenMs: null,
      });
    });

    test('64 closings of one hold at once: one moves money, the others are late', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const input = paid(account);
      await admitted(subject.store, input);
      const { requestId, accountId, keyId } = input;
      const results = await Promise.all(
        Array.from({ length: 64 }, (_, n) =>
          n % 3 === 0
            ? subject.store.commit('settle', settling(input, 500n))
            : n % 3 === 1
              ? subject.store.commit('release', releasing(input, true))
              : subject.store.commit('sweep', { requestId, accountId, keyId, at: T0 }),
        ),
      );
      expect(results.filter(({ state }) => state === 'closed')).toHaveLength(1);
      expect(results[0]).toMatchObject({ state: 'closed', charged: 500n });
      expect((await subject.store.read.wallet(accountId))?.balance).toBe(9_500n);
    });

    test('admitted and settled in one batch leaves a record and no hold', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const input = paid(account);
      const [opened, closed] = await Promise.all([
        subject.store.commit('admit', input),
        subject.store.commit('settle', settling(input, 700n)),
      ]);
      expect([opened, closed]).toMatchObject([{ ok: true }, { state: 'closed', balance: 9_300n }]);
      expect(await subject.sql(`SELECT request_id FROM holds WHERE request_id = '${input.requestId}'`)).toEqual([]);
    });

    test.each([
      ['gives the slots back', true, 0],
      ['keeps the slots', false, 1],
    ])('release charges nothing and %s', async (_, giveBack, used) => {
      const account = await createAccount(subject.store, 10_000n);
      const [costly, gratis] = [paid(account), free(account)];
      for (const input of [costly, gratis]) {
        await admitted(subject.store, input);
        expect(await subject.store.commit('release', releasing(input, giveBack))).toEqual({
          state: 'closed',
          charged: 0n,
          writtenOff: 0n,
          balance: 10_000n,
        });
      }
      expect(await subject.store.read.wallet(account.accountId)).toMatchObject({
        held: 0n,
        inFlight: 0,
        freeInFlight: 0,
      });
      const later = { at: T0 + 10 };
      const minute = await subject.store.commit('admit', paid(account, later));
      expect(minute).toMatchObject({ allowance: { used: used + 1 } });
      expect(await subject.store.commit('admit', free(account, later))).toMatchObject({
        allowance: { used: used + 1 },
      });
      expect(await subject.store.read.window(`free:${account.accountId}`)).toMatchObject({ dayCount: used + 1 });
      expect(await subject.store.read.usageRecord(account.accountId, costly.requestId)).toMatchObject({
        status: 'upstream_failed',
        channel: null,
        cost: 0n,
        held: 2_000n,
      });
    });

    test('undo leaves nothing of an admission, and no usage record', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const { accountId, keyId } = account;
      const address = `address of ${accountId}`;
      const limits = {
        perMinute: 6,
        perDayZero: 1,
        perDayPositive: 1,
        inFlight: 1,
        perAddress: { address, perDay: 1 },
      };
      for (const make of [() => paid(account), () => free(account, { charge: { free: true, limits } })]) {
        const input = make();
        const { requestId } = input;
        await admitted(subject.store, input);
        const undoing = {
          requestId,
          accountId,
          keyId,
          freeAddress: input.charge.free ? address : undefined,
          at: T0 + 5,
        };
        const closed = { state: 'closed', charged: 0n, writtenOff: 0n, balance: 10_000n } as const;
        expect(await subject.store.commit('undo', undoing)).toEqual(closed);
        expect(await subject.store.commit('undo', undoing)).toEqual({ state: 'late' });
        expect(await subject.store.read.usageRecord(accountId, requestId)).toBeUndefined();
        // Its slots are free: of the account, and of the address.
        expect(await admitted(subject.store, make())).toMatchObject({ allowance: { used: 1 } });
      }
      expect(await subject.store.read.wallet(accountId)).toMatchObject({
        balance: 10_000n,
        inFlight: 1,
        freeInFlight: 1,
      });
    });

    test('sweep releases, gives the slots back and says what happened', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const input = paid(account);
      await admitted(subject.store, input);
      const { requestId, accountId, keyId } = input;
      expect(await subject.store.commit('sweep', { requestId, accountId, keyId, at: T0 + MINUTE })).toMatchObject({
        state: 'closed',
        charged: 0n,
        balance: 10_000n,
      });
      expect(await subject.store.read.usageRecord(accountId, requestId)).toMatchObject({
        status: 'gateway_died',
        cost: 0n,
        totalMs: MINUTE,
        attempts: [],
      });
      expect(await subject.store.read.window(`paid:${accountId}`)).toMatchObject({ slots: [] });
      expect(await subject.store.commit('settle', settling(input, 5n))).toEqual({ state: 'late' });
      expect((await subject.store.read.wallet(accountId))?.balance).toBe(10_000n);
    });

    test('a budget is spent by what was charged', async () => {
      const { accountId } = await createAccount(subject.store);
      const account = await createKey(subject.store, accountId, { dailyBudget: 5_000n });
      const input = paid(account);
      await admitted(subject.store, input);
      await subject.store.commit('settle', settling(input, 1_500n));
      expect(await subject.sql(`SELECT spent_nano, held_nano FROM budgets WHERE key_id = '${account.keyId}'`)).toEqual([
        { spent_nano: 1_500n, held_nano: 0n },
      ]);
    });

    test('the last amount that fits in 64 bits is charged to the nano', async () => {
      const most = 9_223_372_036_854_775_807n;
      const account = await createAccount(subject.store, most);
      const input = paid(account, { hold: { base: most, unit: 0n } });
      expect(await admitted(subject.store, input)).toMatchObject({ held: most });
      expect(await subject.store.commit('settle', settling(input, most - 1n))).toMatchObject({
        charged: most - 1n,
        balance: 1n,
      });
      expect((await subject.store.read.usageRecord(account.accountId, input.requestId))?.cost).toBe(most - 1n);
    });
  });
}
