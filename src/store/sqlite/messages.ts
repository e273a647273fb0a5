// What the event loop and the two SQLite threads say to each other.

import type { Alarm } from '../../kit/alarms.ts';
import type { Decided } from '../book/decide.ts';
import type { Operation } from '../operations.ts';
import type { ReadName } from '../reads.ts';
import type { OldUsage } from '../store.ts';
import type { OpenOptions } from './open-database.ts';

export type Request =
  | { do: 'open'; file: string; options: OpenOptions }
  | { do: 'commit'; operations: readonly Operation[] }
  | { do: 'alarm'; alarm: Alarm; at: number }
  | { do: 'forget'; before: number }
  | { do: 'forgetUsage'; before: OldUsage }
  | { do: 'read'; name: ReadName; args: readonly unknown[] }
  /** Of a reader: whether something is journaled that the tables do not say yet. */
  | { do: 'isBehind' }
  | { do: 'post' }
  | { do: 'close' };

export interface Envelope {
  id: number;
  request: Request;
}

export type Reply =
  | { id: number; ok: true; value: unknown }
  /** `refused` is the operator's to mend (StoreRefused); anything else is a failure of the database. */
  | { id: number; ok: false; message: string; refused: boolean };

export type CommitReply = Decided[];
