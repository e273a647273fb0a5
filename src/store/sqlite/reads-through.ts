// Queries go to the reading threads. A query about rows that may still be in the journal waits until they are posted, so that
// it sees every write that was confirmed before, by this process or another. If they cannot be posted (a full disk, a lock that
// another process keeps), the tables are read as they are: a consistent earlier state. A row that is missing there may still
// exist in the journal.

import { fault } from '../../faults/fault.ts';
import { READS, type Reads, readsFrom } from '../read-table.ts';
import type { Reader } from './connect-thread.ts';

interface ReadWays {
  reader: Reader;
  slowReader: Reader;
  /** Whether everything that was answered so far is in the tables: false if it cannot be brought there for now. */
  post(): Promise<boolean>;
}

export function readsThrough({ reader, slowReader, post }: ReadWays): Reads {
  return readsFrom(async (name, args) => {
    const { slow, journaled, emptyIfAbsent = false } = READS[name];
    const thread = slow ? slowReader : reader;
    try {
      const isBehind = journaled && (await reader.ask({ do: 'isBehind' })) && !(await post());
      const found = await thread.ask({ do: 'read', name, args });
      if (isBehind && found === undefined && !emptyIfAbsent) {
        throw new Error('it may be in the journal, which cannot be posted');
      }
      return found;
    } catch (error) {
      throw fault('unavailable', { internal: `store: ${error instanceof Error ? error.message : 'read failed'}` });
    }
  });
}
