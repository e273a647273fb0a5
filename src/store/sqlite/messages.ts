// Messages between the event loop and the SQLite threads.

import type { Alarm } from '../../kit/alarms.ts';
import type { Decided } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import type { ReadName } from '../read-table.ts';
import type { RefusalBatch } from '../refusals.ts';
import type { OldUsage } from '../store.ts';
import type { OpenOptions } from './open-database.ts';

export type WriterRequest =
  | { do: 'open'; file: string; options: OpenOptions }
  | { do: 'commit'; operations: readonly Operation[] }
  | { do: 'alarm'; alarm: Alarm; at: number }
  | { do: 'refusals'; batch: RefusalBatch }
  | { do: 'forget'; before: number }
  | { do: 'forgetUsage'; before: OldUsage }
  | { do: 'post' }
  | { do: 'close' };

export type ReaderRequest =
  | { do: 'open'; file: string }
  | { do: 'read'; name: ReadName; args: readonly unknown[] }
  /** Whether something is journaled that is not in the tables yet, written by any process. */
  | { do: 'isBehind' }
  | { do: 'close' };

export interface Envelope<Request> {
  id: number;
  request: Request;
}

export type Reply<Value = unknown> =
  | { id: number; ok: true; value: Value }
  /** `refused` is the operator's to mend (StoreRefused); anything else is a failure of the database. */
  | { id: number; ok: false; message: string; refused: boolean };

export type CommitReply = Decided[];
