// Days of the reports of profit and losses as the columns of a chart: many of them by week.

import { NANO_PER_NTD, type Nano, ntdNumber } from '../../../kit/money.ts';
import { roundedMoney } from '../../../site/format.ts';
import type { ProfitRow } from '../../actions/profit.ts';

/** More days than this are drawn by week. */
export const DRAWN_DAYS = 31;
const WEEK = 7;

/** From the newest on, so that only the first may be shorter. */
export function inSpans(daily: readonly ProfitRow[]): ProfitRow[][] {
  const length = daily.length > DRAWN_DAYS ? WEEK : 1;
  const spans: ProfitRow[][] = [];
  for (let end = daily.length; end > 0; end -= length) spans.unshift(daily.slice(Math.max(0, end - length), end));
  return spans;
}

export function columnOf(rows: readonly ProfitRow[]): { label: string; title: string } {
  const [first = '', last = ''] = [rows[0]?.key ?? '', rows.at(-1)?.key ?? ''];
  return { label: first.slice('2026-'.length), title: first === last ? first : `${first} – ${last}` };
}

export function sumOf(rows: readonly ProfitRow[], of: (row: ProfitRow) => Nano | null): number {
  return ntdNumber(rows.reduce((sum, row) => sum + (of(row) ?? 0n), 0n));
}

export function amountText(value: number): string {
  return roundedMoney(BigInt(Math.round(value * Number(NANO_PER_NTD))));
}
