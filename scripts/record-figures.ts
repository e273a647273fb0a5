// The commands that prove something (`npm run simulate`, `npm run torture`, …) write the figures of a run with `--record`.
// `npm run docs` makes the table in docs/reliability.md from them.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

export interface RecordedRun {
  /** As typed, so that a reader can repeat it. */
  command: string;
  /** The day of the run, such as 2026-11-18. */
  date: string;
  cores: number;
  /** What the table shows, in order: a name and a value with its unit. */
  figures: Record<string, string>;
}

export const FIGURES_DIR = join(import.meta.dir, '../docs/figures');

/** Overwrites the figures of the last run of the same name. */
export function recordFigures(name: string, command: string, figures: Record<string, string>): void {
  const run: RecordedRun = {
    command,
    date: new Date().toISOString().slice(0, 10),
    cores: cpus().length,
    figures,
  };
  mkdirSync(FIGURES_DIR, { recursive: true });
  writeFileSync(join(FIGURES_DIR, `${name}.json`), `${JSON.stringify(run, null, 2)}\n`);
}

/** The last recorded run of each name. */
export function readFigures(): Map<string, RecordedRun> {
  const files = existsSync(FIGURES_DIR) ? readdirSync(FIGURES_DIR).filter((file) => file.endsWith('.json')) : [];
  return new Map(
    files.map((file) => [
      file.slice(0, -'.json'.length),
      JSON.parse(readFileSync(join(FIGURES_DIR, file), 'utf8')) as RecordedRun,
    ]),
  );
}
