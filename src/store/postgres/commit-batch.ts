// A batch that met another node's is run again from the beginning. One that the database refuses because of some row is
// run operation by operation, so that the bad one fails by itself.

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
      if (operations.length > 1) return oneByOne(writer, operations);
      return [{ ok: false, error: 'a database constraint refused the operation' }];
    }
  }
}

/** Each is answered by itself: the database may go away halfway, and what was committed before stays so. */
async function oneByOne(writer: Writer, operations: readonly Operation[]): Promise<Decided[]> {
  const all: Decided[] = [];
  for (const operation of operations) {
    try {
      all.push(...(await commitBatch(writer, [operation])));
    } catch (error) {
      all.push({ ok: false, error: explain(error), unavailable: true });
    }
  }
  return all;
}
