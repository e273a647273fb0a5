// Files that go with the program: the docs, and what pages load. They stand in the project beside the source; inside the
// executable that `npm run build` makes they stand in a folder of their own, at the same paths.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the executable must hold; whoever reads another folder names it here. */
export const SHIPPED_FOLDERS = ['docs', 'src/site/assets', 'src/admin/console/assets'] as const;
export const SHIPPED = 'shipped';

const inside = join(import.meta.dir, SHIPPED);

/** Whether this is the executable, which needs neither Node nor npm nor the project around it. */
export const isExecutable = existsSync(inside);

const root = isExecutable ? inside : join(import.meta.dir, '..', '..');

/** By path below the folder, also from the folders in it, in the order of their names. */
export function readShipped(folder: (typeof SHIPPED_FOLDERS)[number]): Map<string, Buffer> {
  const from = join(root, folder);
  const names = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1));
  return new Map(names.sort().map((name) => [name.replaceAll('\\', '/'), readFileSync(join(from, name))]));
}
