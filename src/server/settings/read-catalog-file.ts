// The text of the catalog file.

import { readFileSync } from 'node:fs';
import { fileTrouble } from '../../kit/error-code.ts';
import { StartRefused } from '../start/start-refused.ts';

/** Throws StartRefused. */
export function readCatalogFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartRefused(`cannot read ${file}: ${fileTrouble(error)}`);
  }
}
