// The operator's command line. Exit 0: done; 1: refused, with the fault on stderr; 2: wrong usage.

import { parseArgs } from 'node:util';
import { type Command, type CommandTools, Refused, WrongUsage } from './admin/command.ts';
import { accountCommands } from './admin/commands/accounts.ts';
import { backupCommands } from './admin/commands/backup.ts';
import { cardCommands } from './admin/commands/cards.ts';
import { configCommands } from './admin/commands/config.ts';
import { ledgerCommands } from './admin/commands/ledger.ts';
import { createCardHasher } from './cards/card-code.ts';
import { readSettings, SettingsRefused } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { Fault } from './faults/fault.ts';
import { createAuthenticator } from './keys/authenticator.ts';
import { systemClock } from './kit/clock.ts';
import { createIds } from './kit/ids.ts';
import { systemRandom } from './kit/random.ts';
import { createSealer } from './kit/sealed.ts';
import { serve } from './main.ts';
import { StoreRefused } from './store/refusal.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

const COMMANDS: readonly Command[] = [
  ...configCommands,
  ...cardCommands,
  ...accountCommands,
  ...ledgerCommands,
  ...backupCommands,
];

async function run(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args[0] === 'help' || args[0] === '--help') {
    process.stdout.write(usage());
    return args.length === 0 ? 2 : 0;
  }
  const json = args.includes('--json');
  try {
    const command = findCommand(args);
    const { facts, text } = await runCommand(command, args.slice(command.words.split(' ').length));
    process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `${text}\n`);
    return 0;
  } catch (error) {
    return explain(error, json);
  }
}

function findCommand(args: readonly string[]): Command {
  const command = COMMANDS.find(({ words }) => words.split(' ').every((word, index) => word === args[index]));
  if (!command) throw new WrongUsage(`unknown command: ${args.slice(0, 2).join(' ')}`);
  return command;
}

async function runCommand(command: Command, rest: readonly string[]) {
  const { positionals, values } = parseCommandLine(command, rest);
  const settings = readSettings();
  const folder = openDataFolder(settings.dataDir, settings.pepper, systemRandom);
  let store: Store | undefined;
  const open = async (): Promise<CommandTools> => {
    store = await openSqliteStore({ file: folder.databaseFile, clock: systemClock });
    return {
      store,
      clock: systemClock,
      random: systemRandom,
      newId: createIds(systemClock, systemRandom),
      sealer: createSealer(folder.pepper, systemRandom),
      hashKey: createAuthenticator(store, systemClock, folder.pepper).hash,
      hashCard: createCardHasher(folder.pepper),
    };
  };
  try {
    return await command.run({ args: positionals, options: values, open, databaseFile: folder.databaseFile });
  } finally {
    await store?.close();
  }
}

function parseCommandLine(command: Command, rest: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: rest.filter((word) => word !== '--json'),
      options: Object.fromEntries(command.options.map((name) => [name, { type: 'string' as const }])),
      allowPositionals: true,
      strict: true,
    });
    return { positionals, values: values as Record<string, string | undefined> };
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : 'wrong options');
  }
}

function explain(error: unknown, json: boolean): number {
  if (error instanceof WrongUsage) {
    process.stderr.write(`${error.message}\n\n${usage()}`);
    return 2;
  }
  const known = error instanceof Refused || error instanceof SettingsRefused || error instanceof StoreRefused;
  if (!known && !(error instanceof Fault)) throw error;
  const message =
    error instanceof Fault ? `${error.publicText} (${error.details.internal ?? error.code})` : error.message;
  const facts = error instanceof Refused ? error.facts : {};
  process.stderr.write(json ? `${JSON.stringify({ error: message, ...facts })}\n` : `${message}\n`);
  return 1;
}

function usage(): string {
  const lines = [
    ['serve', '', 'run the server (what npm start does)'],
    ...COMMANDS.map(({ words, takes, about }) => [words, takes, about]),
  ];
  const list = lines.map(([words, takes, about]) => `  ${words}${takes ? ` ${takes}` : ''}\n      ${about}`);
  return `usage: npm run -s gateway -- COMMAND [--json]\n\n${list.join('\n')}\n`;
}

if (process.argv[2] === 'serve') await serve();
else process.exit(await run(process.argv.slice(2)));
