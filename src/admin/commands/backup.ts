// backup, restore: copies the embedded database consistently while it serves, and restores it while it does not.

import { resolve } from 'node:path';
import { systemClock } from '../../kit/clock.ts';
import type { Difference } from '../../store/reads.ts';
import { StoreRefused } from '../../store/refusal.ts';
import type { Action } from '../../store/rows.ts';
import {
  auditCopy,
  backupDatabase,
  CopyDisagrees,
  noteBackup,
  type Restored,
  restoreDatabase,
} from '../../store/sqlite/backup.ts';
import { logLine } from '../actions/audit-log.ts';
import { ACTOR, type Command, CommandRefused } from './command.ts';
import { printDifferences } from './print-table.ts';

const PEPPER_NOTE =
  'Save the pepper too (SECRETS_PEPPER, or the file "pepper" in the data folder): without it no key works.';

const ACCEPT = 'accept-differences';
const ACCEPT_NOTE = `restore accepts it only with --${ACCEPT}, and freezes the accounts whose wallets are wrong.`;

const movedNote = (place: string) =>
  `This database was moved to PostgreSQL (${place}): later changes there are not in the copy.`;

export const backupCommands: readonly Command[] = [
  {
    words: 'backup',
    takes: 'FILE',
    about: 'copy the embedded database while the server runs, and audit the copy; exit 1 if that finds a difference',
    async run({ args: [file = ''], databaseFile }) {
      const database = embedded(databaseFile());
      backupDatabase(database, file);
      const { differences, movedTo } = auditCopy(file);
      const notes = [...(movedTo === undefined ? [] : [movedNote(movedTo)]), PEPPER_NOTE];
      const facts = { file, note: PEPPER_NOTE, ...(movedTo === undefined ? {} : { moved_to: movedTo }) };
      const unlogged = note(database, file);
      const problems = problemsOf(file, differences ?? [], unlogged);
      if (problems.length > 0) throw new CommandRefused([...problems, ...notes].join('\n'), { ...facts, differences });
      const audit = differences ? [] : ['not audited: the database, and so the backup, has another version'];
      return {
        facts: { ...facts, audited: differences !== undefined },
        text: [`copied to ${file}`, ...audit, ...notes].join('\n'),
      };
    },
  },
  {
    words: 'restore',
    takes: `FILE [--${ACCEPT}]`,
    about:
      'restore a copy while the server is stopped; with the flag also one that fails the audit, with its wrong accounts frozen',
    makesDatabase: true,
    async run({ args: [file = ''], options, databaseFile, hasDatabase, pepperFingerprint }) {
      const database = embedded(databaseFile());
      // Without a database to lose, the pepper may be set later.
      const fingerprint = hasDatabase() ? pepperFingerprint() : undefined;
      const { differences, frozen } = restore(file, database, fingerprint, options[ACCEPT] !== undefined);
      const audit =
        differences.length === 0
          ? []
          : [
              'it does not pass the ledger audit:',
              printDifferences(differences),
              frozen.length === 0 ? 'no account was frozen' : `frozen: ${frozen.join(', ')}`,
            ];
      return {
        facts: { file, restored: true, differences, frozen },
        text: [`restored from ${file}; its keys work with its own pepper only`, ...audit].join('\n'),
      };
    },
  },
];

function problemsOf(file: string, differences: readonly Difference[], unlogged: string | undefined): string[] {
  const disagrees = `copied to ${file}, but the copy does not pass the ledger audit:`;
  return [
    ...(differences.length === 0 ? [] : [disagrees, printDifferences(differences), ACCEPT_NOTE]),
    ...(unlogged === undefined ? [] : [`copied to ${file}, but the action log could not be written: ${unlogged}`]),
  ];
}

/** Logs the backup; returns why that failed. The copy is valid anyway. */
function note(database: string, file: string): string | undefined {
  try {
    noteBackup(database, line('backup', file));
    return undefined;
  } catch (error) {
    if (error instanceof StoreRefused) return error.message;
    throw error;
  }
}

function restore(source: string, file: string, fingerprint: string | undefined, isAccepted: boolean): Restored {
  const reason = `restored with differences (--${ACCEPT})`;
  const freezing = (accountId: string) =>
    logLine({ clock: systemClock }, ACTOR, 'accounts.freeze', accountId, { reason });
  const restored = (differences: number) => line('restore', source, differences === 0 ? {} : { differences });
  try {
    const lines = { restored, frozen: isAccepted ? freezing : undefined };
    return restoreDatabase(source, file, systemClock.now(), lines, fingerprint);
  } catch (error) {
    if (error instanceof CopyDisagrees) {
      const lines = [`${error.message}:`, printDifferences(error.differences), ACCEPT_NOTE];
      throw new CommandRefused(lines.join('\n'), { differences: error.differences });
    }
    throw error instanceof StoreRefused ? new CommandRefused(error.message) : error;
  }
}

function line(action: 'backup' | 'restore', file: string, more: Action['detail'] = {}): Action {
  return logLine({ clock: systemClock }, ACTOR, action, 'database', { file: resolve(file), ...more });
}

function embedded(databaseFile: string | undefined): string {
  if (databaseFile === undefined) {
    throw new CommandRefused(
      'this command is for the embedded database; back up PostgreSQL with pg_dump or its own tools',
    );
  }
  return databaseFile;
}
