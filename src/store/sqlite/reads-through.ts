// Questions go to the reading threads. One about rows that may still be in the journal waits until they are posted, so
// that it sees everything that was answered before it was asked, by this process or another. Where they cannot be posted
// (a full disk, a lock that somebody keeps), it is answered from the tables as they are: a whole and earlier state; but of
// what is not there nobody knows whether it is nowhere.

import { fault } from '../../faults/fault.ts';
import { READ_NAMES, type ReadName, type Reads } from '../reads.ts';
import type { Reader } from './connect-thread.ts';

export interface ReadWays {
  reader: Reader;
  slowReader: Reader;
  /** Whether everything that was answered so far is in the tables: false if it cannot be brought there for now. */
  post(): Promise<boolean>;
}

/** What may take long has a thread of its own, so that a key's look-up never waits behind an audit. */
const SLOW_READS: ReadonlySet<ReadName> = new Set([
  'usagePage',
  'spendByDay',
  'spendByKey',
  'trafficDays',
  'audit',
  'wrongChain',
  'cards',
  'cardCounts',
  'actions',
  'alarms',
  'openAlarms',
  'houseAccounts',
  'writeOffs',
  'revenueByDay',
  'channelDays',
  'channelRevisions',
]);

/** Of tables that nothing journaled changes: no wallet, window, budget, hold, entry or usage record is in their answers. */
const NEVER_JOURNALED: ReadonlySet<ReadName> = new Set([
  'keyByHash',
  'keysOf',
  'keyById',
  'cards',
  'cardBatches',
  'newestRevision',
  'revision',
  'wasApplied',
  'pulse',
  'leases',
  'trafficSince',
  'trafficDays',
  'login',
  'accountByLogin',
  'incidents',
  'revisions',
  'actions',
  'alarms',
  'openAlarms',
  'accountSince',
  'cardBatch',
  'cardCounts',
  'usageKeptFrom',
]);

/** Reads for which no row is a whole answer: of a window that is not there, nothing was used. */
const EMPTY_IF_ABSENT: ReadonlySet<ReadName> = new Set(['window']);

export function readsThrough({ reader, slowReader, post }: ReadWays): Reads {
  const ask =
    (name: ReadName) =>
    async (...args: unknown[]) => {
      const thread = SLOW_READS.has(name) ? slowReader : reader;
      try {
        const isBehind = !NEVER_JOURNALED.has(name) && (await reader.ask({ do: 'isBehind' })) && !(await post());
        const found = await thread.ask({ do: 'read', name, args });
        if (isBehind && found === undefined && !EMPTY_IF_ABSENT.has(name)) {
          throw new Error('it may be in the journal, which cannot be posted');
        }
        return found;
      } catch (error) {
        throw fault('unavailable', { internal: `store: ${error instanceof Error ? error.message : 'read failed'}` });
      }
    };
  return Object.fromEntries(READ_NAMES.map((name) => [name, ask(name)])) as { [Name in ReadName]: Reads[Name] };
}
