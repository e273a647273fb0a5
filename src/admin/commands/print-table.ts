// Prints a table with columns as wide as their widest cell.

export function printTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ length }, index) =>
    rows.reduce((width, row) => Math.max(width, row[index]?.length ?? 0), length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
