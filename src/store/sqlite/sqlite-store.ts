// The embedded store: one file, one writing thread, two reading threads.

import { fault } from '../../faults/fault.ts';
import type { Clock } from '../../kit/clock.ts';
import type { KillOrder } from '../../kit/failpoint.ts';
import { type BatchMeter, createBatcher } from '../batcher.ts';
import { READ_NAMES, type ReadName, type Reads } from '../reads.ts';
import type { Store } from '../store.ts';
import { connectThread, type Thread } from './connect-thread.ts';
import type { CommitReply } from './messages.ts';

export interface SqliteOptions {
  file: string;
  clock: Clock;
  unsafeNoSync?: boolean;
  killOrder?: KillOrder | undefined;
  maxPages?: number | undefined;
  meter?: BatchMeter | undefined;
}

/** Rejects with StoreRefused if the file cannot be used. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file, clock, unsafeNoSync = false, killOrder, maxPages, meter } = options;
  const writer = connectThread();
  const reader = connectThread();
  const slowReader = connectThread();
  const threads = [reader, slowReader, writer];
  const end = () => {
    for (const thread of threads) thread.end();
  };
  try {
    await writer.ask({ do: 'open', file, options: { unsafeNoSync, killOrder, maxPages } });
    await reader.ask({ do: 'open', file, options: { readonly: true } });
    await slowReader.ask({ do: 'open', file, options: { readonly: true } });
  } catch (error) {
    end();
    throw error;
  }
  const batcher = createBatcher({
    clock,
    meter,
    commit: async (operations) => (await writer.ask({ do: 'commit', operations })) as CommitReply,
  });
  return {
    commit: (name, input) => batcher.submit(name, input),
    waiting: batcher.depth,
    read: readsThrough((name) => (SLOW_READS.has(name) ? slowReader : reader)),
    recordAlarm: async (alarm, at) => void (await writer.ask({ do: 'alarm', alarm, at })),
    forget: async (before) => void (await writer.ask({ do: 'forget', before })),
    async close() {
      await batcher.idle();
      for (const thread of threads) await thread.ask({ do: 'close' });
      end();
    },
  };
}

/** What may take long has a thread of its own, so that a key's look-up never waits behind an audit. */
const SLOW_READS: ReadonlySet<ReadName> = new Set([
  'usagePage',
  'spendByDay',
  'trafficDays',
  'audit',
  'cards',
  'cardCounts',
  'actions',
  'alarms',
  'houseAccounts',
  'writeOffs',
  'revenueByDay',
  'channelDays',
]);

function readsThrough(threadFor: (name: ReadName) => Thread): Reads {
  const ask =
    (name: ReadName) =>
    async (...args: unknown[]) => {
      try {
        return await threadFor(name).ask({ do: 'read', name, args });
      } catch (error) {
        throw fault('unavailable', { internal: `store: ${error instanceof Error ? error.message : 'read failed'}` });
      }
    };
  return Object.fromEntries(READ_NAMES.map((name) => [name, ask(name)])) as { [Name in ReadName]: Reads[Name] };
}
