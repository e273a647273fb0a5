// Parses an uploaded CSV table with a header, as spreadsheets and upstreams write it.

export interface TableRow {
  /** The line number in an editor. */
  line: number;
  cells: Readonly<Record<string, string>>;
}

const MAX_ROWS = 20_000;

/**
 * Column names are compared in lower case, with `_` for spaces. Undefined if a quote is not closed or it is too long.
 */
export function readCsv(text: string) {
  const lines = splitCells(text.replace(/^\uFEFF/, ''));
  if (!lines || lines.length > MAX_ROWS) return undefined;
  const [header, ...rest] = lines.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const columns = (header?.cells ?? []).map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  );
  const rows = rest.map(
    ({ line, cells }): TableRow => ({
      line,
      cells: Object.fromEntries(columns.map((name, index) => [name, (cells[index] ?? '').trim()])),
    }),
  );
  return { columns, rows };
}

interface CellLine {
  line: number;
  cells: string[];
}

/** The separator is the one in the header: comma, semicolon or tab. */
function splitCells(text: string): CellLine[] | undefined {
  const header = text.slice(0, Math.max(0, text.search(/\r?\n|$/)));
  const comma = [',', ';', '\t'].find((separator) => header.includes(separator)) ?? ',';
  const lines: CellLine[] = [];
  let current: CellLine = { line: 1, cells: [] };
  let [cell, quoted, lineNumber] = ['', false, 1];
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\n') lineNumber++;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text.charAt(at + 1) === '"') {
        cell += '"';
        at++;
      } else quoted = false;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === comma) {
      current.cells.push(cell);
      cell = '';
    } else if (char === '\n') {
      current.cells.push(cell);
      lines.push(current);
      cell = '';
      current = { line: lineNumber, cells: [] };
    } else if (char !== '\r') cell += char;
  }
  if (quoted) return undefined;
  return [...lines, { ...current, cells: [...current.cells, cell] }];
}
