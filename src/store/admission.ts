// Input and result of an admission: the slots, the hold, and every budget and rate of the chain.

import type { Nano } from '../kit/money.ts';
import type { Allowance } from './book/windows.ts';
import type { KeyChain } from './rows.ts';

/** The request and the account of an operation. */
export interface RequestRef {
  requestId: string;
  accountId: string;
  keyId: string;
  /** Undefined for a key without ancestors, session budget and rates. The same at admission and at the end. */
  chain?: KeyChain | undefined;
}

/** The most a paid request can cost: `base` for its input, `unit` for each output token, up to `wanted` of them. */
export interface HoldRequest {
  base: Nano;
  unit: Nano;
  wanted: number;
  /** Fewer output tokens than this are not worth a call. */
  least: number;
}
/** The most a request can use of a token rate: `input`, and `perOutput` for each output token, up to `wanted` of them. */
export interface TokenRequest {
  input: number;
  perOutput: number;
  wanted: number;
  /** Fewer output tokens than this are not worth a call. */
  least: number;
}
export interface AdmitInput extends RequestRef {
  nodeId: string;
  at: number;
  model: string;
  endpoint: string;
  stream: boolean;
  revision: number;
  /** For the rates of the chain; undefined without any. */
  tokens?: TokenRequest | undefined;
  charge:
    | { free: true; limits: FreeLimits }
    | { free: false; hold: HoldRequest; limits: { perMinute: number; inFlight: number } };
}
export interface FreeLimits {
  perMinute: number;
  perDayZero: number;
  perDayPositive: number;
  inFlight: number;
  /** Over all accounts of one address, whose keyed hash this is. */
  perAddress?: AddressLimit | undefined;
}
export interface AddressLimit {
  address: string;
  perDay: number;
}
interface Admitted {
  ok: true;
  held: Nano;
  /** Output tokens that the hold pays for; for free requests without a bound, the wanted tokens. */
  granted: number;
  balance: Nano;
  /** Requests: of the account or of a key of the chain, whichever has fewer left. */
  allowance: Allowance;
  /** Tokens of the key of the chain with the fewest left, if one has such a rate. */
  tokenAllowance?: Allowance;
  /** With `tokenAllowance`: the tokens that the call took from it. */
  takenTokens?: number;
  /** The budgets of the chain that this hold brings to 80 % or more, before the hold; undefined if there are none. */
  nearBudgets?: readonly BudgetState[];
}
export type BudgetKind = 'day' | 'month' | 'total' | 'session';
/** One budget of one key of the chain. */
export interface BudgetState {
  budget: BudgetKind;
  /** The key whose budget it is. */
  keyId: string;
  limit: Nano;
  spent: Nano;
  held: Nano;
  /** For a daily or monthly budget: the current Taipei day or month, which may be ahead of a clock. */
  span?: number;
}
export type AdmitResult =
  | Admitted
  /** `account_unknown`: the account of the key is missing, because the database was restored to an earlier state. */
  | { ok: false; reason: 'lease_lost' | 'wallet_frozen' | 'account_unknown' }
  | LimitRefusal
  | {
      ok: false;
      reason: MoneyReason;
      needed: Nano;
      /** Amounts available in the wallet and in every budget of the chain. */
      available: Nano;
      /** Output tokens that this pays for. */
      affordableTokens: number;
      /** The budget that refuses, if it is not the wallet. */
      short?: BudgetState;
      /** With `short`: every budget of the chain, the key's own first. */
      budgets?: readonly BudgetState[];
    };
export interface LimitRefusal {
  ok: false;
  reason: 'free_minute_limit' | 'free_daily_limit' | 'rate_limited' | 'too_many_in_flight';
  allowance: Allowance;
  /** For the address, not for the account. */
  isOfAddress?: true;
  /** The rate of a key of the chain; undefined for limits of the account. */
  ofKey?: KeyRate;
}
export type KeyRate =
  | { keyId: string; counts: 'requests' | 'in_flight' }
  /**
   * `needed`: what this call uses with the shortest useful output; more than the limit fits into no minute. `fitting`: the
   * output tokens that are left for it.
   */
  | { keyId: string; counts: 'tokens'; needed: number; fitting: number };
/** `balance_in_use`: running calls hold the missing amount of the wallet; `budget_in_use`: of a budget of the chain. */
export type MoneyReason = 'insufficient_balance' | 'balance_in_use' | 'key_budget_exceeded' | 'budget_in_use';
