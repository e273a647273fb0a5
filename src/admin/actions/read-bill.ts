// An upstream's bill as CSV: model, date or month, input_tokens, output_tokens, amount.

import { NANO_PER_NTD, type Nano, parseNtd } from '../../kit/money.ts';
import { readCsv, type TableRow } from './read-table.ts';
import { invalid } from './refused.ts';

export interface BillLine {
  model: string;
  /** 2026-11-15 or 2026-11. */
  period: string;
  inputTokens: number;
  outputTokens: number;
  /** In NT$; null if the bill has none. */
  amount: Nano | null;
}

export interface Bill {
  lines: BillLine[];
  faults: { path: string; message: string }[];
}

const PERIOD_COLUMNS = ['date', 'day', 'month', 'period'];

/** Refused: invalid, if it is not such a table. */
export function readBill(csv: string, rate: Nano): Bill {
  const table = readCsv(csv);
  if (!table) throw invalid('csv', 'is not valid CSV: a quote is not closed, or there are too many lines');
  const period = PERIOD_COLUMNS.find((name) => table.columns.includes(name));
  const missing = ['model', 'input_tokens', 'output_tokens'].filter((name) => !table.columns.includes(name));
  if (period === undefined) missing.push('date or month');
  if (missing.length > 0) throw invalid('csv', `needs a header with: ${missing.join(', ')}`);
  const bill: Bill = { lines: [], faults: [] };
  for (const row of table.rows) {
    const line = readLine(row, row.cells[period ?? ''] ?? '', rate);
    if ('message' in line) bill.faults.push(line);
    else bill.lines.push(line);
  }
  if (new Set(bill.lines.map((line) => line.period.length)).size > 1) {
    throw invalid('csv', 'must count by day or by month, not by both');
  }
  return bill;
}

function readLine({ line, cells }: TableRow, period: string, rate: Nano): BillLine | { path: string; message: string } {
  const refuse = (column: string, message: string) => ({ path: `line ${line}.${column}`, message });
  const { model = '', amount = '' } = cells;
  if (model === '') return refuse('model', 'is empty');
  if (!isPeriod(period)) return refuse('date', `must be like 2026-11-15 or 2026-11: ${period}`);
  const inputTokens = readCount(cells.input_tokens);
  const outputTokens = readCount(cells.output_tokens);
  if (inputTokens === undefined) return refuse('input_tokens', 'must be a whole number');
  if (outputTokens === undefined) return refuse('output_tokens', 'must be a whole number');
  const paid = amount === '' ? null : parseNtd(amount.replaceAll(/[,$\s]/g, ''));
  if (paid === undefined) return refuse('amount', `must be a plain decimal number: ${amount}`);
  return { model, period, inputTokens, outputTokens, amount: paid === null ? null : (paid * rate) / NANO_PER_NTD };
}

function isPeriod(text: string): boolean {
  const at = Date.parse(`${text.length === 7 ? `${text}-01` : text}T00:00:00Z`);
  return /^\d{4}-\d{2}(-\d{2})?$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function readCount(text = ''): number | undefined {
  const plain = text.replaceAll(/[,\s]/g, '');
  return /^\d{1,15}$/.test(plain) ? Number(plain) : plain === '' ? 0 : undefined;
}
