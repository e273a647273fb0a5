// `npm run docs`: rewrites the parts of docs and schemas that are generated from the source. A test compares them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, type Language } from '../src/site/language.ts';
import { migrate } from '../src/store/sqlite/migrate.ts';
import { openDatabase } from '../src/store/sqlite/open-database.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { faultTableMarkdown } from './faults-table.ts';
import { dumpPostgresSchema } from './postgres-schema.ts';
import { quirksTableMarkdown } from './quirks-table.ts';
import { readFigures } from './record-figures.ts';
import { reliabilityTableMarkdown } from './reliability-table.ts';
import { vendorsTableMarkdown } from './vendors-table.ts';

export interface GeneratedFile {
  /** Relative to the project's root. */
  path: string;
  text: string;
}

export const POSTGRES_SCHEMA = 'src/store/postgres/schema.sql';

const ROOT = join(import.meta.dir, '..');

export const SCHEMA_HEAD = `-- What all migrations together make of an empty database, for people to read. Generated: change a migration, not this.`;

export function generateFiles(): GeneratedFile[] {
  return [
    ...['docs/errors.md', 'docs/zh-TW/errors.md'].map((path) => ({
      path,
      text: withPart(readText(path), 'faults', faultTableMarkdown()),
    })),
    ...LANGUAGES.flatMap((language) => [
      generatePart(language, 'translation.md', 'quirks', quirksTableMarkdown(language)),
      generatePart(language, 'reliability.md', 'promises', reliabilityTableMarkdown(language, readFigures())),
      generatePart(language, 'configuration.md', 'vendors', vendorsTableMarkdown(language)),
    ]),
    { path: 'src/store/sqlite/schema.sql', text: dumpSchema() },
  ];
}

function generatePart(language: Language, page: string, name: string, part: string): GeneratedFile {
  const path = language === 'en' ? `docs/${page}` : `docs/${language}/${page}`;
  return { path, text: withPart(readText(path), name, part) };
}

/** A page with the part between `<!-- NAME:begin -->` and `<!-- NAME:end -->` replaced. */
export function withPart(page: string, name: string, part: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const [before, rest, ...more] = page.split(begin);
  const [, after, ...ends] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined || more.length > 0 || ends.length > 0) {
    throw new Error(`a page must have ${begin} and after it ${end}, each once`);
  }
  return `${before}${begin}\n${part}\n${end}${after}`;
}

function dumpSchema(): string {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db);
  const statements = db
    .query<{ sql: string }, []>(
      `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY tbl_name, type = 'table' DESC, type, name`,
    )
    .all();
  db.close();
  return [SCHEMA_HEAD, ...statements.map(({ sql }) => `${sql};`)].join('\n\n').concat('\n');
}

function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Needs a PostgreSQL server, so the test that compares it is among those that start one. */
async function generatePostgresSchema(): Promise<GeneratedFile> {
  const server = await startPostgres();
  try {
    const { sql } = await server.createDatabase();
    return { path: POSTGRES_SCHEMA, text: await dumpPostgresSchema(SCHEMA_HEAD, sql) };
  } finally {
    await server.stop();
  }
}

if (import.meta.main) {
  for (const { path, text } of [...generateFiles(), await generatePostgresSchema()]) {
    writeFileSync(join(ROOT, path), text);
  }
}
