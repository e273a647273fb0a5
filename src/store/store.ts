// The interface that SQLite and PostgreSQL implement. It offers whole operations and whole reads;
// callers use no SQL, transactions or batches.

import type { Alarm } from '../kit/alarms.ts';
import type { Input, OperationName, Result } from './operations.ts';
import type { Reads } from './read-table.ts';
import type { RefusalBatch } from './refusals.ts';

export interface OldUsage {
  day: number;
  limit: number;
}

export interface Forgotten {
  records: number;
  /** Daily sums, deleted once none of their records is left. */
  sums: number;
  /** Daily losses, likewise. */
  losses: number;
}

export interface Store {
  /** Resolves when the operation is durable. Rejects with the fault `unavailable` if nothing was written; but for settle
   * and release also when nobody could say so in time: then an admission is taken back, and what has an Idempotency-Key
   * may be repeated with it. */
  commit<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Result<Name>>;
  readonly read: Reads;
  /** Operations that wait for a batch. */
  waiting(): number;
  recordAlarm(alarm: Alarm, at: number): Promise<void>;
  /** Counts refused requests and keeps the newest of each account. After an error it may be written all the same. */
  recordRefusals(batch: RefusalBatch): Promise<void>;
  /** Forgets hashed addresses, answers to repeated calls and dead leases older than `before`, and what is kept for longer
   * by that much later: refused requests 5 days, events and counts of refusals 28 days. */
  forget(before: number): Promise<void>;
  /** Deletes usage records of the days (Taipei's) before one, then their sums and losses, at most `limit` at a time; returns how many. */
  forgetUsage(before: OldUsage): Promise<Forgotten>;
  close(): Promise<void>;
}
