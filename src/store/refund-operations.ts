// Inputs and results of refunds, payouts and billing details.

import type { Nano } from '../kit/money.ts';
import type { Logged } from './book/actions.ts';
import type { ActorInput, ActorRefusal } from './book/actors.ts';

/** The subject of a refund. Its cost never changes. */
export type RefundOf =
  /** `paid`: the part of the charge that was paid balance; null if it was not recorded. */
  | { kind: 'request'; id: string; charged: Nano; paid: Nano | null }
  | { kind: 'card'; id: string; charged: Nano; isSold: boolean };

/** Refunds spent money to the part of the balance that it came from. */
export interface RefundInput extends Logged {
  accountId: string;
  of?: RefundOf | undefined;
  /** Undefined: all that is left of what it is for. */
  amount?: Nano | undefined;
  /** Unique: the same reference never refunds twice. */
  reference: string;
  reason: string;
  at: number;
}
export type RefundResult =
  | { ok: true; amount: Nano; balance: Nano }
  | { ok: false; reason: 'not_found' }
  | { ok: false; reason: 'wallet_full' }
  /** More than what is left of the request or card; `refunded`: what was refunded before. */
  | { ok: false; reason: 'above_charge'; refunded: Nano }
  /** More than the paid balance from a sold card that was `spent` and not refunded. */
  | { ok: false; reason: 'above_spent'; refunded: Nano; spent: Nano };

/** Pays out a part of the paid balance that is not held, outside of the books. */
export interface PayoutInput extends Logged {
  accountId: string;
  /** The amount that the customer gets. */
  amount: Nano;
  /** A fee that the service keeps, taken from the balance in addition to the amount. */
  fee: Nano;
  /** Unique: the same reference never pays twice. */
  reference: string;
  reason: string;
  at: number;
}
export type PayoutResult =
  | { ok: true; balance: Nano; paid: Nano }
  | { ok: false; reason: 'not_found' }
  /** The balance of the wallet does not match its entries. */
  | { ok: false; reason: 'frozen_by_audit' }
  | { ok: false; reason: 'above_paid'; balance: Nano; held: Nano; paid: Nano };

/** Sets the billing details; by the account or, without `by`, by the operator. */
export interface SetBillingInput extends Logged, ActorInput {
  accountId: string;
  name: string | null;
  taxId: string | null;
  at: number;
}
export type SetBillingResult = { ok: true } | { ok: false; reason: ActorRefusal | 'not_found' };

export interface RefundOperations {
  refund: { input: RefundInput; result: RefundResult };
  payout: { input: PayoutInput; result: PayoutResult };
  setBilling: { input: SetBillingInput; result: SetBillingResult };
}
