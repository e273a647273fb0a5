// Usage as CSV for spreadsheets: UTF-8 with a byte-order mark, and no cell that a spreadsheet would run as a formula.

const BYTE_ORDER_MARK = '\uFEFF';

export function toCsv(records: readonly Record<string, unknown>[], columns: readonly string[]): string {
  const lines = [columns.join(','), ...records.map((record) => columns.map((name) => cell(record[name])).join(','))];
  return `${BYTE_ORDER_MARK}${lines.join('\r\n')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
