// Messages between the event loop and the SQLite threads, and how a thread answers.

import type { Alarm } from '../../kit/alarms.ts';
import { codeOf, messageOf } from '../../kit/error-code.ts';
import type { Decided } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import type { ReadName } from '../read-table.ts';
import { StoreRefused } from '../refusal.ts';
import type { RefusalBatch } from '../refusals.ts';
import type { OldUsage } from '../store.ts';
import type { OpenOptions } from './open-database.ts';

export type WriterRequest =
  | { do: 'open'; file: string; options: OpenOptions }
  | { do: 'commit'; operations: readonly Operation[] }
  | { do: 'alarm'; alarm: Alarm; at: number }
  | { do: 'refusals'; batch: RefusalBatch }
  | { do: 'forget'; before: number }
  | { do: 'forgetUsage'; before: OldUsage }
  | { do: 'post' }
  | { do: 'close' };

export type ReaderRequest =
  | { do: 'open'; file: string }
  | { do: 'read'; name: ReadName; args: readonly unknown[] }
  /** Whether something is journaled that is not in the tables yet, written by any process. */
  | { do: 'isBehind' }
  | { do: 'close' };

export interface Envelope<Request> {
  id: number;
  request: Request;
}

export type Reply<Value = unknown> =
  | { id: number; ok: true; value: Value }
  /** `refused` is the operator's to mend (StoreRefused); anything else is a failure of the database. */
  | { id: number; ok: false; message: string; refused: boolean };

/** What a thread does for each request. */
export type Handlers<Request extends { do: string }> = {
  [Do in Request['do']]: (request: Extract<Request, { do: Do }>) => unknown;
};

export type CommitReply = Decided[];

/** A failure is returned to the caller, and never ends the thread. */
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
