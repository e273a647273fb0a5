// move: the embedded database into a PostgreSQL, once and whole, while no server runs; and back to it if that was too early.

import { dirname, join } from 'node:path';
import { systemClock } from '../../kit/clock.ts';
import { counted } from '../../kit/counted.ts';
import { formatNtd } from '../../kit/money.ts';
import { wrongWallets } from '../../store/audit-queries.ts';
import { type Moved, moveDatabase, undoMove } from '../../store/move/move-database.ts';
import { openTarget } from '../../store/move/open-target.ts';
import type { Difference } from '../../store/reads.ts';
import { StoreRefused } from '../../store/refusal.ts';
import { refuseWhileServing } from '../../store/sqlite/backup.ts';
import { logLine } from '../actions/audit-log.ts';
import type { OperatingTools } from '../actions/tools.ts';
import {
  ACTOR,
  type Command,
  CommandRefused,
  type Invocation,
  noArguments,
  requiredOption,
  WrongUsage,
} from './command.ts';
import { printDifferences } from './print-differences.ts';
import { printTable } from './print-table.ts';

const ACCEPT = 'accept-differences';
const ACCEPT_NOTE = `move takes it only with --${ACCEPT}, and freezes the accounts whose wallets are wrong.`;
const KEPT_NOTE =
  'The embedded database is kept and marked: servers and commands refuse it from now on ("move undo" takes the mark away).';

export const moveCommands: readonly Command[] = [
  {
    words: 'move undo',
    takes: '',
    about: 'undo a move: use the embedded database again, without what happened in PostgreSQL since',
    options: [],
    async run({ args, databaseFile }) {
      noArguments(args);
      const file = embedded(databaseFile());
      if (!undoMove(file)) throw new CommandRefused('this database is not marked as moved');
      return {
        facts: { undone: true },
        text: `${file} is used again; what is in PostgreSQL stays there, so let no server run on that`,
      };
    },
  },
  {
    words: 'move',
    takes: `--to URL [--${ACCEPT}]`,
    about:
      'copy the embedded database into an empty PostgreSQL while the server is stopped; one that fails the audit only with the flag',
    options: ['to'],
    flags: [ACCEPT],
    async run(invocation) {
      const { args, options, databaseFile, open } = invocation;
      noArguments(args);
      const url = targetUrl(invocation);
      const file = embedded(databaseFile());
      refuseWhileServing(file, systemClock.now());
      // Opening it brings it up to date, posts its journal, and knows that the pepper is its own.
      const tools = await open();
      const { differences } = await tools.store.read.audit({});
      if (differences.length > 0 && options[ACCEPT] === undefined) throw disagrees(differences);
      const target = await openTarget(url, systemClock);
      try {
        const frozen = await freezeWrong(tools, differences);
        const { place } = target;
        const log = logLine(tools, ACTOR, 'database.move', place, { differences: differences.length });
        const moved = await moveDatabase(file, target, log).catch((error: unknown) => {
          throw withFrozen(error, frozen);
        });
        return tell(moved, { place, frozen, next: nextStart(invocation, url, file) });
      } finally {
        await target.close();
      }
    },
  },
];

/** `env:NAME` keeps a password out of the list of processes and out of the shell's history. */
function targetUrl({ options, variable }: Invocation): string {
  const given = requiredOption(options, 'to');
  const name = given.startsWith('env:') ? given.slice('env:'.length) : undefined;
  const url = name === undefined ? given : variable(name);
  if (url === undefined) throw new WrongUsage(`--to names the variable ${name}, which is not set`);
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new WrongUsage('--to must be a URL that begins with postgres://, or env:NAME for a variable that holds one');
}

function embedded(databaseFile: string | undefined): string {
  if (databaseFile !== undefined) return databaseFile;
  throw new CommandRefused(
    'DATABASE_URL is set, and what is moved is the embedded database: unset it, and name PostgreSQL by --to',
  );
}

function disagrees(differences: readonly Difference[]): CommandRefused {
  const told = ['the embedded database does not pass the ledger audit:', printDifferences(differences), ACCEPT_NOTE];
  return new CommandRefused(told.join('\n'), { differences });
}

/** Those that have a wallet. */
async function freezeWrong(tools: OperatingTools, differences: readonly Difference[]): Promise<string[]> {
  const at = tools.clock.now();
  const reason = `wrong in the audit before a move (--${ACCEPT})`;
  const frozen: string[] = [];
  for (const accountId of wrongWallets(differences).keys()) {
    if (!(await tools.store.read.wallet(accountId))) continue;
    const log = logLine(tools, ACTOR, 'accounts.freeze', accountId, { reason });
    await tools.store.commit('freeze', { accountId, frozen: true, at, log });
    frozen.push(accountId);
  }
  return frozen;
}

/** They are frozen in the embedded database before it is copied, and stay so there. */
function withFrozen(error: unknown, frozen: readonly string[]): unknown {
  if (frozen.length === 0 || !(error instanceof StoreRefused)) return error;
  const told = `frozen in the embedded database all the same: ${frozen.join(', ')} (unfreeze them in the console)`;
  return new CommandRefused(`${error.message}\n${told}`, { frozen });
}

const MASK = '***';

/** What starts the server there, with the pepper from where it is kept and without any secret. */
function nextStart({ variable, serveLine }: Invocation, url: string, file: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = MASK;
  const kept = join(dirname(file), 'pepper');
  const pepper = variable('SECRETS_PEPPER') === undefined ? `"$(cat ${quoted(kept)})"` : '"$SECRETS_PEPPER"';
  return `DATABASE_URL=${quoted(shown.href)} SECRETS_PEPPER=${pepper} ${serveLine}`;
}

/** One word for a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface Told {
  place: string;
  frozen: readonly string[];
  next: string;
}

function tell({ rows, report, balance }: Moved, { place, frozen, next }: Told) {
  const { wallets, entries, differences } = report;
  const holds = rows.holds ?? 0;
  const facts = { moved_to: place, rows, wallets, entries, balance_nano: String(balance), differences, frozen, next };
  const text = [
    `moved to ${place}: every row was read back and is the same, and so is the audit`,
    printTable(
      ['table', 'rows'],
      Object.entries(rows)
        .toSorted()
        .map(([name, count]) => [name, String(count)]),
    ),
    `NT$${formatNtd(balance)} in ${counted(wallets, 'wallet', 'wallets')}, ${counted(entries, 'entry', 'entries')}`,
    ...(holds === 0 ? [] : [`${counted(holds, 'open hold', 'open holds')}, for the first server there to release`]),
    ...(differences.length === 0 ? [] : ['it does not pass the ledger audit:', printDifferences(differences)]),
    ...(frozen.length === 0 ? [] : [`frozen: ${frozen.join(', ')}`]),
    KEPT_NOTE,
    `Next, with the same pepper as here, also for commands${next.includes(`:${MASK}@`) ? `; ${MASK} stands for the password` : ''}:`,
    `  ${next}`,
  ].join('\n');
  return { facts, text };
}
