// What the gateway has booked: losses, and the rule of the billing table that decided a charge.

import { adminApiOf } from '../support/admin-api.ts';
import type { Answer } from '../support/answer.ts';
import type { TestGateway } from '../support/gateway.ts';

export interface BookedLoss {
  requestId: string;
  day: string;
  accountId: string;
  model: string;
  channel: string | null;
  reason: string;
  amount: bigint;
}

/** Rows of a query, integers as bigint: of the file of a gateway, or of its PostgreSQL. */
export type ReadRows = (query: string) => Promise<Record<string, unknown>[]>;

const LOSSES = 'SELECT request_id, day, account_id, model, channel, reason, amount_nano FROM losses ORDER BY at';

export async function readLosses(rows: ReadRows): Promise<BookedLoss[]> {
  return (await rows(LOSSES)).map((row) => ({
    requestId: String(row.request_id),
    day: String(row.day),
    accountId: String(row.account_id),
    model: String(row.model),
    channel: row.channel === null ? null : String(row.channel),
    reason: String(row.reason),
    amount: BigInt(String(row.amount_nano)),
  }));
}

export function rowsOfFile(gateway: TestGateway): ReadRows {
  return async (query) => gateway.sql(query);
}

export interface LossSums {
  byReason: Record<string, bigint>;
  total: bigint;
}

/** As the operator reads them: the sums of today. */
export async function readLossSums(gateway: TestGateway): Promise<LossSums> {
  const { status, body } = await adminApiOf(gateway)('GET', '/losses?by=reason&days=1');
  if (status !== 200) throw new Error(`no losses: ${status}`);
  const sums: [string, bigint][] = body.data.map(({ key, loss_nano }: Answer) => [key, BigInt(loss_nano)]);
  return { byReason: Object.fromEntries(sums), total: BigInt(body.total_nano) };
}

const PROFIT_NOTES = `SELECT
    (SELECT CAST(coalesce(sum(amount_nano), 0) AS TEXT) FROM entries WHERE kind = 'usage') AS revenue,
    (SELECT CAST(coalesce(sum(upstream_nano), 0) AS TEXT) FROM usage_records) AS cost,
    (SELECT CAST(coalesce(sum(amount_nano), 0) AS TEXT) FROM losses) AS loss`;

/** Added up from entries, records and losses, one by one. */
export async function addUpProfit(rows: ReadRows): Promise<Record<'revenue' | 'cost' | 'loss' | 'profit', bigint>> {
  const [row = {}] = await rows(PROFIT_NOTES);
  const [revenue, cost, loss] = [row.revenue, row.cost, row.loss].map((text) => BigInt(String(text)));
  if (revenue === undefined || cost === undefined || loss === undefined) throw new Error('no figures');
  return { revenue, cost, loss, profit: revenue - cost - loss };
}

/** As the operator reads it: each row by model, channel, account or day, and the total. */
export async function readProfit(gateway: TestGateway, by: string): Promise<{ rows: Answer[]; total: Answer }> {
  const { status, body } = await adminApiOf(gateway)('GET', `/profit?by=${by}`);
  if (status !== 200) throw new Error(`no profit: ${status}`);
  return { rows: body.data, total: body.total };
}

/** The row of the billing table that decided what a request costs. */
export function ruleOf(receipt: Answer): string | undefined {
  return receipt.rule;
}

/** `amount_nano` of all of them together. */
export function sumOf(losses: readonly BookedLoss[]): bigint {
  return losses.reduce((sum, { amount }) => sum + amount, 0n);
}
