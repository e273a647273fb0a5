// Statements by Taipei month: the sums of an account's entries in groups, and whom the statement names.

import type { Clock } from '../kit/clock.ts';
import { CsvNumber, csvHead, csvRows } from '../kit/csv.ts';
import { formatNtd, type Nano } from '../kit/money.ts';
import { taipeiMonth, taipeiMonthStart } from '../kit/taipei.ts';
import { isTaxId } from '../kit/tax-id.ts';
import type { StoredEntry } from '../store/rows.ts';
import { STATEMENT_ENTRIES, type StatementSum } from '../store/statement-reads.ts';
import type { Store } from '../store/store.ts';

export const STATEMENT_LINES = ['paid_in', 'credits', 'usage', 'refunds', 'payouts', 'fees'] as const;
type StatementLine = (typeof STATEMENT_LINES)[number];

/** Details for statements, entered by the customer or the operator. */
export interface Billing {
  name: string | null;
  taxId: string | null;
}

export type Statement = NonNullable<Awaited<ReturnType<typeof readStatement>>>;

interface StatementTools {
  store: Pick<Store, 'read'>;
  clock: Clock;
}

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const MAX_MONTHS = 120;
const MAX_BILLING_NAME = 100;

/** From the account's first month to this one, newest first. */
export async function listMonths({ store, clock }: StatementTools, accountId: string): Promise<string[]> {
  const since = await store.read.accountSince(accountId);
  if (since === undefined) return [];
  const last = taipeiMonth(clock.now());
  const count = Math.min(Math.max(last - taipeiMonth(since) + 1, 1), MAX_MONTHS);
  return Array.from({ length: count }, (_, index) => monthText(last - index));
}

function monthText(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`;
}

/** Undefined if the account had no such month: 2026-11. */
export async function readStatement(tools: StatementTools, accountId: string, month: string) {
  const { store, clock } = tools;
  const [, year, ofYear] = MONTH.exec(month) ?? [];
  if (!(await listMonths(tools, accountId)).includes(month)) return undefined;
  const number = Number(year) * 12 + Number(ofYear) - 1;
  const [from, to] = [taipeiMonthStart(number), taipeiMonthStart(number + 1)];
  const [{ sums, ...stored }, billing] = await Promise.all([
    store.read.statement(accountId, from, to),
    readBilling(tools, accountId),
  ]);
  const usage = stored.models.reduce((sum, { amount }) => sum - amount, 0n);
  return {
    ...stored,
    ...{ accountId, month, from, to, billing },
    isRunning: clock.now() < to,
    /** `entries` are only the first of them. */
    hasMoreEntries: sums.reduce((count, { entries }) => count + entries, 0) > stored.entries.length,
    /** Signed; their sum is the change of the balance. */
    lines: { ...sumLines(sums), usage },
  };
}

function sumLines(sums: readonly StatementSum[]): Record<Exclude<StatementLine, 'usage'>, Nano> {
  const lines = { paid_in: 0n, credits: 0n, refunds: 0n, payouts: 0n, fees: 0n };
  for (const { amount, ...sum } of sums) lines[lineOf(sum)] += amount;
  return lines;
}

/** Of the kinds that are no credits. */
const LINES: Partial<Record<StatementSum['kind'], Exclude<StatementLine, 'usage'>>> = {
  topup: 'paid_in',
  refund: 'refunds',
  payout: 'payouts',
  payout_fee: 'fees',
};

function lineOf({ kind, from }: Pick<StatementSum, 'kind' | 'from'>): Exclude<StatementLine, 'usage'> {
  if (kind === 'card' && from === 'house:cards_sold') return 'paid_in';
  return LINES[kind] ?? 'credits';
}

/** The reasons of credits and top-ups are for the operator; those of refunds and payouts are for the customer. */
export function publicNote({ kind, note }: Pick<StoredEntry, 'kind' | 'note'>): string | null {
  return kind === 'refund' || kind === 'payout' || kind === 'payout_fee' ? note : null;
}

export async function readBilling({ store }: Pick<StatementTools, 'store'>, accountId: string): Promise<Billing> {
  const found = await store.read.billing(accountId);
  return { name: found?.name ?? null, taxId: found?.taxId ?? null };
}

/** Returns the wrong field, or both fields as they are stored. An empty field is removed. */
export function checkBilling(given: { name: string; taxId: string }): Billing | { wrong: 'name' | 'taxId' } {
  const name = given.name.trim();
  const taxId = given.taxId.trim();
  if (name.length > MAX_BILLING_NAME || !name.isWellFormed() || /\p{Cc}/u.test(name)) return { wrong: 'name' };
  if (taxId !== '' && !isTaxId(taxId)) return { wrong: 'taxId' };
  return { name: name || null, taxId: taxId || null };
}

/** The tax in an amount that includes it, to the nearest nano. */
export function taxIn(amount: Nano, percent: number): Nano {
  const rate = BigInt(percent);
  const whole = 100n + rate;
  return (2n * amount * rate + whole) / (2n * whole);
}

/**
 * For spreadsheets and bookkeeping: exact amounts, one line each, and every entry of the month. It is read page by page as it
 * is sent. If the store fails, the connection is cut, so that the client does not accept an incomplete file.
 */
export function statementFile(
  { store }: Pick<StatementTools, 'store'>,
  statement: Statement,
): ReadableStream<Uint8Array> {
  const { accountId, from, to } = statement;
  const encoder = new TextEncoder();
  let page: readonly StoredEntry[] = statement.entries;
  let isBegun = false;
  return new ReadableStream({
    async pull(controller) {
      if (isBegun) page = await store.read.statementEntries(accountId, from, to, page.at(-1));
      const text = (isBegun ? '' : headOf(statement)) + csvRows(page.map((entry) => entryRow(accountId, entry)));
      isBegun = true;
      if (text !== '') controller.enqueue(encoder.encode(text));
      if (page.length < STATEMENT_ENTRIES) controller.close();
    },
  });
}

function headOf({ accountId, month, opening, closing, lines, models, billing }: Statement): string {
  const rows = [
    ['account', accountId, '', ''],
    ['month', month, '', ''],
    ...(billing.name === null ? [] : [['name', billing.name, '', '']]),
    ...(billing.taxId === null ? [] : [['tax_id', billing.taxId, '', '']]),
    rowOf('opening', '', '', opening),
    ...STATEMENT_LINES.map((line) => rowOf(line, '', '', lines[line])),
    rowOf('closing', '', '', closing),
    ...models.map(({ model, requests, amount }) => rowOf('model', model ?? '', String(requests), -amount)),
  ];
  return csvHead(['line', 'detail', 'reference', 'amount_ntd']) + csvRows(rows);
}

function entryRow(accountId: string, entry: StoredEntry): unknown[] {
  const amount = entry.credit === accountId ? entry.amount : -entry.amount;
  return rowOf(`entry:${entry.kind}`, publicNote(entry) ?? '', entry.reference, amount);
}

function rowOf(line: string, detail: string, reference: string, amount: Nano): unknown[] {
  return [line, detail, reference, new CsvNumber(formatNtd(amount))];
}
