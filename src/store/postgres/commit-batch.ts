// A batch that met another node's is run again from the beginning. If the database refuses one because of some operation's
// rows, its halves are tried by themselves, and theirs, until the bad one fails alone.

import type { Decided } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import { explain, isConstraint, mayRunAgain } from './errors.ts';
import type { Writer } from './writer.ts';

const MAX_RUNS = 5;

export async function commitBatch(writer: Writer, operations: readonly Operation[]): Promise<Decided[]> {
  for (let run = 1; ; run++) {
    try {
      return await writer.transact(operations);
    } catch (error) {
      if (mayRunAgain(error) && run < MAX_RUNS) continue;
      if (!isConstraint(error)) throw error;
      if (operations.length === 1) return [{ ok: false, error: 'a database constraint refused the operation' }];
      const middle = operations.length >> 1;
      const first = await commitHalf(writer, operations.slice(0, middle));
      return [...first, ...(await commitHalf(writer, operations.slice(middle)))];
    }
  }
}

/** Each half is answered by itself: the database may go away in between, and what was committed before stays so. */
async function commitHalf(writer: Writer, operations: readonly Operation[]): Promise<Decided[]> {
  try {
    return await commitBatch(writer, operations);
  } catch (error) {
    return operations.map(() => ({ ok: false, error: explain(error), unavailable: true }));
  }
}
