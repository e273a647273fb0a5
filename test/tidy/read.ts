// Reads the project from disk, for the guards.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Files, Lockfile, Manifest } from './project.ts';

const ROOT = join(import.meta.dir, '..', '..');

export const readManifest = (): Manifest => JSON.parse(readText('package.json'));

export const readLockfile = (): Lockfile => JSON.parse(readText('package-lock.json'));

/** Every file that git tracks or would add; without git, as in an unpacked archive, every file there is. */
export function readProject(): Files {
  const paths = pathsFromGit() ?? pathsFromDisk();
  return new Map(paths.filter(isFile).map((path) => [path, readText(path)]));
}

function pathsFromGit(): string[] | undefined {
  if (!existsSync(join(ROOT, '.git')) || Bun.which('git') === null) return undefined;
  const list = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { success, stdout } = Bun.spawnSync(list, { cwd: ROOT });
  return success ? stdout.toString().split('\0').filter(Boolean) : undefined;
}

function pathsFromDisk(): string[] {
  const skipped = new Set(['node_modules', '.git', 'data', 'coverage']);
  return readdirSync(ROOT)
    .filter((name) => !skipped.has(name))
    .flatMap((name) =>
      isFile(name)
        ? [name]
        : readdirSync(join(ROOT, name), { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
    );
}

const isFile = (path: string) => lstatSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile() ?? false;

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');
