// The program of another commit: its files in a temporary folder, with the packages of this one where they are the same.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';

const ROOT = join(import.meta.dir, '..', '..');

export interface OtherProgram {
  /** Its command line, without arguments. */
  command: readonly string[];
  commit: string;
  /** The schema that it brings a database to. */
  schema: number;
  /** It serves Responses over WebSockets. */
  hasSockets: boolean;
  remove(): void;
}

export async function programOf(ref: string): Promise<OtherProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-other-'));
  const commit = (await $`git -C ${ROOT} rev-parse --short ${`${ref}^{commit}`}`.text()).trim();
  await $`git -C ${ROOT} archive ${commit} | tar -x -C ${folder}`;
  const lockOf = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await $`npm ci --omit=dev`.cwd(folder).quiet();
  return {
    command: [process.execPath, '--no-env-file', join(folder, 'src', 'cli.ts')],
    commit,
    schema: schemaIn(folder),
    hasSockets: existsSync(join(folder, 'src', 'http', 'sockets')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function schemaIn(root: string): number {
  const files = readdirSync(join(root, 'src', 'store', 'postgres', 'migrations'));
  return Math.max(...files.map((file) => Number.parseInt(file, 10)).filter((version) => version > 0));
}
