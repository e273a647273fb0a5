// Processes that call with the keys of a tree, killed while they do.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../../src/store/store.ts';
import { CALL, callsOf, plantTree } from './race-tree.ts';

/** One process for each of the databases, which may be the same. */
export async function killInTheMiddle(store: Store, databases: readonly string[], folder: string) {
  const keys = await plantTree(store);
  const file = join(folder, 'calls.json');
  writeFileSync(
    file,
    JSON.stringify(callsOf(keys), (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
  const children = databases.map((database) =>
    Bun.spawn([process.execPath, join(import.meta.dir, 'hammer.ts'), database, file], {
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  );
  await Promise.all(children.map((child) => firstWords(child.stdout)));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map((child) => child.exited));
  return {
    keyIds: keys.map(({ row }) => row.keyId),
    limits: new Map(keys.map(({ row, capacity }) => [row.keyId, CALL * BigInt(capacity) + 99n])),
  };
}

async function firstWords(output: ReadableStream<Uint8Array>): Promise<void> {
  const { done } = await output.getReader().read();
  if (done) throw new Error('the process ended before it was busy');
}
