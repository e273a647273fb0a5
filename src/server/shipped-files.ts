// Files that ship with the program: docs and page assets. In the project they are beside the source; in the executable
// of `npm run build` they are in an embedded folder, at the same paths.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders in the executable; to read another one, add it here. */
export const SHIPPED_FOLDERS = ['docs', 'src/site/assets', 'src/admin/console/assets'] as const;
export const SHIPPED = 'shipped';

const inside = join(import.meta.dir, SHIPPED);

/** True in the executable, which needs neither Node nor npm nor the project. */
export const isExecutable = existsSync(inside);

const root = isExecutable ? inside : join(import.meta.dir, '..', '..');

/** The files by path relative to the folder, including subfolders, sorted by name. */
export function readShipped(folder: (typeof SHIPPED_FOLDERS)[number]): Map<string, Buffer> {
  const from = join(root, folder);
  const names = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1));
  return new Map(names.sort().map((name) => [name.replaceAll('\\', '/'), readFileSync(join(from, name))]));
}
