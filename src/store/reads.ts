// Every question the service asks of the store. A driver answers each from one consistent snapshot.

import type { AcceptedChain } from './accepted-chains.ts';
import type {
  Card,
  CardBatch,
  CardState,
  Entry,
  Incident,
  KeyBudget,
  KeyRow,
  Lease,
  Login,
  Revision,
  StoredAction,
  StoredAlarm,
  StoredEntry,
  TrafficHour,
  UsageRecord,
  Wallet,
  Window,
} from './rows.ts';

export interface UsageQuery {
  accountId: string;
  from?: number;
  to?: number;
  /** Any of these. */
  models?: readonly string[];
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
  /** Another one after a trigger counted a change of a key, and after the database was started again or another server took
   *  its place: it may have come back without the last it had been told. */
  keysVersion: string;
}

export interface CardQuery {
  batchId?: string;
  state?: CardState;
  /** With it, cards whose time has ended then are no longer issued, or the only ones that are looked for. */
  expiry?: { at: number; isOver: boolean };
  serials?: readonly string[];
  /** Where a page before this one ended. */
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
  before?: number | undefined;
  /** Only those that nobody has said to have seen. */
  openOnly?: boolean | undefined;
  limit: number;
}

/** Alarms of one name that nobody has said to have seen. */
export interface OpenAlarms {
  name: string;
  open: number;
  newestId: number;
  newestAt: number;
}

/** What a customer can name, or the hash of a card's code, which itself goes nowhere. */
export type AccountQuery = { text: string } | { cardHash: string };

export interface FoundAccount {
  accountId: string;
  /** Which field matched. */
  by: 'account' | 'key' | 'last4' | 'card' | 'card_code' | 'login' | 'request';
  balance: bigint;
  frozen: boolean;
}

/** What all accounts spent on one Taipei day. */
export interface RevenueDay {
  day: number;
  requests: number;
  accounts: number;
  revenue: bigint;
}

/** What a channel served of one model on one Taipei day. */
export interface ChannelDay extends UsageTotals {
  day: number;
  /** The public id. */
  model: string;
}

/** Of such a day what one revision admitted. */
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

/** One way in which the books disagree with themselves. */
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
    | 'sides'
    | 'card'
    | 'settlement'
    | 'usage_day'
    | 'loss_day'
    | 'usage_from_day';
  /** The account, key, card or request it is about, or another reference of an entry. */
  subject: string;
  expected: string;
  found: string;
}

/** A short pass looks at wallets touched since a time and at entries after a number; a full one at everything. */
export interface AuditScope {
  /** Of a full pass: without it, nobody is asked whether something lies in the future. */
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

export interface Reads {
  /** By its hash now, or by the one before a rotation (whose time the caller checks). */
  keyByHash(hash: string): Promise<KeyRow | undefined>;
  keysOf(accountId: string): Promise<KeyRow[]>;
  keyById(keyId: string): Promise<KeyRow | undefined>;
  /** Valid keys older than `since` and unused from then on, of accounts that no card and no credit ever reached; none if
   * usage of that time was deleted: nobody knows any more. */
  unusedKeys(since: number, limit: number): Promise<KeyRow[]>;
  wallet(accountId: string): Promise<Wallet | undefined>;
  window(windowId: string): Promise<Window | undefined>;
  /** Keys that never paid are left out. */
  budgetsOf(keyIds: readonly string[]): Promise<KeyBudget[]>;
  usagePage(query: UsageQuery): Promise<UsagePage>;
  /** Days without a request are left out; oldest first. */
  spendByDay(accountId: string, sinceDay: number): Promise<DaySpend[]>;
  /** Of the same sums; keys without a request are left out. */
  spendByKey(accountId: string, sinceDay: number): Promise<KeySpend[]>;
  usageRecord(accountId: string, requestId: string): Promise<UsageRecord | undefined>;
  /** Newest first; `before` is the last one of the page before. */
  entriesOf(accountId: string, limit: number, before?: number): Promise<StoredEntry[]>;
  /** Of them those that brought money in: few, however many requests there were. */
  creditsOf(accountId: string, limit: number, before?: number): Promise<StoredEntry[]>;
  /** The credit of an operator with this reference, whosever it is. */
  creditBy(reference: string): Promise<Entry | undefined>;
  /** What a request cost, also when its record is no longer kept. */
  usageEntry(accountId: string, requestId: string): Promise<Entry | undefined>;
  /** What a thaw has to accept: undefined if every balance of an entry is the sum up to it, or was accepted before. */
  wrongChain(accountId: string): Promise<AcceptedChain | undefined>;
  openHolds(accountId: string): Promise<OpenHold[]>;
  holdSums(): Promise<HoldSums>;
  /** The newest batch first, by serial. */
  cards(query: CardQuery): Promise<Card[]>;
  cardBatches(limit: number): Promise<CardBatch[]>;
  newestRevision(): Promise<Revision | undefined>;
  revision(revision: number): Promise<Revision | undefined>;
  /** Newest first, without their documents. */
  revisions(before: number, limit: number): Promise<Omit<Revision, 'document'>[]>;
  /** Whether the text with this hash is that of the last file, or of the command line's last `config apply` since. */
  wasApplied(sourceHash: string): Promise<boolean>;
  pulse(): Promise<Pulse>;
  /** Open holds whose node is named in `deadNodes`, or has no lease at all. */
  orphanedHolds(query: { deadNodes: readonly string[]; limit: number }): Promise<OpenHold[]>;
  /** Of every node, whether they have run out or not. */
  leases(): Promise<Lease[]>;
  /** Traffic since that hour (hours since the epoch), oldest first. */
  trafficSince(hour: number): Promise<TrafficHour[]>;
  /** The same summed by Taipei day, without times. */
  trafficDays(sinceDay: number): Promise<TrafficDay[]>;
  login(accountId: string): Promise<Login | undefined>;
  /** Whose name it is, in lower case. */
  accountByLogin(name: string): Promise<string | undefined>;
  /** The newest first, by when they began. */
  incidents(limit: number): Promise<Incident[]>;
  /** Newest first. */
  actions(query: ActionQuery): Promise<StoredAction[]>;
  alarms(query: AlarmQuery): Promise<StoredAlarm[]>;
  /** Of every name or of one, up to an alarm; names without an open one are left out, the newest first. */
  openAlarms(wanted: { name?: string | undefined; through?: number | undefined }): Promise<OpenAlarms[]>;
  /** By whole ids, the last four of a key, a serial, a login name or a request; or who redeemed a card. */
  findAccounts(wanted: AccountQuery, limit: number): Promise<FoundAccount[]>;
  /** When an account was made. */
  accountSince(accountId: string): Promise<number | undefined>;
  cardBatch(batchId: string): Promise<CardBatch | undefined>;
  /** Of one batch or of all; states without a card are left out. */
  cardCounts(batchId: string | undefined, at: number): Promise<CardCount[]>;
  /** What each house account gave (below 0) or took. */
  houseAccounts(): Promise<Record<string, bigint>>;
  /** Newest first. */
  writeOffs(limit: number): Promise<Entry[]>;
  /** Days without a request are left out; oldest first. */
  revenueByDay(sinceDay: number): Promise<RevenueDay[]>;
  /** The first Taipei day of which all usage is kept; 0 if none was ever deleted. Ask after what it is held against. */
  usageKeptFrom(): Promise<number>;
  /** The last Taipei day with usage before a day; undefined if there is none. */
  lastUsedDay(before: number): Promise<number | undefined>;
  /** From a day to the day before another. */
  channelDays(channel: string, fromDay: number, toDay: number): Promise<ChannelDay[]>;
  /** One day, from its usage records: dearer than `channelDays`. */
  channelRevisions(channel: string, day: number): Promise<ChannelRevision[]>;
  losses(query: LossQuery): Promise<LossReport>;
  /** Recomputes the ledger's invariants in one snapshot. */
  audit(scope: AuditScope): Promise<AuditReport>;
}

export type ReadName = keyof Reads;

interface ReadTraits {
  /** What may take long has a thread or connections of its own, so that a key's look-up never waits behind an audit. */
  slow: boolean;
  /** Whether what SQLite journals can change the answer: a wallet, window, budget, hold, entry or usage record is in it. */
  journaled: boolean;
  /** No row is a whole answer: of a window that is not there, nothing was used. */
  emptyIfAbsent?: true;
}

export const READS: Readonly<Record<ReadName, ReadTraits>> = {
  keyByHash: { slow: false, journaled: false },
  keysOf: { slow: false, journaled: false },
  keyById: { slow: false, journaled: false },
  unusedKeys: { slow: true, journaled: true },
  wallet: { slow: false, journaled: true },
  window: { slow: false, journaled: true, emptyIfAbsent: true },
  budgetsOf: { slow: false, journaled: true },
  usagePage: { slow: true, journaled: true },
  spendByDay: { slow: true, journaled: true },
  spendByKey: { slow: true, journaled: true },
  usageRecord: { slow: false, journaled: true },
  entriesOf: { slow: false, journaled: true },
  creditsOf: { slow: false, journaled: true },
  creditBy: { slow: false, journaled: true },
  usageEntry: { slow: false, journaled: true },
  wrongChain: { slow: true, journaled: true },
  openHolds: { slow: false, journaled: true },
  holdSums: { slow: false, journaled: true },
  cards: { slow: true, journaled: false },
  cardBatches: { slow: false, journaled: false },
  newestRevision: { slow: false, journaled: false },
  revision: { slow: false, journaled: false },
  revisions: { slow: true, journaled: false },
  wasApplied: { slow: false, journaled: false },
  pulse: { slow: false, journaled: false },
  orphanedHolds: { slow: false, journaled: true },
  leases: { slow: false, journaled: false },
  trafficSince: { slow: false, journaled: false },
  trafficDays: { slow: true, journaled: false },
  login: { slow: false, journaled: false },
  accountByLogin: { slow: false, journaled: false },
  incidents: { slow: false, journaled: false },
  actions: { slow: true, journaled: false },
  alarms: { slow: true, journaled: false },
  openAlarms: { slow: true, journaled: false },
  findAccounts: { slow: true, journaled: true },
  accountSince: { slow: false, journaled: false },
  cardBatch: { slow: false, journaled: false },
  cardCounts: { slow: true, journaled: false },
  houseAccounts: { slow: true, journaled: true },
  writeOffs: { slow: true, journaled: true },
  revenueByDay: { slow: true, journaled: true },
  usageKeptFrom: { slow: false, journaled: false },
  lastUsedDay: { slow: true, journaled: true },
  channelDays: { slow: true, journaled: true },
  channelRevisions: { slow: true, journaled: true },
  losses: { slow: true, journaled: true },
  audit: { slow: true, journaled: true },
};

export const READ_NAMES = Object.keys(READS) as ReadName[];
