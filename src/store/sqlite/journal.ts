// The journal: batches that were answered and are not yet in the tables, one row each.

import type { Database } from 'bun:sqlite';
import type { Book } from '../book/book.ts';
import { prepareEncodeChanges } from './after-images.ts';

export function prepareJournal(db: Database) {
  const encode = prepareEncodeChanges(db);
  const insert = db.prepare<unknown, [string]>('INSERT INTO journal (changes) VALUES (?)');
  const remove = db.prepare('DELETE FROM journal');
  const recorded = db.prepare<unknown, [string]>(
    'SELECT 1 FROM json_each(?) AS one CROSS JOIN usage_records ON request_id = one.value LIMIT 1',
  );
  /** Requests whose records are journaled. */
  const closed = new Set<string>();

  /** A request has one usage record: the table would refuse a second one. */
  function hasRecord(requestIds: readonly string[]): boolean {
    for (const requestId of requestIds) {
      if (closed.has(requestId)) return true;
      closed.add(requestId);
    }
    return requestIds.length > 0 && recorded.get(JSON.stringify(requestIds)) !== null;
  }

  return {
    /** Journals the changes of the batch; false if they must be written to the tables at once, whose constraints check them. */
    append(book: Book): boolean {
      const changes = encode(book);
      if (changes === undefined) return false;
      const requestIds = book.batchRows.flatMap(({ table, row }) => (table === 'usage' ? [row.requestId] : []));
      if (hasRecord(requestIds)) return false;
      insert.run(changes);
      return true;
    },
    /** The book was written to the tables. */
    clear(): void {
      remove.run();
      closed.clear();
    },
    /** Discards everything in memory. */
    forget: () => closed.clear(),
  };
}
