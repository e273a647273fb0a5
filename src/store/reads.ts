// Parameters and results of the store's reads, which are in `read-table.ts`.

import type { Severity } from '../kit/alarms.ts';
import type { Buckets, Card, CardState, KeyChain, UsageRecord } from './rows.ts';

export interface UsageQuery {
  accountId: string;
  from?: number;
  to?: number;
  /** Any of these. */
  models?: readonly string[];
  channel?: string;
  keyId?: string;
  /** Any of these; none of them: no record. */
  keyIds?: readonly string[];
  status?: string;
  /** Every status but ok. */
  isFailed?: boolean;
  /** Instead of the newest first. */
  sort?: UsageSort;
  /** With `sort`, instead of `after`: the value of the last record of the page before. */
  sortedAfter?: { value: number; requestId: string };
  limit: number;
  /** The last record of the page before. */
  after?: { at: number; requestId: string };
}

export interface UsageTotals extends Buckets {
  requests: number;
  reasoning: number;
  cost: bigint;
}

export const USAGE_SORTS = ['cost', 'duration'] as const;
export type UsageSort = (typeof USAGE_SORTS)[number];
/** Sorting covers this many of the newest matches: a bound for accounts with millions of records. */
export const MAX_SORTED = 20_000;

/** The field that usage is grouped by. */
export type UsageGroup = 'model' | 'key';

/** The usage of one model or key on one Taipei day. */
export interface GroupDay extends UsageTotals {
  day: number;
  /** The model, or the id of the key. */
  name: string;
}

/** The same in one hour of a Taipei day, 0 to 23. */
export type GroupHour = Omit<GroupDay, 'day'> & { hour: number };

/** The usage of one key. */
export interface KeyTotals extends UsageTotals {
  keyId: string;
}

export interface UsagePage {
  records: UsageRecord[];
  hasMore: boolean;
  totals: UsageTotals;
}

/** An account's spending on one Taipei day. */
export interface DaySpend {
  day: number;
  requests: number;
  cost: bigint;
}

export interface KeySpend {
  keyId: string;
  requests: number;
  cost: bigint;
}

/** How calls of one channel and model ended on one Taipei day. */
export interface TrafficDay {
  day: number;
  channel: string;
  model: string;
  ok: number;
  failed: number;
}

export interface OpenHold {
  requestId: string;
  accountId: string;
  keyId: string;
  nodeId: string;
  model: string;
  amount: bigint;
  chain: KeyChain | undefined;
}

/** All open holds together, of every node. */
export interface HoldSums {
  open: number;
  amount: bigint;
  oldestAt: number | null;
}

/** State that other processes may have changed since the last read. */
export interface Pulse {
  revision: number;
  /**
   * Differs after a change of a key, which a trigger counts, and after a restart or a failover of the database, which may
   * have lost the last changes.
   */
  keysVersion: string;
  /** The number of the newest event; 0 without one. On SQLite an event that is still in the journal does not count yet. */
  newestEvent: number;
}

export interface CardQuery {
  batchId?: string;
  state?: CardState;
  /** The time by which cards expire: expired cards are not `issued`, or are the only ones that are returned. */
  expiry?: { at: number; isOver: boolean };
  serials?: readonly string[];
  /** The end of the page before. */
  after?: Pick<Card, 'batchId' | 'serial'> | undefined;
  limit: number;
}

export interface CardCount {
  batchId: string;
  state: CardState | 'expired';
  cards: number;
}

export interface ActionQuery {
  actor?: string | undefined;
  /** A whole action, or an area with its point (`cards.`). */
  action?: string | undefined;
  subject?: string | undefined;
  before?: number | undefined;
  limit: number;
}

export interface AlarmQuery {
  alarmId?: number | undefined;
  name?: string | undefined;
  /** Only alarms about this subject; empty: those without a subject. */
  subject?: string | undefined;
  before?: number | undefined;
  /** Only those that no operator has acknowledged. */
  openOnly?: boolean | undefined;
  limit: number;
}

/** The position of a group of alarms in their list. */
export interface AlarmPlace {
  severity: Severity;
  newestId: number;
}

export interface OpenAlarmQuery {
  name?: string | undefined;
  subject?: string | undefined;
  /** Up to this alarm. */
  through?: number | undefined;
  limit: number;
  /** Only groups that come after this one. */
  after?: AlarmPlace | undefined;
}

/** Alarms of one name and subject that no operator has acknowledged. */
export interface OpenAlarms {
  name: string;
  subject: string;
  open: number;
  firstAt: number;
  newestId: number;
  newestAt: number;
  newestFields: Readonly<Record<string, unknown>>;
}

/** An id that a customer can name, or the hash of a card's code. The code itself is never sent. */
export type AccountQuery = { text: string } | { cardHash: string };

/** The field of an account that matched a search. */
export type FoundBy = 'account' | 'key' | 'last4' | 'card' | 'card_code' | 'login' | 'nickname' | 'request' | 'refused';

export const ACCOUNT_SORTS = [
  'created',
  'nickname',
  'balance',
  'spend',
  'profit',
  'last_seen',
  'failure_rate',
] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

export interface AccountListQuery {
  sort: AccountSort;
  isAscending: boolean;
  /** All accounts without it. */
  wanted?: AccountQuery | undefined;
  /** The last account of the page before. */
  after?: AccountPlace | undefined;
  /** Usage counts from this Taipei day on. */
  sinceDay: number;
  limit: number;
}

/** Where an account is in a sorted list. */
export interface AccountPlace {
  /** As text, whatever the list is sorted by. */
  value: string;
  accountId: string;
}

export interface ListedAccount {
  accountId: string;
  createdAt: number;
  nickname: string | null;
  note: string | null;
  balance: bigint;
  frozen: boolean;
  spend: bigint;
  /** Profit of the calls with a known upstream cost, minus losses and refunds; null if no call has a known cost. */
  profit: bigint | null;
  /** Calls that were admitted, and those of them that failed. */
  requests: number;
  failed: number;
  /** When its last admitted call began; null if there was none. */
  lastSeenAt: number | null;
  /** Null unless it was searched for. */
  by: FoundBy | null;
  place: AccountPlace;
}

export interface ModelUse {
  model: string;
  requests: number;
  accounts: number;
  revenue: bigint;
}

/** Sales to all accounts in a period; refunds of that period reduce the revenue and the profit. */
export interface Sales {
  requests: number;
  /** The ones that failed although the request was valid. */
  failed: number;
  accounts: number;
  revenue: bigint;
  /** Profit of the requests with a known upstream cost, minus losses; null if no request has a known cost. */
  profit: bigint | null;
}

/** The share of one model or account in the sales. */
export interface SalesPart {
  part: string;
  requests: number;
  revenue: bigint;
}

export interface LowBalance {
  accountId: string;
  balance: bigint;
  /** Since the day that was asked for. */
  spent: bigint;
}

/** Spending of all accounts on one Taipei day, minus its refunds. */
export interface RevenueDay {
  day: number;
  requests: number;
  accounts: number;
  revenue: bigint;
}

/** A channel's traffic for one model on one Taipei day. */
export interface ChannelDay extends UsageTotals {
  day: number;
  /** The public id. */
  model: string;
}

/** The part of a day that one revision admitted. */
export interface ChannelRevision extends ChannelDay {
  revision: number;
}

export const LOSS_BY = ['account', 'model', 'channel', 'reason'] as const;
export type LossBy = (typeof LOSS_BY)[number];

/** Taipei days, from one to the day before another. */
export interface LossQuery {
  by: LossBy;
  from: number;
  to: number;
  /** Only of this account. */
  accountId?: string | undefined;
  limit: number;
}

export interface LossSum {
  /** Null: no channel. */
  key: string | null;
  losses: number;
  amount: bigint;
}

/** The sums, the largest first, and all together, also those beyond the limit. */
export interface LossReport {
  sums: LossSum[];
  losses: number;
  amount: bigint;
}

export const PROFIT_BY = ['model', 'channel', 'account', 'day'] as const;
export type ProfitBy = (typeof PROFIT_BY)[number];

/** Taipei days, from one to the day before another. */
export interface ProfitQuery {
  by: ProfitBy;
  from: number;
  to: number;
  limit: number;
}

/** The customers' payments, and the upstreams' bill for them. */
export interface ProfitFigures {
  requests: number;
  revenue: bigint;
  /** The requests and the revenue whose upstream cost is known, and that cost. */
  knownRequests: number;
  knownRevenue: bigint;
  cost: bigint;
  loss: bigint;
}

export interface ProfitSum extends ProfitFigures {
  /** Null: no channel, or a refund without a request. */
  key: string | null;
}

/** The largest revenue first; days in their order. */
export interface ProfitReport {
  sums: ProfitSum[];
  /** The total, including rows beyond the limit. */
  totals: ProfitFigures;
}

/** The prepaid balance that is not used yet. */
export interface CardLiability {
  /** Cards of the kind sold, without voided ones; of them those that were redeemed. */
  sold: bigint;
  redeemed: bigint;
  /** Balances of all wallets, and of them the paid part: free credit is spent first. */
  balances: bigint;
  unspent: bigint;
}

/** A difference that the audit found. */
export interface Difference {
  what:
    | 'wallet'
    | 'balance'
    | 'held'
    | 'in_flight'
    | 'free_in_flight'
    | 'chain'
    | 'total'
    | 'budget_held'
    | 'budget_in_flight'
    | 'session_held'
    | 'key_limits'
    | 'sides'
    | 'card'
    | 'paid'
    | 'refund'
    | 'settlement'
    | 'usage_day'
    | 'loss_day'
    | 'loss_sum'
    | 'usage_from_day';
  /** The account, key, card or request it is about, or another reference of an entry. */
  subject: string;
  expected: string;
  found: string;
}

/** A short pass reads wallets changed since a time and entries after a number; a full one reads everything. */
export interface AuditScope {
  /** From a full pass; without it, dates in the future are not checked. */
  now?: number;
  since?: { touchedAt: number; entryId: number };
}

export interface AuditReport {
  wallets: number;
  entries: number;
  /** Where the next short pass may begin. */
  lastEntryId: number;
  differences: Difference[];
  /** Sum over all known wallets and house accounts; anything but 0 means that money left the books. */
  total: bigint;
  house: Record<string, bigint>;
}
