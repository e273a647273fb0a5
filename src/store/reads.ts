// Every question the service asks of the store. A driver answers each from one consistent snapshot.

import type {
  Card,
  CardBatch,
  CardState,
  Entry,
  Incident,
  KeyRow,
  Login,
  Revision,
  TrafficHour,
  UsageRecord,
  Wallet,
  Window,
} from './rows.ts';

export interface UsageQuery {
  accountId: string;
  from?: number;
  to?: number;
  model?: string;
  channel?: string;
  keyId?: string;
  status?: string;
  limit: number;
  /** The last record of the page before. */
  after?: { at: number; requestId: string };
}

export interface UsageTotals {
  requests: number;
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
  images: number;
  cost: bigint;
}

export interface UsagePage {
  records: UsageRecord[];
  hasMore: boolean;
  totals: UsageTotals;
}

/** What an account spent on one Taipei day. */
export interface DaySpend {
  day: number;
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
}

/** All open holds together, of every node. */
export interface HoldSums {
  open: number;
  amount: bigint;
  oldestAt: number | null;
}

/** What other processes may have changed since one last looked. */
export interface Pulse {
  revision: number;
  keysVersion: number;
}

export interface CardQuery {
  batchId?: string;
  state?: CardState;
  serials?: readonly string[];
  limit: number;
}

/** One way in which a wallet disagrees with the entries and holds it should sum up. */
export interface Difference {
  what:
    | 'balance'
    | 'held'
    | 'in_flight'
    | 'free_in_flight'
    | 'chain'
    | 'total'
    | 'budget_held'
    | 'card'
    | 'settlement'
    | 'usage_day';
  /** The account, card or request it is about. */
  subject: string;
  expected: string;
  found: string;
}

/** A short pass looks at wallets touched since a time and at entries after a number; a full one at everything. */
export interface AuditScope {
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

export interface Reads {
  /** By its hash now, or by the one before a rotation (whose time the caller checks). */
  keyByHash(hash: string): Promise<KeyRow | undefined>;
  keysOf(accountId: string): Promise<KeyRow[]>;
  keyById(keyId: string): Promise<KeyRow | undefined>;
  /** Valid keys older than `since` and unused from then on, of accounts that no card and no credit ever reached. */
  unusedKeys(since: number, limit: number): Promise<KeyRow[]>;
  wallet(accountId: string): Promise<Wallet | undefined>;
  window(windowId: string): Promise<Window | undefined>;
  usagePage(query: UsageQuery): Promise<UsagePage>;
  /** Days without a request are left out; oldest first. */
  spendByDay(accountId: string, sinceDay: number): Promise<DaySpend[]>;
  usageRecord(accountId: string, requestId: string): Promise<UsageRecord | undefined>;
  entriesOf(accountId: string, limit: number): Promise<Entry[]>;
  openHolds(accountId: string): Promise<OpenHold[]>;
  holdSums(): Promise<HoldSums>;
  cards(query: CardQuery): Promise<Card[]>;
  cardBatches(limit: number): Promise<CardBatch[]>;
  newestRevision(): Promise<Revision | undefined>;
  revision(revision: number): Promise<Revision | undefined>;
  /** Hash of the last configuration file that was applied. */
  lastFileHash(): Promise<string | undefined>;
  pulse(): Promise<Pulse>;
  /** Open holds whose node has no lease that was valid at `aliveSince`, or is named in `deadNodes`. */
  orphanedHolds(query: { aliveSince: number; deadNodes: readonly string[]; limit: number }): Promise<OpenHold[]>;
  leasesOf(host: string): Promise<{ nodeId: string; pid: number; expiresAt: number }[]>;
  /** Traffic since that hour (hours since the epoch), oldest first. */
  trafficSince(hour: number): Promise<TrafficHour[]>;
  /** The same summed by Taipei day, without times. */
  trafficDays(sinceDay: number): Promise<TrafficDay[]>;
  login(accountId: string): Promise<Login | undefined>;
  /** Whose name it is, in lower case. */
  accountByLogin(name: string): Promise<string | undefined>;
  /** The newest first, by when they began. */
  incidents(limit: number): Promise<Incident[]>;
  /** Recomputes the ledger's invariants in one snapshot. */
  audit(scope: AuditScope): Promise<AuditReport>;
}

export const READ_NAMES = [
  'keyByHash',
  'keysOf',
  'keyById',
  'unusedKeys',
  'wallet',
  'window',
  'usagePage',
  'spendByDay',
  'usageRecord',
  'entriesOf',
  'openHolds',
  'holdSums',
  'cards',
  'cardBatches',
  'newestRevision',
  'revision',
  'lastFileHash',
  'pulse',
  'orphanedHolds',
  'leasesOf',
  'trafficSince',
  'trafficDays',
  'login',
  'accountByLogin',
  'incidents',
  'audit',
] as const satisfies (keyof Reads)[];
export type ReadName = (typeof READ_NAMES)[number];
