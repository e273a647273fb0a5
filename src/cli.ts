// The operator's command line. Exit codes: 0 done; 1 refused, with the fault on stderr; 2 wrong usage.

import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { createCardHasher } from './accounts/card-code.ts';
import { createAuthenticator } from './accounts/keys/authenticator.ts';
import { OperatingRefused } from './admin/actions/refused.ts';
import type { OperatingTools } from './admin/actions/tools.ts';
import {
  type Command,
  CommandRefused,
  checkArguments,
  optionRefusal,
  optionsOf,
  type Printed,
  WrongUsage,
} from './admin/commands/command.ts';
import { createHelp, helpTopic } from './admin/commands/help.ts';
import { connectBare } from './channels/limit-connect.ts';
import type { Fetch } from './channels/upstream.ts';
import { Fault } from './faults/fault.ts';
import { systemClock } from './kit/clock.ts';
import { armFailpoint } from './kit/failpoint.ts';
import { createIds } from './kit/ids.ts';
import { describeError } from './kit/log.ts';
import { systemRandom } from './kit/random.ts';
import { createSealer, fingerprintOf } from './kit/sealed.ts';
import { writeAll } from './kit/write-all.ts';
import { expectDatabase, findPepper, hasDatabase, openDatabaseFolder } from './server/settings/data-folder.ts';
import { createGatewayId } from './server/settings/gateway-id.ts';
import { openStore } from './server/settings/open-store.ts';
import { createSecretResolver } from './server/settings/resolve-secret.ts';
import { readSettings, SettingsRefused } from './server/settings/settings.ts';
import { isExecutable } from './server/shipped-files.ts';
import { databasePlace } from './store/database-url.ts';
import { StoreRefused } from './store/refusal.ts';
import type { Store } from './store/store.ts';

interface Group {
  /** First words that belong to this group. */
  words: readonly string[];
  load(): Promise<readonly Command[]>;
}

/** In the order of the help. Loaded lazily, so that one command does not load all others. */
const GROUPS: readonly Group[] = [
  { words: ['config'], load: async () => (await import('./admin/commands/config.ts')).configCommands },
  { words: ['channels'], load: async () => (await import('./admin/commands/channels.ts')).channelCommands },
  { words: ['cards'], load: async () => (await import('./admin/commands/cards.ts')).cardCommands },
  { words: ['accounts', 'keys'], load: async () => (await import('./admin/commands/accounts.ts')).accountCommands },
  { words: ['incidents'], load: async () => (await import('./admin/commands/incidents.ts')).incidentCommands },
  {
    words: ['ledger', 'profit', 'losses'],
    load: async () => (await import('./admin/commands/ledger.ts')).ledgerCommands,
  },
  { words: ['backup', 'restore'], load: async () => (await import('./admin/commands/backup.ts')).backupCommands },
  { words: ['move'], load: async () => (await import('./admin/commands/move.ts')).moveCommands },
  { words: ['health'], load: async () => (await import('./admin/commands/health.ts')).healthCommands },
];

const PROGRAM = isExecutable ? 'ai-gateway' : 'npm run -s gateway --';
const SERVE_LINE = isExecutable ? `${PROGRAM} serve` : 'npm start';
const SERVE = {
  words: 'serve',
  takes: '',
  about: isExecutable ? 'run the server' : 'run the server (what npm start does)',
};
const HEALTH_MS = 3_000;
const STDOUT = 1;
const STDERR = 2;

async function run(args: readonly string[]): Promise<number> {
  const commands = await loadCommands(args[0]);
  const help = createHelp(PROGRAM, SERVE, commands);
  if (args.length === 0) {
    await print(STDERR, help.all());
    return 2;
  }
  const topic = helpTopic(args, commands);
  const topicHelp = topic && help.about(topic);
  if (topicHelp !== undefined) {
    await print(STDOUT, topicHelp);
    return 0;
  }
  if (args[0] === SERVE.words) return await refuseWords();
  if (args[0] === '--version') {
    await print(STDOUT, `${packageJson.version}\n`);
    return 0;
  }
  const json = args.includes('--json');
  let command: Command | undefined;
  try {
    command = findCommand(commands, args);
    await show(await runCommand(command, args.slice(command.words.split(' ').length)), json);
    return 0;
  } catch (error) {
    return await explain(error, json, command ? help.usageOf(command) : help.nearest(args));
  }
}

async function show(printed: Printed, json: boolean): Promise<void> {
  const { facts, text, warnings = [], note, secret } = printed;
  const isShown = await print(STDOUT, json ? `${JSON.stringify(facts)}\n` : `${text}\n`);
  if (!json) await print(STDERR, warnings.map((warning) => `warning: ${warning}\n`).join(''));
  if (!isShown || (secret && isDevNull(STDOUT))) {
    const advice = secret ? `: ${secret.ifLost}` : '';
    throw new CommandRefused(`the command succeeded, but stdout cannot be written${advice}`, secret?.facts);
  }
  if (!json && note !== undefined) await print(STDERR, `${note}\n`);
}

/** Loads the group of that word; without a match all groups, for the help. */
async function loadCommands(word: string | undefined): Promise<readonly Command[]> {
  const named = GROUPS.filter(({ words }) => word !== undefined && words.includes(word));
  const loaded = await Promise.all((named.length > 0 ? named : GROUPS).map(({ load }) => load()));
  return loaded.flat();
}

function findCommand(commands: readonly Command[], args: readonly string[]): Command {
  const command = commands.find(({ words }) => words.split(' ').every((word, index) => word === args[index]));
  if (!command) throw new WrongUsage(`unknown command: ${args.slice(0, 2).join(' ')}`);
  return command;
}

async function runCommand(command: Command, rest: readonly string[]) {
  const { positionals, values } = parseCommandLine(command, rest);
  const settings = readSettings();
  armFailpoint(settings.killOrder);
  const { fetch } = globalThis;
  let store: Store | undefined;
  const open = async (): Promise<OperatingTools> => {
    const opened = await openStore(settings, systemClock, systemRandom, { mustExist: !command.makesDatabase });
    store = opened.store;
    const { createUpstreams } = await import('./channels/upstreams.ts');
    const newId = createIds(systemClock, systemRandom);
    const sealer = createSealer(opened.pepper, systemRandom);
    return {
      store,
      clock: systemClock,
      random: systemRandom,
      newId,
      sealer,
      hashKey: createAuthenticator(store, systemClock, opened.pepper).hash,
      hashCard: createCardHasher(opened.pepper),
      findUpstream: createUpstreams({
        clock: systemClock,
        newId,
        fetch,
        connect: settings.hasProxy ? undefined : connectBare,
        gatewayId: createGatewayId(opened.pepper),
        demoPaceMs: 0,
        resolveSecret: createSecretResolver(settings, sealer),
      }).findUpstream,
      publicUrl: settings.publicUrl,
      // Running servers pick up changes within a second.
      follow: async () => {},
    };
  };
  try {
    checkArguments(command, positionals);
    return await command.run({
      args: positionals,
      options: values,
      open,
      configFile: settings.configFile,
      variable: settings.variable,
      // Called only if needed: checking a file touches no folder.
      hasDatabase: () => settings.databaseUrl !== undefined || hasDatabase(settings.dataDir),
      databaseFile() {
        if (settings.databaseUrl !== undefined) return undefined;
        return command.makesDatabase ? openDatabaseFolder(settings.dataDir) : expectDatabase(settings.dataDir);
      },
      databasePlace: settings.databaseUrl === undefined ? settings.dataDir : databasePlace(settings.databaseUrl),
      pepperFingerprint() {
        const pepper = findPepper(settings.dataDir, settings.pepper);
        return pepper === undefined ? undefined : fingerprintOf(pepper);
      },
      serveLine: SERVE_LINE,
      serverUrl: settings.ownUrl,
      ask: askWith(fetch, settings.ownUrl),
    });
  } finally {
    await store?.close();
  }
}

function askWith(send: Fetch, url: string) {
  return (path: string) => send(url + path, { signal: AbortSignal.timeout(HEALTH_MS), redirect: 'manual' });
}

function parseCommandLine(command: Command, rest: readonly string[]) {
  const { options, flags } = optionsOf(command);
  const { positionals, tokens } = parseArgs({
    args: rest.filter((word) => word !== '--json'),
    options: {
      ...Object.fromEntries(options.map((name) => [name, { type: 'string' as const }])),
      ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' as const }])),
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (Object.hasOwn(values, name)) throw new WrongUsage(`${rawName} is given twice`);
    if (flags.includes(name)) {
      if (value !== undefined) throw new WrongUsage(`${rawName} takes no value`);
      values[name] = '';
      continue;
    }
    if (!options.includes(name)) throw new WrongUsage(`unknown option: ${rawName}`);
    // `--name -x` probably lacks its value; `--name=-1` is one.
    const isNext = inlineValue === false && value?.startsWith('-') && value !== '-';
    if (value === undefined || isNext) throw new WrongUsage(`${rawName} needs a value`);
    values[name] = value;
  }
  return { positionals, values };
}

async function explain(error: unknown, json: boolean, usage: string): Promise<number> {
  if (error instanceof WrongUsage) {
    await print(STDERR, `${error.message}\n${usage}\n`);
    return 2;
  }
  const message = refusal(error);
  const facts = error instanceof CommandRefused || error instanceof OperatingRefused ? error.facts : {};
  if (error instanceof CommandRefused && error.done !== undefined && !json) await print(STDOUT, `${error.done}\n`);
  await print(STDERR, json ? `${JSON.stringify({ error: message, ...facts })}\n` : `${message}\n`);
  return 1;
}

/** False if it could not be written. Waits for a full pipe: exiting early would lose card codes that are shown once. */
function print(fd: number, text: string): Promise<boolean> {
  return writeAll(fd, Buffer.from(text)).then(
    () => true,
    () => false,
  );
}

/** The runtime opens /dev/null if stdout was closed. */
function isDevNull(fd: number): boolean {
  const { rdev } = fstatSync(fd);
  return rdev !== 0 && rdev === statSync(devNull, { throwIfNoEntry: false })?.rdev;
}

function refusal(error: unknown): string {
  const known = error instanceof CommandRefused || error instanceof SettingsRefused || error instanceof StoreRefused;
  if (known) return error.message;
  if (error instanceof OperatingRefused) return optionRefusal(error);
  if (error instanceof Fault) return faultText(error);
  return `failed unexpectedly: ${describeError(error)}`;
}

/** The public text hides details of a failed database that the operator needs. */
function faultText({ code, publicText, details: { internal } }: Fault): string {
  if (code === 'unavailable' && internal !== undefined) {
    return `the database cannot be used: ${internal.replace(/^store: /, '')}`;
  }
  return `${publicText} (${internal ?? code})`;
}

/** Ignored arguments would start a server with settings that its operator does not expect. */
async function refuseWords(): Promise<number> {
  await print(STDERR, 'serve takes no options: settings are environment variables, see docs/configuration.md\n');
  return 2;
}

const [word, ...more] = process.argv.slice(2);
if (word === 'serve' && more.length === 0) void import('./main.ts').then(({ serve }) => serve());
else void run(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
