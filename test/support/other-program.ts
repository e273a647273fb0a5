// The program of another commit: its files in a temporary folder, with the packages of this one where they are the same.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';

const ROOT = join(import.meta.dir, '..', '..');

/** There is no such commit in this clone. */
export class NoSuchCommit extends Error {}

export interface OtherProgram {
  folder: string;
  /** Its command line, without arguments. */
  command: readonly string[];
  commit: string;
  /** The schema that it brings a database to. */
  schema: number;
  /** It serves Responses over WebSockets. */
  hasSockets: boolean;
  remove(): void;
}

/** Rejects with NoSuchCommit. */
export async function programOf(ref: string): Promise<OtherProgram> {
  const commit = await commitOf(ref);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-other-'));
  await $`git -C ${ROOT} archive ${commit} | tar -x -C ${folder}`;
  const lockOf = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await $`npm ci --omit=dev`.cwd(folder).quiet();
  return {
    folder,
    command: [process.execPath, '--no-env-file', join(folder, 'src', 'cli.ts')],
    commit,
    schema: schemaIn(folder),
    hasSockets: existsSync(join(folder, 'src', 'http', 'sockets')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function commitOf(ref: string): Promise<string> {
  const { exitCode, stdout } = await $`git -C ${ROOT} rev-parse --short --verify --end-of-options ${`${ref}^{commit}`}`
    .nothrow()
    .quiet();
  if (exitCode === 0) return stdout.toString().trim();
  throw new NoSuchCommit(
    `There is no commit '${ref}' in this clone. Fetch it with \`git fetch --tags\`, or name a commit that \`git log\` lists.`,
  );
}

function schemaIn(root: string): number {
  const files = readdirSync(join(root, 'src', 'store', 'postgres', 'migrations'));
  return Math.max(...files.map((file) => Number.parseInt(file, 10)).filter((version) => version > 0));
}
