// The rows of the store as the rest of the service sees them. Money is bigint, times are milliseconds.

import type { FaultCode } from '../faults/table.ts';
import type { Nano } from '../kit/money.ts';
import type { ChargedTerms } from '../kit/prices.ts';
import type { HeldChain } from './key-rows.ts';

export type * from './entry-rows.ts';
export type * from './event-rows.ts';
export type * from './key-rows.ts';
export * from './loss-rows.ts';
export type * from './webhook-rows.ts';

export interface Wallet {
  accountId: string;
  balance: Nano;
  held: Nano;
  /** Paid and free requests that are running now. */
  inFlight: number;
  freeInFlight: number;
  /** Set by the audit; nothing is admitted on a frozen wallet. */
  frozen: boolean;
  /** A settlement that brings the balance below it adds the event `balance.low`. */
  balanceLow: Nano;
  /** The part of the balance that was paid for; free credit is spent first. Only this part can be paid out. */
  paid: Nano;
  /** Paid money that was spent on requests and not refunded. */
  paidSpent: Nano;
  touchedAt: number;
}

export type CardKind = 'sold' | 'promo';
export type CardState = 'issued' | 'redeemed' | 'voided';

export interface Card {
  hash: string;
  serial: string;
  batchId: string;
  kind: CardKind;
  amount: Nano;
  state: CardState;
  expiresAt: number | null;
  redeemedBy: string | null;
  redeemedAt: number | null;
}

export interface CardBatch {
  batchId: string;
  kind: CardKind;
  amount: Nano;
  count: number;
  expiresAt: number | null;
  note: string | null;
  createdAt: number;
}

/** The remembered result of a call that had an Idempotency-Key; it holds no secret. */
export interface Replay {
  bodyHash: string;
  salt: string;
  result: string;
  expiresAt: number;
}

/** One admitted request that is not yet closed. Free requests hold 0. */
export interface Hold {
  requestId: string;
  accountId: string;
  keyId: string;
  nodeId: string;
  amount: Nano;
  free: boolean;
  model: string;
  endpoint: string;
  stream: boolean;
  revision: number;
  openedAt: number;
  /** It counts in what its key and the key's ancestors hold. False for free holds of keys without rates, and for those
   * that an older version opened. */
  budgeted: boolean;
  /** Null for a key without ancestors, session budget and rates. */
  chain: HeldChain | null;
}

/** Slots taken in a rolling span (oldest first, as [time, count]) and in one Taipei day. */
export interface Window {
  slots: readonly (readonly [at: number, count: number])[];
  day: number;
  dayCount: number;
  /** When a slot was last taken: old windows are deleted. */
  touchedAt: number;
}

/** The operator's nickname and note for an account. */
export interface AccountNote {
  nickname: string | null;
  note: string | null;
  /** The nickname as searches compare it, see `foldName`. */
  search: string;
}

export interface Lease {
  nodeId: string;
  host: string;
  pid: number;
  expiresAt: number;
}

/** The service's own side of entries. House accounts have no balance row; the audit sums their entries. */
export const HOUSE_ACCOUNTS = [
  'house:trial',
  'house:cards_sold',
  'house:cards_promo',
  'house:topups',
  'house:credit',
  'house:revenue',
  'house:write_off',
  'house:payouts',
  'house:fees',
] as const;
export type HouseAccount = (typeof HOUSE_ACCOUNTS)[number];

/** The usage of a request in disjoint buckets: together they are everything that has a price. */
export interface Buckets {
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  /** Reasoning included. */
  output: number;
  images: number;
  /** Seconds of audio, rounded up. */
  seconds: number;
  /** Characters of spoken text. */
  characters: number;
  /** Searches of a rerank, in the vendor's unit. */
  searches: number;
}

export const NO_BUCKETS: Buckets = {
  input: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  images: 0,
  seconds: 0,
  characters: 0,
  searches: 0,
};

export function addBuckets(one: Buckets, other: Buckets): Buckets {
  return {
    input: one.input + other.input,
    cachedInput: one.cachedInput + other.cachedInput,
    cacheWrite5m: one.cacheWrite5m + other.cacheWrite5m,
    cacheWrite1h: one.cacheWrite1h + other.cacheWrite1h,
    output: one.output + other.output,
    images: one.images + other.images,
    seconds: one.seconds + other.seconds,
    characters: one.characters + other.characters,
    searches: one.searches + other.searches,
  };
}

export interface Attempt {
  channel: string;
  outcome: string;
  ms: number;
  /** Set if several models could answer. */
  model?: string;
  /** The request said which models or channels may answer, and in which order. */
  routing?: 'caller';
}

/** The row of the billing table that decided the cost of a request. */
export const CHARGE_RULES = [
  'served',
  'hung_up',
  'stop_matched',
  'time_limit',
  'output_limit',
  'resumed',
  'empty_answer',
  'upstream_failed',
  'gateway_failed',
  'not_delivered',
  'above_hold',
  'loss_guard',
  'free_model',
] as const;
export type ChargeRule = (typeof CHARGE_RULES)[number];

/** How an admitted request ended: successfully, with a fault, because the client left, or because the gateway died. */
export type RequestStatus = 'ok' | FaultCode | 'client_gone' | 'time_limit' | 'gateway_died';

export interface UsageRecord extends Buckets, ChargedTerms {
  requestId: string;
  accountId: string;
  keyId: string;
  at: number;
  model: string;
  /** The value of `x-svc-channel`; null if no channel served. */
  channel: string | null;
  endpoint: string;
  status: RequestStatus;
  stream: boolean;
  /** Part of `output`, for information. */
  reasoning: number;
  firstTokenMs: number | null;
  totalMs: number;
  held: Nano;
  cost: Nano;
  balanceAfter: Nano;
  estimated: boolean;
  revision: number;
  attempts: readonly Attempt[];
  /** Null in records of versions without rules. */
  rule: ChargeRule | null;
  /** The upstreams' bill for the usage that the customer pays; the rest of their bill is in the losses. Null: unknown. */
  upstreamCost: Nano | null;
}

/** One hour of one channel and model: how calls ended, and how long they took, as counts by step of a histogram. */
export interface TrafficHour {
  hour: number;
  channel: string;
  model: string;
  ok: number;
  failed: number;
  firstToken: readonly number[];
  total: readonly number[];
}

/** One signed-in browser. Its secret is in its cookie only. */
export interface Session {
  /** Keyed hash of the cookie's value. */
  hash: string;
  /** The key that opened it, with which it also ends; null if it was opened with a name and a password. */
  keyId: string | null;
  /** Keyed hash of that key's text: once the key is rotated, it ends with the old text. */
  keyHash?: string | undefined;
  /**
   * The key could not manage when it opened the session. Such a session ends first if there are too many, and never ends one
   * that manages.
   */
  onlyCalls?: boolean | undefined;
  createdAt: number;
  seenAt: number;
}

/** The login and the sessions of an account on the site. */
export interface Login {
  accountId: string;
  /** In lower case; null without a password. */
  name: string | null;
  passwordHash: string | null;
  sessions: readonly Session[];
  touchedAt: number;
}

/** The account of a login name. */
export interface LoginName {
  accountId: string;
}

/** An incident published by the operator, in both languages of the pages. */
export interface Incident {
  incidentId: string;
  startedAt: number;
  endedAt: number | null;
  titleEn: string;
  titleZh: string;
  textEn: string;
  textZh: string;
  createdAt: number;
}

/** A fact about the database itself. */
export interface Setting {
  value: string;
}

/** The actor in the log and in revisions: the holder of the operator's token, the command line, the server itself. */
export const ACTORS = { token: 'token', commandLine: 'cli', server: 'server' } as const;

/** The name of the action that applies a whole document. */
export const CONFIG_APPLY = 'config.apply';

/** One line of the log of actions, of operators or of the server. */
export interface Action {
  at: number;
  /** The actor: the token's holder, the command line, the server itself. */
  actor: string;
  /** Area and verb: `cards.issue`. */
  action: string;
  /** The id or name of what was changed. */
  subject: string;
  /** The change, without any secret. */
  detail: Readonly<Record<string, unknown>>;
}

export interface StoredAction extends Action {
  actionId: number;
}

export interface StoredAlarm {
  alarmId: number;
  at: number;
  name: string;
  /** The account or channel that it is about; empty if there is none. */
  subject: string;
  fields: Readonly<Record<string, unknown>>;
  /** When an operator acknowledged it first, and who; null before. */
  acknowledgedAt: number | null;
  acknowledgedBy: string | null;
}

export type RevisionSource = 'default' | 'file' | 'operator';

export interface Revision {
  revision: number;
  document: string;
  source: RevisionSource;
  sourceHash: string;
  createdAt: number;
  /** The action that made it, such as `config.apply` or `prices.edit`. Null if it is older than the log of actions. */
  actor: string | null;
  action: string | null;
}
