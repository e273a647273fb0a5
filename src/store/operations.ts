// Every write the store can do, as whole operations: each is decided and written entirely or not at all.
// The table at the end is the one list of them; both drivers and the batcher work from it.

import type { Nano } from '../kit/money.ts';
import type { Allowance } from './book/windows.ts';
import type { Attempt, Buckets, KeyRow, RevisionSource } from './rows.ts';

export interface RegisterInput {
  accountId: string;
  key: KeyRow;
  /** Keyed hash of the client's address. */
  address: string;
  at: number;
  trial: Nano;
  limits: { perAddress: number; perDay: number };
}
export type RegisterResult =
  | { ok: true; balance: Nano }
  | { ok: false; reason: 'registration_ip_limit' | 'registration_site_limit'; allowance: Allowance };

/** What a paid request may cost: `base` for its input, `unit` for each output token, up to `wanted` of them. */
export interface HoldRequest {
  base: Nano;
  unit: Nano;
  wanted: number;
  /** Fewer output tokens than this are not worth a call. */
  least: number;
}
export interface AdmitInput {
  requestId: string;
  accountId: string;
  keyId: string;
  nodeId: string;
  at: number;
  model: string;
  endpoint: string;
  stream: boolean;
  revision: number;
  charge:
    | { free: true; limits: { perMinute: number; perDayZero: number; perDayPositive: number; inFlight: number } }
    | { free: false; hold: HoldRequest; limits: { perMinute: number; inFlight: number } };
}
export interface Admitted {
  ok: true;
  held: Nano;
  /** Output tokens that the hold pays for; what was wanted, for free requests without bound. */
  granted: number;
  balance: Nano;
  allowance: Allowance;
}
export type AdmitResult =
  | Admitted
  | { ok: false; reason: 'lease_lost' }
  | {
      ok: false;
      reason: 'free_minute_limit' | 'free_daily_limit' | 'rate_limited' | 'too_many_in_flight';
      allowance: Allowance;
    }
  | {
      ok: false;
      reason: 'insufficient_balance' | 'balance_in_use';
      needed: Nano;
      available: Nano;
      affordableTokens: number;
    };

/** How a request ended: everything its usage record says beyond what its hold already knows. */
export interface Outcome {
  at: number;
  status: string;
  /** The model that answered, if a fallback did. */
  model?: string;
  channel: string | null;
  buckets: Buckets;
  reasoning: number;
  estimated: boolean;
  firstTokenMs: number | null;
  totalMs: number;
  attempts: readonly Attempt[];
}
export interface SettleInput {
  requestId: string;
  accountId: string;
  cost: Nano;
  outcome: Outcome;
}
export interface ReleaseInput {
  requestId: string;
  accountId: string;
  /** When the request was admitted: its limit slots bear that time. */
  admittedAt: number;
  /** Our own failures give the slots back. */
  giveBackSlots: boolean;
  outcome: Outcome;
}
export type CloseResult =
  | { state: 'closed'; charged: Nano; writtenOff: Nano; balance: Nano }
  /** The hold was already resolved: nothing moved. */
  | { state: 'late' };

export interface LeaseInput {
  nodeId: string;
  host: string;
  pid: number;
  expiresAt: number;
}

/** Releases one hold of a node that is gone. */
export interface SweepInput {
  requestId: string;
  accountId: string;
  at: number;
}

export interface ReviseInput {
  document: string;
  source: RevisionSource;
  sourceHash: string;
  at: number;
}

export interface Operations {
  register: { input: RegisterInput; result: RegisterResult };
  admit: { input: AdmitInput; result: AdmitResult };
  settle: { input: SettleInput; result: CloseResult };
  release: { input: ReleaseInput; result: CloseResult };
  sweep: { input: SweepInput; result: CloseResult };
  lease: { input: LeaseInput; result: undefined };
  revise: { input: ReviseInput; result: undefined };
}
export type OperationName = keyof Operations;
export type Input<Name extends OperationName> = Operations[Name]['input'];
export type Result<Name extends OperationName> = Operations[Name]['result'];

/** One operation as it travels to the writer. */
export type Operation = { [Name in OperationName]: { name: Name; input: Input<Name> } }[OperationName];
