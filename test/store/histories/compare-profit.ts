// Profit as it is read, against the ledger: every entry, recorded cost and loss added up one by one, by each of what profit can be
// summed by. Of the sums that the store keeps nothing is used.

import type { Database } from 'bun:sqlite';
import { taipeiDay } from '../../../src/kit/taipei.ts';
import { PROFIT_READS } from '../../../src/store/profit-reads.ts';
import { PROFIT_BY, type ProfitFigures, type ProfitQuery, type ProfitReport } from '../../../src/store/reads.ts';
import type { ReadRows } from '../../economy/books.ts';

export type ReadProfit = (query: ProfitQuery) => ProfitReport | Promise<ProfitReport>;

const RECORDS = `SELECT request_id, account_id, model, channel, CAST(at AS TEXT) AS at, CAST(upstream_nano AS TEXT) AS cost
  FROM usage_records`;
const ENTRIES = `SELECT kind, account_id, reference, refund_of, CAST(at AS TEXT) AS at, CAST(amount_nano AS TEXT) AS amount
  FROM entries WHERE kind IN ('usage', 'refund')`;
const LOSSES = `SELECT account_id, model, channel, CAST(day AS TEXT) AS day, CAST(amount_nano AS TEXT) AS amount FROM losses`;

/** Beyond every day and every row of a history. */
const ALL = { from: 0, to: 1_000_000, limit: 10_000_000 };
const NOTHING: ProfitFigures = { requests: 0, revenue: 0n, knownRequests: 0, knownRevenue: 0n, cost: 0n, loss: 0n };

type Place = Record<(typeof PROFIT_BY)[number], string>;

interface Part {
  place: Place;
  figures: Partial<ProfitFigures>;
}

/** How they differ; undefined if they agree to the nano. */
export async function compareProfit(rows: ReadRows, profit: ReadProfit): Promise<string | undefined> {
  const parts = await partsOf(rows);
  for (const by of PROFIT_BY) {
    const expected = new Map<string, ProfitFigures>();
    for (const { place, figures } of parts) {
      expected.set(place[by], add(expected.get(place[by]) ?? NOTHING, figures));
    }
    const { sums, totals } = await profit({ by, ...ALL });
    const found = new Map(sums.map(({ key, ...figures }) => [key ?? '', figures]));
    for (const key of new Set([...expected.keys(), ...found.keys()])) {
      const [own, read] = [expected.get(key), found.get(key)];
      if (!Bun.deepEquals(own, read)) return `profit of ${by} ${key}: ${Bun.inspect(own)}, read ${Bun.inspect(read)}`;
    }
    const all = parts.reduce((sum, { figures }) => add(sum, figures), NOTHING);
    if (!Bun.deepEquals(all, totals)) return `profit by ${by}: ${Bun.inspect(all)}, read ${Bun.inspect(totals)}`;
  }
  return undefined;
}

/** The same of a file that is open here. */
export function compareFileProfit(db: Database): Promise<string | undefined> {
  const ask = (sql: string, values: readonly (string | number)[]) =>
    db.query<Record<string, unknown>, (string | number)[]>(sql).all(...values);
  return compareProfit(
    async (query) => ask(query, []),
    (query) => {
      const questions = PROFIT_READS.profit.ask(query);
      const answers = questions.map(({ sql, values }) => ask(sql, values.map(Number)));
      return PROFIT_READS.profit.decode(answers, query);
    },
  );
}

async function partsOf(rows: ReadRows): Promise<Part[]> {
  const records = new Map((await rows(RECORDS)).map((row) => [String(row.request_id), row]));
  const placeOf = (accountId: unknown, day: number, of: Record<string, unknown> | undefined): Place => ({
    model: String(of?.model ?? ''),
    channel: String(of?.channel ?? ''),
    account: String(accountId),
    day: String(day),
  });
  const used = [...records.values()].map(
    (row): Part => ({
      place: placeOf(row.account_id, taipeiDay(Number(row.at)), row),
      figures: { requests: 1, ...(row.cost === null ? {} : { knownRequests: 1, cost: BigInt(String(row.cost)) }) },
    }),
  );
  const paid = (await rows(ENTRIES)).map((row): Part => {
    const amount = BigInt(String(row.amount));
    const record = records.get(String(row.kind === 'usage' ? row.reference : row.refund_of));
    const revenue = row.kind === 'usage' ? amount : -amount;
    const isKnown = record ? record.cost !== null : row.kind === 'refund';
    // A charge counts on the day of its request, which may end after midnight; a refund on its own day.
    const { at } = row.kind === 'usage' && record ? record : row;
    return {
      place: placeOf(row.account_id, taipeiDay(Number(at)), record),
      figures: { revenue, ...(isKnown ? { knownRevenue: revenue } : {}) },
    };
  });
  const lost = (await rows(LOSSES)).map(
    (row): Part => ({
      place: placeOf(row.account_id, Number(row.day), row),
      figures: { loss: BigInt(String(row.amount)) },
    }),
  );
  return [...used, ...paid, ...lost];
}

function add(sum: ProfitFigures, part: Partial<ProfitFigures>): ProfitFigures {
  return {
    requests: sum.requests + (part.requests ?? 0),
    revenue: sum.revenue + (part.revenue ?? 0n),
    knownRequests: sum.knownRequests + (part.knownRequests ?? 0),
    knownRevenue: sum.knownRevenue + (part.knownRevenue ?? 0n),
    cost: sum.cost + (part.cost ?? 0n),
    loss: sum.loss + (part.loss ?? 0n),
  };
}
