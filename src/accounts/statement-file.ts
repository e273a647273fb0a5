// A statement for spreadsheets and bookkeeping: exact amounts, one line each, and every entry of the month. It is read page by
// page as it is sent. If the store fails, the connection is cut, so that the client does not accept an incomplete file.

import { CsvNumber, csvHead, csvRows } from '../kit/csv.ts';
import { formatNtd, type Nano } from '../kit/money.ts';
import type { StoredEntry } from '../store/rows.ts';
import { STATEMENT_ENTRIES } from '../store/statement-reads.ts';
import type { Store } from '../store/store.ts';
import { publicNote, STATEMENT_LINES, type Statement } from './statements.ts';

export function statementFile(
  { store }: { store: Pick<Store, 'read'> },
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
