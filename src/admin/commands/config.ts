// config check, apply, export: the catalog document.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DocumentFault } from '../../catalog/check-references.ts';
import { readDocument } from '../../catalog/read-document.ts';
import { currentDocument } from '../../operating/documents.ts';
import { applyDocument } from '../../publishing/apply-document.ts';
import { ACTOR, type Command, noArguments, oneArgument, Refused } from '../command.ts';

export const configCommands: readonly Command[] = [
  {
    words: 'config check',
    takes: 'FILE',
    about: 'validate a catalog file',
    options: [],
    async run({ args }) {
      const read = readDocument(readNamedFile(oneArgument(args, 'FILE')));
      if (!read.ok) throw refusedDocument(read.faults);
      const { channels, models } = read.document;
      return {
        facts: { ok: true, channels: channels.length, models: models.length },
        text: `valid: ${channels.length} channels, ${models.length} models`,
      };
    },
  },
  {
    words: 'config apply',
    takes: 'FILE',
    about: 'make it the newest revision; running servers follow within a second',
    options: [],
    async run({ args, open, configFile }) {
      const path = oneArgument(args, 'FILE');
      const text = readNamedFile(path);
      // Any other file is an edit that must survive a restart, when the server's own file has not changed.
      const source = resolve(path) === configFile ? 'file' : 'operator';
      const applied = await applyDocument(await open(), text, source, ACTOR);
      if (!applied.ok) throw refusedDocument(applied.faults);
      return { facts: applied, text: `applied as revision ${applied.revision}` };
    },
  },
  {
    words: 'config export',
    takes: '',
    about: 'print the newest revision, without secrets',
    options: [],
    async run({ args, open }) {
      noArguments(args);
      const { revision, yaml: document } = await currentDocument(await open());
      return { facts: { revision, document }, text: document.trimEnd() };
    },
  },
];

function readNamedFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Refused(`cannot read ${path}`);
  }
}

function refusedDocument(faults: readonly DocumentFault[]): Refused {
  return new Refused(faults.map(({ path, message }) => `${path}: ${message}`).join('\n'), { faults });
}
