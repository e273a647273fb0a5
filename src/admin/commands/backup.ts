// backup, restore: a consistent copy of the embedded database while it serves, and back again while it does not.

import { systemClock } from '../../kit/clock.ts';
import { StoreRefused } from '../../store/refusal.ts';
import { backupDatabase, restoreDatabase } from '../../store/sqlite/backup.ts';
import { type Command, oneArgument, Refused } from '../command.ts';

const PEPPER_NOTE =
  'Save the pepper too (SECRETS_PEPPER, or the file "pepper" in the data folder): without it no key works.';

export const backupCommands: readonly Command[] = [
  {
    words: 'backup',
    takes: 'FILE',
    about: 'copy the embedded database while the server runs',
    options: [],
    async run({ args, databaseFile }) {
      const file = oneArgument(args, 'FILE');
      backupDatabase(embedded(databaseFile()), file);
      return { facts: { file, note: PEPPER_NOTE }, text: `copied to ${file}\n${PEPPER_NOTE}` };
    },
  },
  {
    words: 'restore',
    takes: 'FILE',
    about: 'put a copy back while the server is stopped',
    options: [],
    makesDatabase: true,
    async run({ args, databaseFile }) {
      const file = oneArgument(args, 'FILE');
      try {
        restoreDatabase(file, embedded(databaseFile()), systemClock.now());
      } catch (error) {
        throw error instanceof StoreRefused ? new Refused(error.message) : error;
      }
      return { facts: { file, restored: true }, text: `restored from ${file}; its keys work with its own pepper only` };
    },
  },
];

function embedded(databaseFile: string | undefined): string {
  if (databaseFile === undefined) {
    throw new Refused('this is for the embedded database; back PostgreSQL up with pg_dump or its own tools');
  }
  return databaseFile;
}
