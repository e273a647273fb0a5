// config check, apply, export: the catalog document.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DocumentFault } from '../../catalog/check-references.ts';
import { printFault } from '../../catalog/fault-words.ts';
import { applyDocument } from '../../catalog/publishing/apply-document.ts';
import { checkDocument, readNewDocument } from '../../catalog/read-document.ts';
import { warnLiterals } from '../../catalog/warn-change.ts';
import { type SecretPlaces, warnDocument } from '../../catalog/warn-document.ts';
import { systemClock } from '../../kit/clock.ts';
import { fileProblem } from '../../kit/error-code.ts';
import { readKeyFile } from '../../kit/key-file.ts';
import { currentDocument } from '../actions/documents.ts';
import { warnRetirements } from '../actions/retirements.ts';
import { ACTOR, type Command, CommandRefused } from './command.ts';

export const configCommands: readonly Command[] = [
  {
    words: 'config check',
    takes: 'FILE',
    about: 'validate a catalog file',
    async run({ args: [path = ''], variable, hasDatabase, open }) {
      const read = readNewDocument(readNamedFile(path));
      if (!read.ok) throw refusedDocument(read.faults);
      const { channels, models } = read.document;
      // A check does not fail because there is no database.
      const openTools = async () => (hasDatabase() ? open().catch(() => undefined) : undefined);
      const warnings = [
        ...warnLiterals(read.document),
        ...warnDocument(read.document, placesOf(variable)),
        ...(await warnRetirements(read.document, systemClock.now(), openTools)),
      ];
      return {
        facts: { ok: true, channels: channels.length, models: models.length, warnings },
        text: `valid: ${channels.length} channels, ${models.length} models`,
        warnings: warnings.map(printFault),
      };
    },
  },
  {
    words: 'config apply',
    takes: 'FILE',
    about: 'apply a catalog file as the newest revision; running servers follow within a second',
    makesDatabase: true,
    async run({ args: [path = ''], open, hasDatabase, databaseFile, configFile, variable }) {
      const text = readNamedFile(path);
      // No database is created for an invalid document.
      const isNew = !hasDatabase();
      const first = isNew ? checkDocument(text, undefined) : undefined;
      if (first?.ok === false) throw refusedDocument(first.faults);
      // Any other file is an edit: it survives a restart while the server's own file is unchanged.
      const source = resolve(path) === configFile ? 'file' : 'operator';
      const tools = await open();
      const applied = await applyDocument(tools, text, source, ACTOR);
      if (!applied.ok) throw refusedDocument(applied.faults);
      const warnings = [
        ...applied.warnings,
        ...warnDocument(applied.document, placesOf(variable)),
        ...(await warnRetirements(applied.document, tools.clock.now(), async () => tools)),
      ];
      // Shows a wrong DATA_DIR, with which the server would keep its old prices.
      const made = isNew ? databaseFile() : undefined;
      const where = made === undefined ? '' : `, in a new database at ${made}`;
      return {
        facts: { ok: true, revision: applied.revision, ...(made === undefined ? {} : { made }), warnings },
        text: `applied as revision ${applied.revision}${where}`,
        warnings: warnings.map(printFault),
      };
    },
  },
  {
    words: 'config export',
    takes: '',
    about: 'print the newest revision, without secrets',
    async run({ open }) {
      const { revision, yaml: document } = await currentDocument(await open());
      return { facts: { revision, document }, text: document.trimEnd() };
    },
  },
];

function placesOf(variable: SecretPlaces['variable']): SecretPlaces {
  return { variable, readFile: readKeyFile };
}

function readNamedFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandRefused(`cannot read ${path}: ${fileProblem(error)}`);
  }
}

function refusedDocument(faults: readonly DocumentFault[]): CommandRefused {
  return new CommandRefused(faults.map(printFault).join('\n'), { faults });
}
