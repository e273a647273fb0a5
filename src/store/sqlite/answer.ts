// How the SQLite threads answer: a failure is returned to the caller, and never ends the thread.

import { codeOf, messageOf } from '../../kit/error-code.ts';
import { StoreRefused } from '../refusal.ts';
import type { Reply } from './messages.ts';

export function replyTo<Value>(id: number, answer: () => Value): Reply<Value> {
  try {
    return { id, ok: true, value: answer() };
  } catch (error) {
    const message = messageOf(error);
    return { id, ok: false, message, refused: error instanceof StoreRefused || isOfDisk(error) };
  }
}

/** Full, read-only, locked, damaged: SQLite's own words for these say it all, and quote nothing. */
const OF_DISK = /^SQLITE_(FULL|READONLY|IOERR|BUSY|CANTOPEN|PERM|CORRUPT|NOTADB)/;

function isOfDisk(error: unknown): boolean {
  return OF_DISK.test(codeOf(error) ?? '');
}

/** Whatever keeps the file from being used is the operator's to mend. */
export function usable(file: string, open: () => void): void {
  try {
    open();
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    const why = messageOf(error);
    // Loaded only now: at every start it would take each thread as long as all that a reader prepares.
    const { existsSync } = process.getBuiltinModule('node:fs');
    throw new StoreRefused(
      `cannot open the database ${file}${existsSync(file) ? '' : ' (it could not be created)'}: ${why}`,
    );
  }
}
