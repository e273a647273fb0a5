// Questions go to the reading threads. One about rows that may still be in the journal waits until they are posted, so
// that it sees everything that was answered before it was asked, by this process or another. Where they cannot be posted
// (a full disk, a lock that somebody keeps), it is answered from the tables as they are: a whole and earlier state; but of
// what is not there nobody knows whether it is nowhere.

import { fault } from '../../faults/fault.ts';
import { READS, type Reads, readsFrom } from '../read-table.ts';
import type { Reader } from './connect-thread.ts';

export interface ReadWays {
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
