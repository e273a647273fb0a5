import type { Difference } from '../../store/reads.ts';

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

export function printDifferences(differences: readonly Difference[]): string {
  const rows = differences.map(({ what, subject, expected, found }) => [what, subject, expected, found]);
  return printTable(['what', 'subject', 'expected', 'found'], rows);
}
