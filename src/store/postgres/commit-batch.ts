// Runs a batch again that conflicted with one of another node. If a constraint refuses a batch, its halves are tried
// separately, until the bad operation fails alone. If another session holds a lock on a row, the operations that need it are
// left out and the others are committed.

import type { Decided } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import { explain, isConstraint, isLockTimeout, mayRunAgain } from './errors.ts';
import { pagesOf } from './load-pages.ts';
import type { Writer } from './writer.ts';

const MAX_RUNS = 5;

export async function commitBatch(writer: Writer, operations: readonly Operation[]): Promise<Decided[]> {
  for (let run = 1; ; run++) {
    try {
      return await writer.transact(operations);
    } catch (error) {
      if (mayRunAgain(error) && run < MAX_RUNS) continue;
      if (isLockTimeout(error)) {
        const locked = await writer.findLocked(operations);
        // The lock may have been released in the meantime.
        if (locked.size === 0 && run === 1) continue;
        return commitUnlocked(writer, operations, locked, explain(error));
      }
      if (!isConstraint(error)) throw error;
      if (operations.length === 1) return [{ ok: false, error: 'a database constraint refused the operation' }];
      const middle = operations.length >> 1;
      const first = await commitPart(writer, operations.slice(0, middle));
      return [...first, ...(await commitPart(writer, operations.slice(middle)))];
    }
  }
}

/** If no locked row is found, a table or a row that does not exist yet is locked: then any operation may need it. */
async function commitUnlocked(
  writer: Writer,
  operations: readonly Operation[],
  locked: ReadonlySet<string>,
  error: string,
): Promise<Decided[]> {
  const needed = operations.map(({ name, input }) => pagesOf(name, input).filter((page) => locked.has(page)));
  const isFree = (_: unknown, index: number) => locked.size > 0 && needed[index]?.length === 0;
  const free = operations.filter(isFree);
  const decided = free.length > 0 ? await commitPart(writer, free) : [];
  let next = 0;
  return operations.map((operation, index) => {
    const answer = isFree(operation, index) ? decided[next++] : undefined;
    return answer ?? { ok: false, error, lockedPages: needed[index] ?? [] };
  });
}

/** Each part is answered separately, because the database may become unreachable between two parts. */
async function commitPart(writer: Writer, operations: readonly Operation[]): Promise<Decided[]> {
  try {
    return await commitBatch(writer, operations);
  } catch (error) {
    return operations.map(() => ({ ok: false, error: explain(error), unavailable: true }));
  }
}
