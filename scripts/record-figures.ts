// The commands that prove something (`npm run simulate`, `npm run torture`, …) write the figures of a run with `--record`.
// `npm run docs` makes the table in docs/reliability.md from them.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { FIGURES } from './figure-lists.ts';
import type { RunName } from './reliability-promises.ts';

export interface RecordedRun {
  /** As typed, so that a reader can repeat it. */
  command: string;
  /** The day of the run, such as 2026-11-18. */
  date: string;
  /** Short hash of the commit that was checked out; absent outside of a git clone. */
  commit?: string;
  cores: number;
  /** What the table shows, in order: a name and a value with its unit. */
  figures: Record<string, string>;
}

export const FIGURES_DIR = join(import.meta.dir, '../docs/figures');

/** Overwrites the figures of the last run of the same name. */
export function recordFigures(name: RunName, command: string, figures: Record<string, string>): void {
  const wrong = wrongNames(name, figures);
  if (wrong.length > 0) throw new Error(`not as scripts/figure-lists.ts lists the figures of ${name}: ${wrong.join()}`);
  const git = Bun.spawnSync(['git', 'rev-parse', '--short=8', 'HEAD'], { cwd: import.meta.dir, stderr: 'ignore' });
  const run: RecordedRun = {
    command,
    date: new Date().toISOString().slice(0, 10),
    ...(git.success ? { commit: git.stdout.toString().trim() } : {}),
    cores: cpus().length,
    figures,
  };
  mkdirSync(FIGURES_DIR, { recursive: true });
  writeFileSync(join(FIGURES_DIR, `${name}.json`), `${JSON.stringify(run, null, 2)}\n`);
}

/** Figures that are missing, not listed, or in another order. */
export function wrongNames(name: RunName, figures: Record<string, string>): string[] {
  const listed = FIGURES[name];
  const given = Object.keys(figures);
  const differing = [...listed.filter((one) => !given.includes(one)), ...given.filter((one) => !listed.includes(one))];
  return differing.length > 0 ? differing : given.filter((one, index) => one !== listed[index]);
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
