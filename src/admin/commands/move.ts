// move: copies the embedded database into PostgreSQL while no server runs; `move undo` switches back.

import { dirname, join } from 'node:path';
import { systemClock } from '../../kit/clock.ts';
import { counted } from '../../kit/counted.ts';
import { formatNtd } from '../../kit/money.ts';
import { wrongWallets } from '../../store/audit-queries.ts';
import { MASK, maskPassword, readDatabaseUrls } from '../../store/database-url.ts';
import { type Moved, moveDatabase, undoMove } from '../../store/move/move-database.ts';
import { openTarget } from '../../store/move/open-target.ts';
import type { Difference } from '../../store/reads.ts';
import { StoreRefused } from '../../store/refusal.ts';
import { refuseWhileServing } from '../../store/sqlite/backup.ts';
import { logLine } from '../actions/audit-log.ts';
import type { OperatingTools } from '../actions/tools.ts';
import { ACTOR, type Command, CommandRefused, type Invocation, requiredOption, WrongUsage } from './command.ts';
import { printDifferences, printTable } from './print-table.ts';

const ACCEPT = 'accept-differences';
const ACCEPT_NOTE = `move accepts it only with --${ACCEPT}, and freezes the accounts whose wallets are wrong.`;
const KEPT_NOTE =
  'The embedded database is kept and marked as moved: servers and commands refuse it from now on ("move undo" removes the mark).';

export const moveCommands: readonly Command[] = [
  {
    words: 'move undo',
    takes: '',
    about: 'undo a move: use the embedded database again, without later changes in PostgreSQL',
    async run({ databaseFile }) {
      const file = embedded(databaseFile());
      if (!undoMove(file)) throw new CommandRefused('this database is not marked as moved');
      return {
        facts: { undone: true },
        text: `${file} is in use again; the data in PostgreSQL stays there, so run no server on it`,
      };
    },
  },
  {
    words: 'move',
    takes: `--to URL [--${ACCEPT}]`,
    about:
      'copy the embedded database into an empty PostgreSQL while the server is stopped; with the flag also if it fails the audit',
    async run(invocation) {
      const { options, databaseFile, open } = invocation;
      const url = targetUrl(invocation);
      const file = embedded(databaseFile());
      refuseWhileServing(file, systemClock.now());
      // Opening migrates it, posts its journal, and checks the pepper.
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
        return describeMove(moved, { place, frozen, next: nextStart(invocation, url, file) });
      } finally {
        await target.close();
      }
    },
  },
];

/** `env:NAME` keeps a password out of the process list and the shell history. */
function targetUrl({ options, variable }: Invocation): string {
  const given = requiredOption(options, 'to');
  const name = given.startsWith('env:') ? given.slice('env:'.length) : undefined;
  const url = name === undefined ? given : variable(name);
  if (url === undefined) throw new WrongUsage(`the variable ${name} of --to is not set`);
  if (readDatabaseUrls(url)) return url;
  throw new WrongUsage('--to must be a URL that begins with postgres://, or env:NAME for a variable with one');
}

function embedded(databaseFile: string | undefined): string {
  if (databaseFile !== undefined) return databaseFile;
  throw new CommandRefused(
    'DATABASE_URL is set, but move copies the embedded database: unset it, and give the PostgreSQL URL with --to',
  );
}

function disagrees(differences: readonly Difference[]): CommandRefused {
  const lines = ['the embedded database does not pass the ledger audit:', printDifferences(differences), ACCEPT_NOTE];
  return new CommandRefused(lines.join('\n'), { differences });
}

/** Freezes wrong accounts that have a wallet. */
async function freezeWrong(tools: OperatingTools, differences: readonly Difference[]): Promise<string[]> {
  const at = tools.clock.now();
  const reason = `failed the audit before a move (--${ACCEPT})`;
  const frozen: string[] = [];
  for (const accountId of wrongWallets(differences).keys()) {
    if (!(await tools.store.read.wallet(accountId))) continue;
    const log = logLine(tools, ACTOR, 'accounts.freeze', accountId, { reason });
    await tools.store.commit('freeze', { accountId, frozen: true, byAudit: true, at, log });
    frozen.push(accountId);
  }
  return frozen;
}

/** They were frozen in the embedded database before the copy, and stay frozen. */
function withFrozen(error: unknown, frozen: readonly string[]): unknown {
  if (frozen.length === 0 || !(error instanceof StoreRefused)) return error;
  const note = `still frozen in the embedded database: ${frozen.join(', ')} (unfreeze them in the console)`;
  return new CommandRefused(`${error.message}\n${note}`, { frozen });
}

/** The command that starts the server there, with the pepper from its place and without secrets. */
function nextStart({ variable, serveLine }: Invocation, url: string, file: string): string {
  const kept = join(dirname(file), 'pepper');
  const pepper = variable('SECRETS_PEPPER') === undefined ? `"$(cat ${quoted(kept)})"` : '"$SECRETS_PEPPER"';
  return `DATABASE_URL=${quoted(maskPassword(url))} SECRETS_PEPPER=${pepper} ${serveLine}`;
}

/** Quotes a word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface MoveResult {
  place: string;
  frozen: readonly string[];
  next: string;
}

function describeMove({ rows, report, balance }: Moved, { place, frozen, next }: MoveResult) {
  const { wallets, entries, differences } = report;
  const holds = rows.holds ?? 0;
  const facts = { moved_to: place, rows, wallets, entries, balance_nano: String(balance), differences, frozen, next };
  const text = [
    `moved to ${place}: every row was read back and compared, and the audit has the same result`,
    printTable(
      ['table', 'rows'],
      Object.entries(rows)
        .toSorted()
        .map(([name, count]) => [name, String(count)]),
    ),
    `NT$${formatNtd(balance)} in ${counted(wallets, 'wallet', 'wallets')}, ${counted(entries, 'entry', 'entries')}`,
    ...(holds === 0 ? [] : [`${counted(holds, 'open hold', 'open holds')} to be released by the first server there`]),
    ...(differences.length === 0 ? [] : ['it does not pass the ledger audit:', printDifferences(differences)]),
    ...(frozen.length === 0 ? [] : [`frozen: ${frozen.join(', ')}`]),
    KEPT_NOTE,
    `Next (commands need the same pepper and URL${next.includes(`:${MASK}@`) ? `; replace ${MASK} with the password` : ''}):`,
    `  ${next}`,
  ].join('\n');
  return { facts, text };
}
