// The embedded store: one file, one writing thread, two reading threads.

import { fault } from '../../faults/fault.ts';
import type { Clock } from '../../kit/clock.ts';
import type { KillOrder } from '../../kit/failpoint.ts';
import { type BatchMeter, createBatcher } from '../batcher.ts';
import { READS, type Reads, readsFrom } from '../read-table.ts';
import { StoreRefused } from '../refusal.ts';
import type { Forgotten, Store } from '../store.ts';
import { decodeAnswers, encodeOperations } from './hot-batches.ts';
import type { CommitReply, Envelope, ReaderRequest, Reply, WriterRequest } from './messages.ts';
import { createPosting } from './posting.ts';

export interface SqliteOptions {
  file: string;
  clock: Clock;
  unsafeNoSync?: boolean;
  killOrder?: KillOrder | undefined;
  maxPages?: number | undefined;
  patienceMs?: number | undefined;
  meter?: BatchMeter | undefined;
}

/** Rejects with StoreRefused if the file cannot be used. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file, unsafeNoSync = false, killOrder, maxPages } = options;
  const writer = connectWriter();
  const reader = connectReader();
  const slowReader = connectReader();
  try {
    await writer.ask({ do: 'open', file, options: { unsafeNoSync, killOrder, maxPages } });
    await Promise.all([reader, slowReader].map((one) => one.ask({ do: 'open', file })));
  } catch (error) {
    for (const thread of [reader, slowReader, writer]) thread.end();
    throw error;
  }
  return storeOn({ writer, reader, slowReader }, options);
}

interface Threads {
  writer: Thread<WriterRequest>;
  reader: Reader;
  slowReader: Reader;
}

/** The threads have opened their file. The simulation has threads of its own. */
export function storeOn(
  { writer, reader, slowReader }: Threads,
  { clock, patienceMs, meter }: Pick<SqliteOptions, 'clock' | 'patienceMs' | 'meter'>,
): Store {
  const posting = createPosting(clock, () => writer.ask({ do: 'post' }));
  const batcher = createBatcher({
    clock,
    patienceMs,
    meter,
    async commit(operations) {
      const decided = (await writer.ask({ do: 'commit', operations })) as CommitReply;
      posting.soon();
      return decided;
    },
  });
  return {
    commit: (name, input) => batcher.submit(name, input),
    waiting: batcher.depth,
    read: readsThrough({ reader, slowReader, post: posting.beforeRead }),
    recordAlarm: async (alarm, at) => void (await writer.ask({ do: 'alarm', alarm, at })),
    recordRefusals: async (batch) => void (await writer.ask({ do: 'refusals', batch })),
    forget: async (before) => void (await writer.ask({ do: 'forget', before })),
    forgetUsage: async (before) => (await writer.ask({ do: 'forgetUsage', before })) as Forgotten,
    async close() {
      await batcher.idle();
      posting.stop();
      const threads = [reader, slowReader, writer];
      for (const thread of threads) await thread.ask({ do: 'close' });
      for (const thread of threads) thread.end();
    },
  };
}

interface ReadWays {
  reader: Reader;
  slowReader: Reader;
  /** Whether everything that was answered so far is in the tables: false if it cannot be brought there for now. */
  post(): Promise<boolean>;
}

/**
 * Queries go to the reading threads. A query about rows that may still be in the journal waits until they are posted, so that
 * it sees every write that was confirmed before, by this process or another. If they cannot be posted (a full disk, a lock
 * that another process keeps), the tables are read as they are: a consistent earlier state. A row that is missing there may
 * still exist in the journal.
 */
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

/** A SQLite thread, called from the event loop with requests and replies. */
export interface Thread<Request> {
  ask(request: Request): Promise<unknown>;
  end(): void;
}

type Reader = Thread<ReaderRequest>;

function connectWriter(): Thread<WriterRequest> {
  return connect(new URL('./writer-thread.ts', import.meta.url));
}

function connectReader(): Reader {
  return connect(new URL('./reader-thread.ts', import.meta.url));
}

function connect<Request extends ReaderRequest | WriterRequest>(program: URL): Thread<Request> {
  const worker = new Worker(program.href);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let nextId = 1;
  let broken: Error | undefined;

  function callerOf(id: number) {
    const caller = waiting.get(id);
    waiting.delete(id);
    return caller;
  }

  worker.onmessage = ({ data }: MessageEvent<Reply | string>) => {
    if (typeof data === 'string') {
      const { id, decided } = decodeAnswers(data);
      callerOf(id)?.resolve(decided);
    } else if (data.ok) callerOf(data.id)?.resolve(data.value);
    else callerOf(data.id)?.reject(data.refused ? new StoreRefused(data.message) : new Error(data.message));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    broken = new Error('the database thread stopped');
    for (const caller of waiting.values()) caller.reject(broken);
    waiting.clear();
    // Without its database thread the process cannot serve: it exits, to be restarted.
    queueMicrotask(() => {
      throw broken;
    });
  };
  return {
    ask(request) {
      if (broken) return Promise.reject(broken);
      return new Promise((resolve, reject) => {
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        const text = request.do === 'commit' ? encodeOperations(id, request.operations) : undefined;
        const envelope: Envelope<Request> = { id, request };
        worker.postMessage(text ?? envelope);
      });
    },
    end: () => worker.terminate(),
  };
}
