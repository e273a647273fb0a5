// Prints the differences of an audit as a table.

import type { Difference } from '../../store/reads.ts';
import { printTable } from './print-table.ts';

export function printDifferences(differences: readonly Difference[]): string {
  const rows = differences.map(({ what, subject, expected, found }) => [what, subject, expected, found]);
  return printTable(['what', 'subject', 'expected', 'found'], rows);
}
