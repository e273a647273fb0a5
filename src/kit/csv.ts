// CSV for spreadsheets: UTF-8 with a byte-order mark, and no cell that a spreadsheet would run as a formula.

const BYTE_ORDER_MARK = '\uFEFF';

export function toCsv(records: readonly Record<string, unknown>[], columns: readonly string[]): string {
  return csvHead(columns) + csvRows(records.map((record) => columns.map((name) => record[name])));
}

export function csvHead(titles: readonly string[]): string {
  return BYTE_ORDER_MARK + csvRows([titles]);
}

/** Rows without the header, to append. */
export function csvRows(rows: readonly (readonly unknown[])[]): string {
  return rows.map((values) => `${values.map(cell).join(',')}\r\n`).join('');
}

/** A number by its exact text: it may be below 0, and is no formula. */
export class CsvNumber {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** Full-width signs start a formula in some spreadsheets, too. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@＝＋－＠\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
