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

/** For a full, read-only, locked or damaged file SQLite's own message is shown: it quotes no content. */
const OF_DISK = /^SQLITE_(FULL|READONLY|IOERR|BUSY|CANTOPEN|PERM|CORRUPT|NOTADB)/;

function isOfDisk(error: unknown): boolean {
  return OF_DISK.test(codeOf(error) ?? '');
}

/** The operator must fix whatever makes the file unusable. */
export function usable(file: string, open: () => void): void {
  try {
    open();
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    const why = messageOf(error);
    // Loaded on demand, because it would double the start time of each thread.
    const { existsSync } = process.getBuiltinModule('node:fs');
    throw new StoreRefused(
      `cannot open the database ${file}${existsSync(file) ? '' : ' (it could not be created)'}: ${why}`,
    );
  }
}
