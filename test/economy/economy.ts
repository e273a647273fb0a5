// A random economy: exported once, run on every store. ECONOMY_CUSTOMERS and ECONOMY_SEED say how many customers, and which.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { MoneyStore } from '../money/money-races.ts';
import type { Answer } from '../support/answer.ts';
import { nano } from '../support/nano.ts';
import { addUpProfit, type BookedLoss, type ReadRows, readProfit, rowsOfFile, sumOf } from './books.ts';
import { type Market, startMarket } from './market.ts';
import { type Deal, describeDeal, economyModels, runEconomy, type Trader } from './run-economy.ts';

export interface EconomyStore extends MoneyStore {
  /** How its tables are read; by default, from the gateway's file. */
  rows?: ReadRows;
  /** What is wrong with its ledger. */
  audit(market: Market): Promise<unknown[]>;
}

const { ECONOMY_CUSTOMERS, ECONOMY_SEED } = process.env;
const CUSTOMERS = Number(ECONOMY_CUSTOMERS ?? 10);
const ORDERS = 26;
/** The same each time; another one where more customers are asked for. */
const SEED = Number(ECONOMY_SEED ?? (ECONOMY_CUSTOMERS === undefined ? 20_261_117 : Date.now() % 1_000_000_007));
/** NT$ that one account may cost the operator on one day. */
const GUARD = '0.004';
/** Losses that no customer causes: they are bounded by no guard. */
const UNGUARDED = new Set(['free_model', 'gateway_died', 'gateway_cut', 'failed_attempt', 'replaced_run', 'hedge']);
const TIMEOUT_MS = 60_000 + CUSTOMERS * 10_000;

export function describeEconomy(name: string, open: () => Promise<EconomyStore>): void {
  describe(`${name}: ${CUSTOMERS} customers, seed ${SEED}`, () => {
    let store: EconomyStore;
    let market: Market;
    let traders: Trader[] = [];
    let losses: BookedLoss[] = [];

    beforeAll(async () => {
      store = await open();
      market = await startMarket({
        env: store.env,
        guards: { loss_per_account_day: Number(GUARD) },
        models: economyModels(CUSTOMERS),
        ...(store.rows ? { rows: store.rows } : {}),
      });
      traders = await runEconomy(market, { seed: SEED, customers: CUSTOMERS, orders: ORDERS });
      losses = await market.losses();
    }, TIMEOUT_MS);
    afterAll(async () => {
      await market.stop();
      await store.remove();
    }, TIMEOUT_MS);

    const deals = () => traders.flatMap((trader) => trader.deals);
    const lossesOf = ({ record }: Deal) => losses.filter(({ requestId }) => requestId === record?.request_id);
    const wrong = (isWrong: (deal: Deal) => boolean) =>
      deals()
        .filter(isWrong)
        .map((deal) => {
          const booked = lossesOf(deal).map(({ reason, amount }) => `${reason} ${amount}`);
          return `seed ${SEED}: ${describeDeal(deal)}, booked: ${booked.join(', ') || 'nothing'}`;
        });

    test('most orders reach a vendor', () => {
      expect(deals().filter(({ calls }) => calls.length > 0).length).toBeGreaterThan(CUSTOMERS * ORDERS * 0.9);
    });

    test('the losses of an account on one day stay within the guard', () => {
      const sums = new Map<string, bigint>();
      for (const loss of losses.filter(({ reason }) => !UNGUARDED.has(reason))) {
        const place = `${loss.accountId} ${loss.day}`;
        sums.set(place, (sums.get(place) ?? 0n) + loss.amount);
      }
      expect([...sums].filter(([, sum]) => sum > nano(GUARD))).toEqual([]);
      const named = market.gateway.log.alarms('account_losses').map(({ account_id }) => String(account_id));
      expect(named.length).toBeGreaterThan(0);
      expect(named).toHaveLength(new Set(named).size);
    });

    test('what vendors bill and customers do not pay stays within the guard', () => {
      const uncovered = traders.map(({ customer, deals: own }) => {
        const open = own.reduce((sum, { billed, charged }) => sum + (billed > charged ? billed - charged : 0n), 0n);
        const slack = own.reduce((sum, deal) => sum + deal.slack, 0n);
        // Failures of one upstream that another made good are booked, and no customer answers for them.
        const failures = own.flatMap(lossesOf).filter(({ reason }) => UNGUARDED.has(reason));
        return { account: customer.accountId, over: open - nano(GUARD) - slack - sumOf(failures) };
      });
      expect(uncovered.filter(({ over }) => over > 0n)).toEqual([]);
    });

    test('a bill is paid or booked: exactly where usage was reported, and nearly where it was not', () => {
      expect(
        wrong((deal) => {
          const open = deal.billed - deal.charged - sumOf(lossesOf(deal));
          return open > deal.slack || -open > deal.slack;
        }),
      ).toEqual([]);
    });

    test('what is not paid is booked with a reason', () => {
      expect(wrong((deal) => deal.billed > deal.charged + deal.slack && lossesOf(deal).length === 0)).toEqual([]);
    });

    test('the cost of every request is known: sold at cost, it is what was charged', async () => {
      const rows = store.rows ?? rowsOfFile(market.gateway);
      const wrongOnes = 'upstream_nano IS NULL OR upstream_nano <> cost_nano';
      expect(await rows(`SELECT request_id, cost_nano, upstream_nano FROM usage_records WHERE ${wrongOnes}`)).toEqual(
        [],
      );
    });

    test('profit agrees to the nano with entries, recorded costs and losses, by whatever it is summed', async () => {
      const { revenue, cost, loss, profit } = await addUpProfit(store.rows ?? rowsOfFile(market.gateway));
      expect(loss).toBeGreaterThan(0n);
      expect(revenue).toBeGreaterThan(0n);
      for (const by of ['model', 'channel', 'account', 'day']) {
        const { rows, total } = await readProfit(market.gateway, by);
        const sum = (name: string) => rows.reduce((all, row) => all + BigInt(row[name]), 0n);
        expect([by, sum('revenue_nano'), sum('cost_nano')]).toEqual([by, revenue, cost]);
        expect([by, sum('loss_nano'), sum('profit_nano')]).toEqual([by, loss, profit]);
        expect([by, total.unknown_cost_requests, total.profit_nano]).toEqual([by, 0, profit.toString()]);
      }
    });

    test('honest customers pay exactly what was reported', () => {
      const honest = traders.filter(({ isHonest }) => isHonest).flatMap((trader) => trader.deals);
      expect(honest.length).toBeGreaterThan(0);
      expect(honest.filter(({ billed, charged }) => billed !== charged).map(describeDeal)).toEqual([]);
      expect(honest.flatMap(lossesOf)).toEqual([]);
      expect(honest.filter(({ record }) => record?.estimated !== false).map(describeDeal)).toEqual([]);
    });

    test('the lines of every receipt add up to what was charged', async () => {
      const wrongOnes: string[] = [];
      for (const { customer, deals: own } of traders) {
        for (const { record, charged } of own.filter((deal) => deal.record !== undefined)) {
          const { lines } = await customer.receipt(record.request_id);
          const amounts: bigint[] = lines.map(({ amount_nano }: Answer) => BigInt(amount_nano));
          if (amounts.reduce((sum, amount) => sum + amount, 0n) !== charged) wrongOnes.push(record.request_id);
        }
      }
      expect(wrongOnes).toEqual([]);
    });

    test('the ledger is clean, and nothing stays held', async () => {
      for (const { customer } of traders) expect(await customer.held()).toBe(0n);
      expect(await store.audit(market)).toEqual([]);
    });
  });
}
