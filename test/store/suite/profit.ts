// Profit: what upstreams bill for what customers pay stands in the records and in the sums by day, and is in no loss.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_NANO, NANO_PER_NTD } from '../../../src/kit/money.ts';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import type { Losses, Outcome } from '../../../src/store/operations.ts';
import type { ProfitBy, ProfitSum } from '../../../src/store/reads.ts';
import { loss } from './losses.ts';
import {
  type Account,
  admitted,
  createAccount,
  DAY,
  free,
  fresh,
  issueCards,
  paid,
  redeeming,
  releasing,
  renewLease,
  settling,
  T0,
} from './samples.ts';
import type { OpenSubject, StoreSubject } from './subject.ts';

const TODAY = taipeiDay(T0);
const GUARD = 1_000n;

interface Closed {
  cost?: bigint;
  losses?: Losses;
  outcome?: Partial<Outcome>;
}

export function describeProfit(open: OpenSubject): void {
  describe('profit', () => {
    let subject: StoreSubject;
    beforeAll(async () => {
      subject = await open();
      await renewLease(subject.store);
    });
    afterAll(() => subject.close());

    async function settled(account: Account, { cost = 0n, losses, outcome }: Closed): Promise<string> {
      const input = paid(account);
      await admitted(subject.store, input);
      await subject.store.commit('settle', { ...settling(input, cost, outcome), losses });
      return input.requestId;
    }
    const costOf = async ({ accountId }: Account, requestId: string) =>
      (await subject.store.read.usageRecord(accountId, requestId))?.upstreamCost;
    const sumsBy = async (by: ProfitBy, days = 1) =>
      (await subject.store.read.profit({ by, from: TODAY, to: TODAY + days, limit: 100 })).sums;
    const sumOf = async ({ accountId }: Account): Promise<ProfitSum | undefined> =>
      (await sumsBy('account')).find(({ key }) => key === accountId);

    test('the sums have the cost where it is known, and how much of the revenue that is', async () => {
      const account = await createAccount(subject.store, 10_000n);
      await settled(account, { cost: 100n, outcome: { upstreamCost: 60n } });
      await settled(account, { cost: 50n, outcome: { upstreamCost: 0n } });
      const unknown = await settled(account, { cost: 30n, outcome: { upstreamCost: null } });
      await settled(account, { cost: 7n });
      expect(await costOf(account, unknown)).toBeNull();
      expect(await sumOf(account)).toEqual({
        key: account.accountId,
        requests: 4,
        revenue: 187n,
        knownRequests: 2,
        knownRevenue: 150n,
        cost: 60n,
        loss: 0n,
      });
    });

    test('what the guard makes the customer pay for is cost, and no loss', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const losses = (amount: bigint): Losses => ({ items: [loss({ amount, charge: 400n })], guard: GUARD });
      expect(
        await costOf(account, await settled(account, { losses: losses(999n), outcome: { upstreamCost: 0n } })),
      ).toBe(0n);
      // Of 4, 1 is still free.
      const tooMuch = await settled(account, { cost: 30n, losses: losses(4n), outcome: { upstreamCost: 20n } });
      expect(await costOf(account, tooMuch)).toBe(23n);
      expect(await sumOf(account)).toMatchObject({ revenue: 330n, cost: 23n, loss: 1_000n });
    });

    test('the cost of what the guard charges is unknown where its route states none', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const items = [loss({ amount: 5n, charge: 9n, isAtSalePrice: true })];
      const free = await settled(account, { losses: { items, guard: GUARD }, outcome: { upstreamCost: 0n } });
      expect(await costOf(account, free)).toBe(0n);
      const charged = await settled(account, { losses: { items, guard: 0n }, outcome: { upstreamCost: 0n } });
      expect(await costOf(account, charged)).toBeNull();
    });

    test('a cost that no request can have is unknown, and so large a loss does no harm', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const most = 10_000n * NANO_PER_NTD;
      expect(await costOf(account, await settled(account, { outcome: { upstreamCost: most } }))).toBe(most);
      expect(await costOf(account, await settled(account, { outcome: { upstreamCost: most + 1n } }))).toBeNull();
      const other = await createAccount(subject.store, 10_000n);
      const items = [loss({ reason: 'hedge', amount: MAX_NANO - 1n, charge: 0n })];
      await settled(other, { losses: { items, guard: null } });
      await settled(other, { losses: { items, guard: null } });
      const [row] = await subject.sql(
        `SELECT losses, amount_nano FROM loss_sums WHERE account_id = '${other.accountId}'`,
      );
      expect(row).toEqual({ losses: 2n, amount_nano: MAX_NANO });
      await subject.plant(`DELETE FROM loss_sums WHERE account_id = '${other.accountId}'`);
      await subject.plant(`DELETE FROM losses WHERE account_id = '${other.accountId}'`);
    });

    test('what no call was settled for costs nothing but its losses', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const released = paid(account);
      await admitted(subject.store, released);
      const items = [loss({ reason: 'no_answer', amount: 40n, charge: 0n })];
      const release = { ...releasing(released, false), losses: { items, guard: GUARD } };
      await subject.store.commit('release', { ...release, outcome: { ...release.outcome, upstreamCost: 0n } });
      const dead = paid(account);
      const { requestId, accountId, keyId } = dead;
      await admitted(subject.store, dead);
      await subject.store.commit('sweep', { requestId, accountId, keyId, at: T0 });
      expect(await costOf(account, requestId)).toBe(0n);
      expect(await sumOf(account)).toMatchObject({
        requests: 2,
        knownRequests: 2,
        revenue: 0n,
        cost: 0n,
        loss: 2_040n,
      });
    });

    test('rows come by revenue, days in their order, and totals are of all', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const names = [fresh('model'), fresh('model')];
      const tomorrow = paid(account, { at: T0 + DAY });
      await admitted(subject.store, tomorrow);
      await subject.store.commit('settle', settling(tomorrow, 5n, { at: T0 + DAY, model: names[0], upstreamCost: 1n }));
      await settled(account, { cost: 80n, outcome: { model: names[1], channel: null, upstreamCost: 70n } });
      const byModel = (await sumsBy('model', 2)).filter(({ key }) => names.includes(key ?? ''));
      expect(byModel.map(({ key, revenue }) => [key, revenue])).toEqual([
        [names[1] ?? '', 80n],
        [names[0] ?? '', 5n],
      ]);
      expect((await sumsBy('day', 2)).map(({ key }) => key)).toEqual([String(TODAY), String(TODAY + 1)]);
      expect((await sumsBy('channel')).find(({ key }) => key === null)).toMatchObject({ revenue: 80n, cost: 70n });
      const query = { from: TODAY, to: TODAY + 2, limit: 1 };
      const { sums, totals } = await subject.store.read.profit({ ...query, by: 'account' });
      const all = await subject.store.read.profit({ ...query, by: 'account', limit: 1_000 });
      expect(sums).toHaveLength(1);
      expect(all.totals).toEqual(totals);
      expect(all.sums.reduce((sum, { cost }) => sum + cost, 0n)).toBe(totals.cost);
      expect(all.sums.reduce((sum, { loss: one }) => sum + one, 0n)).toBe(totals.loss);
    });

    test('what was paid in advance: cards that nobody redeemed, and what is left of those that somebody did', async () => {
      const before = await subject.store.read.cardLiability();
      const account = await createAccount(subject.store, 1_000n);
      const { cards } = await issueCards(subject.store, 3, { amount: 500n });
      await issueCards(subject.store, 1, { kind: 'promo', amount: 9_000n });
      await subject.store.commit('redeem', redeeming(account.accountId, cards[0]?.hash ?? ''));
      await subject.store.commit('void', { hash: cards[1]?.hash ?? '' });
      const balance = async () => (await subject.store.read.wallet(account.accountId))?.balance ?? 0n;
      const after = await subject.store.read.cardLiability();
      expect(after.sold - before.sold).toBe(1_000n);
      expect(after.redeemed - before.redeemed).toBe(500n);
      expect(after.balances - before.balances).toBe(await balance());
      // Trial credit is spent first.
      expect(after.unspent - before.unspent).toBe(500n);
      await settled(account, { cost: 1_200n });
      expect((await subject.store.read.cardLiability()).unspent - before.unspent).toBe(300n);
    });

    test('a refund takes from the revenue of its request, on the day of the refund', async () => {
      const account = await createAccount(subject.store, 10_000n);
      const model = fresh('model');
      const id = await settled(account, { cost: 100n, outcome: { model, upstreamCost: 60n } });
      const unknown = await settled(account, { cost: 50n, outcome: { model, upstreamCost: null } });
      const day = TODAY + 40;
      const refund = (amount: bigint, of?: string) => {
        const log = { at: T0, actor: 'cli', action: 'accounts.refund', subject: account.accountId, detail: {} };
        return subject.store.commit('refund', {
          ...{ accountId: account.accountId, amount, reference: fresh('reference'), reason: 'a test', log },
          ...{
            at: T0 + 40 * DAY,
            of: of === undefined ? undefined : { kind: 'request', id: of, charged: 100n, paid: null },
          },
        });
      };
      for (const [amount, of] of [
        [30n, id],
        [20n, unknown],
        [7n, undefined],
      ] as const)
        await refund(amount, of);
      const none = { requests: 0, knownRequests: 0, cost: 0n, loss: 0n };
      const report = await subject.store.read.profit({ by: 'model', from: day, to: day + 1, limit: 9 });
      expect(report.totals).toEqual({ ...none, revenue: -57n, knownRevenue: -37n });
      expect(report.sums).toEqual([
        { ...none, key: null, revenue: -7n, knownRevenue: -7n },
        { ...none, key: model, revenue: -50n, knownRevenue: -30n },
      ]);
      const byChannel = await subject.store.read.profit({ by: 'channel', from: day, to: day + 1, limit: 9 });
      expect(byChannel.sums.map(({ key, revenue }) => [key, revenue])).toEqual([
        [null, -7n],
        ['channel-a', -50n],
      ]);
    });

    test('a free model without a cost has an unknown one', async () => {
      const account = await createAccount(subject.store, 0n);
      const input = free(account);
      await admitted(subject.store, input);
      await subject.store.commit('settle', settling(input, 0n, { upstreamCost: null }));
      expect(await sumOf(account)).toMatchObject({ requests: 1, knownRequests: 0, revenue: 0n });
    });
  });
}
