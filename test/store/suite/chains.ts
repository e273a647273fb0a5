// Keys below keys: every level's budgets and rates hold for a call, and what it uses counts for all of them.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { taipeiDay, taipeiMonth } from '../../../src/kit/taipei.ts';
import type { KeyLimits } from '../../../src/store/key-limits.ts';
import type { AdmitInput, BudgetKind, ChangeKeyInput } from '../../../src/store/operations.ts';
import type { KeyRow } from '../../../src/store/rows.ts';
import { AMPLE, addKey, freeBy, paidBy } from './key-tree.ts';
import {
  admitted,
  createAccount,
  DAY,
  MINUTE,
  outcome,
  releasing,
  renewLease,
  sampleKey,
  settling,
  T0,
  T0_SECOND,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

/** What each budget is in the row of a key. */
const FIELDS: Record<BudgetKind, (limit: bigint) => Partial<KeyRow>> = {
  day: (dailyBudget) => ({ dailyBudget }),
  month: (monthBudget) => ({ limits: { monthBudget } }),
  total: (totalBudget) => ({ limits: { totalBudget } }),
  session: (sessionBudget) => ({ limits: { sessionBudget } }),
};
const KINDS = Object.keys(FIELDS) as BudgetKind[];
const MONTH = 31 * DAY;

const SPANS = { day: { span: taipeiDay(T0) }, month: { span: taipeiMonth(T0) }, total: {}, session: {} };

export function describeChains(open: OpenSubject): void {
  describe('keys below keys', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
    });
    afterAll(() => subject.close());

    const account = async (balance?: bigint) => (await createAccount(subject.store, balance)).accountId;
    const add = (accountId: string, fields?: Partial<KeyRow>, parent?: KeyRow) =>
      addKey(subject.store, accountId, fields, parent?.keyId ?? null);
    const asked = (key: KeyRow, fields?: Parameters<typeof paidBy>[2]) => paidBy(subject.store, key, fields);
    const admit = async (input: AdmitInput | Promise<AdmitInput>) => subject.store.commit('admit', await input);
    const pages = (keys: readonly KeyRow[]) =>
      subject.store.read
        .budgetsOf(keys.map(({ keyId }) => keyId))
        .then((found) => keys.map(({ keyId }) => found.find((one) => one.keyId === keyId)));
    const change = ({ accountId, keyId }: KeyRow, changes: ChangeKeyInput['changes']) =>
      subject.store.commit('changeKey', { accountId, keyId, changes, at: T0 });
    const differences = async () => (await subject.store.read.audit({})).differences;

    /** Three levels, the highest with the given fields. */
    const chain = async (fields: Partial<KeyRow>) => {
      const accountId = await account();
      const top = await add(accountId, fields);
      const middle = await add(accountId, {}, top);
      return { top, middle, low: await add(accountId, {}, middle) };
    };

    describe.each(KINDS)('a budget of the kind %s two levels above', (kind) => {
      test('is held by running calls, spent by settled ones, and given back by the others', async () => {
        const { top, middle, low } = await chain(FIELDS[kind](4_500n));
        const state = { budget: kind, keyId: top.keyId, limit: 4_500n, ...SPANS[kind] };
        const [first, second] = [await asked(low), await asked(middle)];
        await admitted(subject.store, first);
        await admitted(subject.store, second);
        expect(await admit(asked(low))).toEqual({
          ok: false,
          reason: 'budget_in_use',
          needed: 1_160n,
          available: 500n,
          affordableTokens: 0,
          short: { ...state, spent: 0n, held: 4_000n },
        });
        await subject.store.commit('release', releasing(second, true));
        await subject.store.commit('settle', settling(first, 1_999n));
        expect(await admit(asked(low, { hold: { least: 100, unit: 20n } }))).toMatchObject({
          reason: 'key_budget_exceeded',
          short: { ...state, spent: 1_999n, held: 0n },
        });
        expect(await admitted(subject.store, await asked(low))).toMatchObject({ held: 2_000n });
        expect(await admit(asked(top))).toMatchObject({ reason: 'budget_in_use', available: 501n });
        expect(await differences()).toEqual([]);
      });

      test('begins anew with its day or month, and else never', async () => {
        const { low } = await chain(FIELDS[kind](2_000n));
        const spent = await asked(low);
        await admitted(subject.store, spent);
        await subject.store.commit('settle', settling(spent, 2_000n));
        const later = async (at: number) => {
          const input = await asked(low, { at });
          const { ok } = await admit(input);
          await subject.store.commit('release', releasing(input, true));
          return ok;
        };
        const isNew = [await later(T0 + 1), await later(T0 + DAY), await later(T0 + MONTH)];
        expect(isNew).toEqual([false, kind === 'day', kind === 'day' || kind === 'month']);
      });
    });

    test('nothing is taken if one level refuses', async () => {
      const { top, middle, low } = await chain({ dailyBudget: 1_000n, limits: { requestsPerMinute: 5 } });
      const rows = () => Promise.all([pages([top, middle, low]), subject.store.read.wallet(top.accountId)]);
      const before = await rows();
      expect(await admit(asked(low))).toMatchObject({ ok: false, short: { keyId: top.keyId } });
      expect(await rows()).toEqual(before);
      expect(await subject.sql(`SELECT 1 AS n FROM windows WHERE window_id LIKE '%${top.keyId}'`)).toEqual([]);
    });

    test('of several budgets the tightest is named', async () => {
      const { middle, low } = await chain({ dailyBudget: 1_100n, limits: { monthBudget: 900n } });
      await change(middle, { limits: { totalBudget: 500n } });
      expect(await admit(asked(low))).toMatchObject({
        reason: 'key_budget_exceeded',
        short: { budget: 'total', keyId: middle.keyId, limit: 500n },
        available: 500n,
      });
    });

    test('a budget that is lowered binds the next call, and what is held of it stays', async () => {
      const { top, low } = await chain({ limits: { totalBudget: 10_000n } });
      const running = await asked(low);
      await admitted(subject.store, running);
      const input = await asked(low);
      await change(top, { limits: { totalBudget: 2_500n } });
      expect(await admit(input)).toMatchObject({ reason: 'budget_in_use', short: { held: 2_000n, limit: 2_500n } });
      await change(top, { limits: { totalBudget: null } });
      expect(await admit(input)).toMatchObject({ ok: true });
      await subject.store.commit('settle', settling(running, 700n));
      expect(await pages([top, low])).toMatchObject([
        { totalSpent: 700n, held: 2_000n, inFlight: 1, limits: null },
        { totalSpent: 700n, held: 2_000n, inFlight: 1 },
      ]);
    });

    test('every end of a call closes every level and the session', async () => {
      const { top, middle, low } = await chain({ limits: { sessionBudget: AMPLE, inFlight: 9 } });
      const calls = await Promise.all([1, 2, 3, 4].map(() => asked(low, { session: 's' })));
      for (const call of calls) await admitted(subject.store, call);
      const [settled, released, undone, swept] = calls as [AdmitInput, AdmitInput, AdmitInput, AdmitInput];
      const ids = ({ requestId, accountId, keyId, chain: own }: AdmitInput) =>
        ({ requestId, accountId, keyId, chain: own, at: T0 }) as const;
      const orphans = await subject.store.read.orphanedHolds({ deadNodes: [swept.nodeId], limit: 1_000 });
      expect(orphans.find(({ requestId }) => requestId === swept.requestId)?.chain).toMatchObject({
        rated: [top.keyId],
        sessions: [`${top.keyId}:s`],
      });
      await subject.store.commit('settle', settling(settled, 300n));
      await subject.store.commit('release', releasing(released, true));
      await subject.store.commit('undo', ids(undone));
      await subject.store.commit('sweep', ids(swept));
      const closed = { spent: 300n, monthSpent: 300n, totalSpent: 300n, held: 0n, inFlight: 0 };
      expect(await pages([top, middle, low])).toMatchObject([closed, closed, closed]);
      expect(
        await subject.sql(`SELECT spent_nano, held_nano FROM session_budgets WHERE session_id = '${top.keyId}:s'`),
      ).toEqual([{ spent_nano: 300n, held_nano: 0n }]);
      expect(await differences()).toEqual([]);
    });

    test('sessions are counted apart, and calls without a name are one', async () => {
      const { low } = await chain({ limits: { sessionBudget: 2_000n } });
      const session = async (name?: string) =>
        (await admit(asked(low, name === undefined ? {} : { session: name }))).ok;
      expect([await session('a'), await session('b'), await session('a')]).toEqual([true, true, false]);
      expect([await session(), await session()]).toEqual([true, false]);
    });

    test('the budgets that are used up by 80 % are named as they stood before the hold', async () => {
      const { top, middle, low } = await chain({ dailyBudget: 10_000n });
      await change(middle, { limits: { monthBudget: 9_000n } });
      const near = [];
      for (let call = 0; call < 4; call++) near.push((await admitted(subject.store, await asked(low))).nearBudgets);
      expect(near.slice(0, 3)).toEqual([undefined, undefined, undefined]);
      expect(near[3]).toEqual([
        { budget: 'month', keyId: middle.keyId, limit: 9_000n, spent: 0n, held: 6_000n, ...SPANS.month },
        { budget: 'day', keyId: top.keyId, limit: 10_000n, spent: 0n, held: 6_000n, ...SPANS.day },
      ]);
      await change(middle, { limits: { monthBudget: null } });
      const { nearBudgets } = await admitted(subject.store, await asked(low, { hold: { base: 0n, unit: 0n } }));
      expect(nearBudgets).toEqual([
        { budget: 'day', keyId: top.keyId, limit: 10_000n, spent: 0n, held: 8_000n, ...SPANS.day },
      ]);
    });

    describe('rates two levels above', () => {
      const limited = (limits: KeyLimits) => chain({ limits });

      test('requests of a minute are counted, and given back with the slots', async () => {
        const { top, low } = await limited({ requestsPerMinute: 2 });
        const first = await asked(low);
        expect(await admitted(subject.store, first)).toMatchObject({ allowance: { limit: 2, remaining: 1 } });
        await admitted(subject.store, await asked(top));
        const refused = { ok: false, reason: 'rate_limited', ofKey: { keyId: top.keyId, counts: 'requests' } };
        expect(await admit(asked(low))).toMatchObject({ ...refused, allowance: { limit: 2, used: 2 } });
        await subject.store.commit('release', releasing(first, true));
        await admitted(subject.store, await asked(low));
        expect((await admit(asked(low, { at: T0_SECOND + MINUTE - 1 }))).ok).toBe(false);
        expect((await admit(asked(low, { at: T0_SECOND + MINUTE }))).ok).toBe(true);
      });

      test('tokens are taken as they may be used, and corrected to what was used', async () => {
        const { top, low } = await limited({ tokensPerMinute: 400 });
        const first = await asked(low);
        expect(await admitted(subject.store, first)).toMatchObject({
          granted: 100,
          tokenAllowance: { limit: 400, used: 150, remaining: 250 },
        });
        await admitted(subject.store, await asked(low));
        const large = { tokens: { input: 90, perOutput: 1, wanted: 100, least: 16 } };
        expect(await admit(asked(low, large))).toMatchObject({
          reason: 'rate_limited',
          ofKey: { keyId: top.keyId, counts: 'tokens', needed: 106, fitting: 10 },
          allowance: { limit: 400, used: 300, remaining: 100, resetsAt: T0_SECOND + MINUTE },
        });
        // Its usage is 40 + 20 tokens.
        await subject.store.commit('settle', settling(first, 1n));
        expect(await admitted(subject.store, await asked(low))).toMatchObject({ tokenAllowance: { used: 360 } });
      });

      test('a call gets as many output tokens as the minute has left', async () => {
        const { low } = await limited({ tokensPerMinute: 266 });
        await admitted(subject.store, await asked(low));
        expect(await admitted(subject.store, await asked(low))).toMatchObject({
          granted: 66,
          tokenAllowance: { used: 266, remaining: 0 },
        });
        const refused = { reason: 'rate_limited', ofKey: { counts: 'tokens', needed: 66, fitting: 0 } };
        expect(await admit(asked(low))).toMatchObject(refused);
      });

      test('one call gets at most as many output tokens as a minute has', async () => {
        const { low } = await limited({ tokensPerMinute: 120 });
        const call = await asked(low);
        expect(await admitted(subject.store, call)).toMatchObject({ granted: 70, held: 1_700n });
        const large = await asked(low, { tokens: { input: 105, perOutput: 1, wanted: 100, least: 16 }, at: T0 + DAY });
        expect(await admit(large)).toMatchObject({
          reason: 'rate_limited',
          allowance: { remaining: 120 },
          ofKey: { counts: 'tokens', needed: 121 },
        });
      });

      test('running calls are counted, free ones too', async () => {
        const { top, low } = await limited({ inFlight: 2 });
        const call = await freeBy(subject.store, low);
        await admitted(subject.store, call);
        await admitted(subject.store, await asked(low));
        const refused = { reason: 'too_many_in_flight', ofKey: { keyId: top.keyId, counts: 'in_flight' } };
        expect(await admit(asked(top))).toMatchObject({ ...refused, allowance: { limit: 2, used: 2 } });
        expect(await admit(freeBy(subject.store, low))).toMatchObject(refused);
        await subject.store.commit('settle', settling(call, 0n));
        expect((await admit(freeBy(subject.store, low))).ok).toBe(true);
        expect(await differences()).toEqual([]);
      });
    });

    describe('a key below another', () => {
      const make = (accountId: string, parentId: string | null, fields: Partial<KeyRow> = {}) =>
        subject.store.commit('createKey', {
          key: sampleKey(accountId, { manage: false, delegate: true, parentId, dailyBudget: 1n, ...fields }),
          at: T0,
        });
      const BOUNDS: Partial<KeyRow> = {
        models: ['a', 'b'],
        dailyBudget: 100n,
        expiresAt: T0 + DAY,
        limits: {
          monthBudget: 200n,
          totalBudget: 300n,
          sessionBudget: 50n,
          requestsPerMinute: 10,
          tokensPerMinute: 1_000,
          inFlight: 3,
        },
      };
      const BEYOND: [field: string, fields: Partial<KeyRow>][] = [
        ['models', { models: ['a', 'c'] }],
        ['dailyBudget', { dailyBudget: 101n }],
        ['expiresAt', { expiresAt: T0 + DAY + 1 }],
        ['monthBudget', { limits: { monthBudget: 201n } }],
        ['totalBudget', { limits: { totalBudget: 301n } }],
        ['sessionBudget', { limits: { sessionBudget: 51n } }],
        ['requestsPerMinute', { limits: { requestsPerMinute: 11 } }],
        ['tokensPerMinute', { limits: { tokensPerMinute: 1_001 } }],
        ['inFlight', { limits: { inFlight: 4 } }],
      ];

      test.each(BEYOND)(
        'cannot have more of %s than an ancestor, when it is made or changed',
        async (field, fields) => {
          const accountId = await account();
          const top = await add(accountId, BOUNDS);
          const middle = await add(accountId, { dailyBudget: 100n }, top);
          const refused = { ok: false, reason: 'exceeds_ancestor', field };
          expect(await make(accountId, middle.keyId, fields)).toMatchObject(refused);
          const low = await add(accountId, { ...BOUNDS, limits: BOUNDS.limits ?? {} }, middle);
          expect(await change(low, fields as ChangeKeyInput['changes'])).toMatchObject(refused);
        },
      );

      test('may keep what it has when an ancestor is narrowed', async () => {
        const accountId = await account();
        const top = await add(accountId, BOUNDS);
        const low = await add(accountId, { dailyBudget: 100n }, top);
        await change(top, { dailyBudget: 5n, delegate: false });
        expect(await change(low, { name: 'renamed' })).toMatchObject({ ok: true, key: { dailyBudget: 100n } });
        expect(await change(low, { dailyBudget: 99n })).toMatchObject({ reason: 'exceeds_ancestor' });
        await change(low, { delegate: false });
        expect(await change(low, { delegate: true })).toMatchObject({ reason: 'exceeds_ancestor', field: 'delegate' });
      });

      test('needs a budget, a valid parent that delegates, and a depth of at most 8', async () => {
        const accountId = await account();
        const top = await add(accountId);
        const child = await add(accountId, { dailyBudget: 1n, limits: {} }, top);
        const plain = await add(accountId, { delegate: false });
        const old = await add(accountId, { expiresAt: T0 });
        expect(await make(accountId, top.keyId, { dailyBudget: null })).toEqual({
          ok: false,
          reason: 'child_needs_budget',
        });
        expect(await change(child, { dailyBudget: null })).toMatchObject({ reason: 'child_needs_budget' });
        expect(await change(child, { dailyBudget: null, limits: { totalBudget: 5n } })).toMatchObject({ ok: true });
        expect(await make(accountId, plain.keyId)).toMatchObject({ reason: 'parent_not_delegating' });
        expect(await make(accountId, old.keyId)).toMatchObject({ reason: 'parent_gone' });
        expect(await make(accountId, 'key_none')).toMatchObject({ reason: 'parent_gone' });
        expect(await make(await account(), top.keyId)).toMatchObject({ reason: 'parent_gone' });
        let last = top;
        for (let depth = 1; depth <= 8; depth++) {
          last = await add(accountId, {}, last);
          expect(last.depth).toBe(depth);
        }
        expect(await make(accountId, last.keyId)).toMatchObject({ reason: 'too_deep' });
      });

      test('is revoked with every key above it', async () => {
        const { top, middle, low } = await chain({});
        const sibling = await add(top.accountId, {}, top);
        const { accountId } = top;
        await subject.store.commit('revokeKey', { accountId, keyId: middle.keyId, at: T0 + 5 });
        const keys = await subject.store.read.keysOf(accountId);
        const revoked = keys.filter(({ revokedAt }) => revokedAt === T0 + 5).map(({ keyId }) => keyId);
        expect(revoked.toSorted()).toEqual([middle.keyId, low.keyId].toSorted());
        expect(await make(accountId, low.keyId)).toMatchObject({ reason: 'parent_gone' });
        expect(await make(accountId, sibling.keyId)).toMatchObject({ ok: true });
      });

      test('a delegating key acts on the keys below it, and on no others', async () => {
        const { top, middle, low } = await chain({});
        const { accountId } = top;
        const by = { keyId: middle.keyId, keyHash: middle.hash };
        const created = (parentId: string | null) =>
          subject.store.commit('createKey', {
            key: sampleKey(accountId, { manage: false, dailyBudget: 1n, parentId }),
            by,
            at: T0,
          });
        const refused = { ok: false, reason: 'actor_not_permitted' };
        expect(await created(middle.keyId)).toMatchObject({ ok: true });
        expect(await created(low.keyId)).toMatchObject({ ok: true });
        expect(await created(top.keyId)).toMatchObject(refused);
        expect(await created(null)).toMatchObject(refused);
        const changed = (keyId: string) =>
          subject.store.commit('changeKey', { accountId, keyId, changes: { name: 'x' }, by, at: T0 });
        expect(await changed(low.keyId)).toMatchObject({ ok: true });
        expect(await changed(middle.keyId)).toMatchObject(refused);
        expect(await changed(top.keyId)).toMatchObject(refused);
        const revoked = (keyId: string) => subject.store.commit('revokeKey', { accountId, keyId, by, at: T0 });
        expect(await revoked(top.keyId)).toMatchObject(refused);
        expect(await revoked(low.keyId)).toMatchObject({ ok: true });
        await change(middle, { delegate: false });
        expect(await created(middle.keyId)).toMatchObject(refused);
        await subject.store.commit('revokeKey', { accountId, keyId: top.keyId, at: T0 });
        expect(await created(middle.keyId)).toMatchObject({ reason: 'actor_gone' });
      });
    });

    test('limits that are changed one by one do not lose each other', async () => {
      const { top } = await chain({ limits: { monthBudget: 5n } });
      await change(top, { limits: { inFlight: 2 } });
      await change(top, { limits: { monthBudget: 4n } });
      const [row] = (await subject.store.read.keysOf(top.accountId)).filter(({ keyId }) => keyId === top.keyId);
      expect(row?.limits).toEqual({ monthBudget: 4n, inFlight: 2 });
      expect((await pages([top]))[0]?.limits).toEqual({ monthBudget: 4n, inFlight: 2 });
    });

    test('sessions are forgotten after 30 days, unless something is held', async () => {
      const { top, low } = await chain({ limits: { sessionBudget: AMPLE } });
      const [old, running] = [await asked(low, { session: 'old' }), await asked(low, { session: 'running' })];
      for (const call of [old, running]) await admitted(subject.store, call);
      await subject.store.commit('settle', { ...settling(old, 5n), outcome: outcome({ at: T0 }) });
      const left = async () =>
        (await subject.sql(`SELECT session_id FROM session_budgets WHERE session_id LIKE '${top.keyId}%'`)).length;
      await subject.store.forget(T0 + 28 * DAY);
      expect(await left()).toBe(2);
      await subject.store.forget(T0 + 28 * DAY + 1);
      expect(await left()).toBe(1);
      await subject.store.commit('settle', settling(running, 5n));
      expect(await differences()).toEqual([]);
    });
  });
}
