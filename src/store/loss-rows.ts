// Rows about losses: what upstreams bill and no customer pays.

import type { Nano } from '../kit/money.ts';
import { flag, money, number, type RowOf, table, text } from './table.ts';

/** Why an upstream bills something that no customer pays. */
export const LOSS_REASONS = [
  /** The answer held nothing that the customer could use. */
  'empty_answer',
  /** The stream broke and no other channel could finish it. */
  'stream_broken',
  /** The gateway ended the call, because it was shutting down or failed. */
  'gateway_cut',
  /** The node that ran the call died: at most its hold. */
  'gateway_died',
  /** The client hung up before anything was delivered. */
  'client_gone',
  /** Usage after the client hung up or the answer was ended, or usage whose report could not be read. */
  'undelivered',
  /** A failed attempt that the upstream had accepted, of a call that no channel served. */
  'no_answer',
  /** The same for a call that another attempt served. */
  'failed_attempt',
  /** A broken run that another run replaced or continued. */
  'replaced_run',
  /** The slower of two attempts that ran in parallel. */
  'hedge',
  /** More than the hold. */
  'above_hold',
  /** A dearer service tier than the customer named. */
  'service_tier',
  /** The model is free for customers, and its route has a cost. */
  'free_model',
] as const;
export type LossReason = (typeof LOSS_REASONS)[number];

/** Losses that the account did not cause: they do not count for its guard. */
const UNGUARDED: ReadonlySet<LossReason> = new Set([
  'free_model',
  'gateway_died',
  'gateway_cut',
  'failed_attempt',
  'replaced_run',
  'hedge',
  'above_hold',
  'service_tier',
]);

export function isGuarded(reason: LossReason): boolean {
  return !UNGUARDED.has(reason);
}

/** Reasons that count for the guard, as a list of SQL. */
export const GUARDED_REASONS = LOSS_REASONS.filter(isGuarded)
  .map((reason) => `'${reason}'`)
  .join(', ');

/** Cost that an upstream bills and no customer pays. */
export interface Loss {
  reason: LossReason;
  model: string;
  channel: string | null;
  /** At the route's cost, or at the sale price if the route states no cost. */
  amount: Nano;
  /** The route states no cost. */
  isAtSalePrice?: boolean | undefined;
  /** The customer's price for it once the account's free losses of the day are used up; 0 if it never pays. */
  charge: Nano;
}

/** A loss as it is stored. */
export const LOSSES = table('losses', 'loss_id', {
  requestId: text('request_id'),
  at: number('at'),
  /** The Taipei day it counts for. */
  day: number('day'),
  accountId: text('account_id'),
  model: text('model'),
  channel: text<string | null>('channel'),
  reason: text<LossReason>('reason'),
  amount: money('amount_nano'),
});

/** An account's losses on one Taipei day that count for the guard. */
export const LOSS_DAYS = table('loss_days', 'account_id', {
  day: number('day'),
  amount: money('amount_nano'),
  /** A loss of the day was charged to the account, because the guard was used up. */
  reached: flag('reached'),
});
export interface LossDay extends RowOf<typeof LOSS_DAYS> {}

/** Losses of a request that was swept before its close arrived. They are never charged. */
export interface LateLosses {
  requestId: string;
  accountId: string;
  items: readonly Loss[];
  at: number;
}
