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

/** Full-width signs start a formula in some spreadsheets, too. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const isFormula = typeof value === 'string' && /^[=+\-@＝＋－＠\t\r]/.test(text) && !/^-\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
