// The operator's command line. Exit 0: done; 1: refused, with the fault on stderr; 2: wrong usage.

import { readFileSync } from 'node:fs';
import type { DocumentFault } from './catalog/check-references.ts';
import { exportDocument } from './catalog/document-secrets.ts';
import { readDocument } from './catalog/read-document.ts';
import { readSettings, type Settings, SettingsRefused } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { systemClock } from './kit/clock.ts';
import { systemRandom } from './kit/random.ts';
import { createSealer } from './kit/sealed.ts';
import { serve } from './main.ts';
import { applyDocument, type PublishingTools } from './publishing/apply-document.ts';
import { StoreRefused } from './store/refusal.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';

const USAGE = `usage: npm run -s gateway -- COMMAND [--json]

  serve                 run the server (what npm start does)
  config check FILE     validate a catalog file
  config apply FILE     make it the newest revision; running servers follow within a second
  config export         print the newest revision, without secrets
`;

class WrongUsage extends Error {}
class Refused extends Error {
  constructor(
    message: string,
    readonly facts: Record<string, unknown>,
  ) {
    super(message);
  }
}

interface Invocation {
  words: readonly string[];
  json: boolean;
}

type Command = (invocation: Invocation) => Promise<void>;

const COMMANDS: Record<string, Command> = {
  serve: () => serve(),
  'config check': async ({ words, json }) => {
    const read = readDocument(readNamedFile(words[2]));
    if (!read.ok) throw refusedDocument(read.faults);
    const { channels, models } = read.document;
    print(
      json,
      { ok: true, channels: channels.length, models: models.length },
      `valid: ${channels.length} channels, ${models.length} models`,
    );
  },
  'config apply': async ({ words, json }) => {
    const text = readNamedFile(words[2]);
    await withStore(async (tools) => {
      const applied = await applyDocument(tools, text, 'file');
      if (!applied.ok) throw refusedDocument(applied.faults);
      print(json, applied, `applied as revision ${applied.revision}`);
    });
  },
  'config export': async ({ json }) => {
    await withStore(async ({ store }) => {
      const newest = await store.read.newestRevision();
      if (!newest) throw new Refused('there is no revision yet: start the server or apply a file', {});
      const yaml = exportDocument(newest.document);
      print(json, { revision: newest.revision, document: yaml }, yaml.trimEnd());
    });
  },
};

async function run(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  const words = args.filter((arg) => arg !== '--json');
  if (words.length === 0 || words[0] === 'help' || words[0] === '--help') {
    process.stdout.write(USAGE);
    return words.length === 0 ? 2 : 0;
  }
  const command = COMMANDS[words.slice(0, 2).join(' ')] ?? COMMANDS[words[0] ?? ''];
  try {
    if (!command || words.some((word) => word.startsWith('--')))
      throw new WrongUsage(`unknown command: ${words.join(' ')}`);
    await command({ words, json });
    return 0;
  } catch (error) {
    return explain(error, json);
  }
}

function explain(error: unknown, json: boolean): number {
  if (error instanceof WrongUsage) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  if (error instanceof Refused) {
    process.stderr.write(json ? `${JSON.stringify({ error: error.message, ...error.facts })}\n` : `${error.message}\n`);
    return 1;
  }
  if (error instanceof SettingsRefused || error instanceof StoreRefused) {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  throw error;
}

async function withStore(use: (tools: PublishingTools) => Promise<void>): Promise<void> {
  const settings: Settings = readSettings();
  const folder = openDataFolder(settings.dataDir, settings.pepper, systemRandom);
  const store = await openSqliteStore({ file: folder.databaseFile, clock: systemClock });
  try {
    await use({ store, sealer: createSealer(folder.pepper, systemRandom), clock: systemClock });
  } finally {
    await store.close();
  }
}

function readNamedFile(path: string | undefined): string {
  if (path === undefined) throw new WrongUsage('a FILE is missing');
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Refused(`cannot read ${path}`, {});
  }
}

function refusedDocument(faults: readonly DocumentFault[]): Refused {
  return new Refused(faults.map(({ path, message }) => `${path}: ${message}`).join('\n'), { faults });
}

function print(json: boolean, facts: Record<string, unknown>, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `${text}\n`);
}

const code = await run(process.argv.slice(2));
if (process.argv[2] !== 'serve') process.exit(code);
