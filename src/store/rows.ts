// The rows of the store: how each is stored, and as what the rest of the service sees it. Money is bigint, times are
// milliseconds.

import type { FaultCode } from '../faults/table.ts';
import { HOUR_MS, MINUTE_MS } from '../kit/clock.ts';
import type { Nano } from '../kit/money.ts';
import type { ChargedTerms } from '../kit/prices.ts';
import type { HeldChain } from './key-rows.ts';
import { flag, ID, json, money, number, type RowOf, slots, table, text, withId } from './table.ts';

export * from './entry-rows.ts';
export * from './event-rows.ts';
export * from './key-rows.ts';
export * from './loss-rows.ts';

export const WALLETS = table('wallets', 'account_id', {
  accountId: ID,
  balance: money('balance_nano'),
  held: money('held_nano'),
  /** Paid and free requests that are running now. */
  inFlight: number('in_flight'),
  freeInFlight: number('free_in_flight'),
  /** Set by the audit; nothing is admitted on a frozen wallet. */
  frozen: flag('frozen'),
  /** A settlement that brings the balance below it adds the event `balance.low`. */
  balanceLow: money('balance_low_nano'),
  /** The part of the balance that was paid for; free credit is spent first. Only this part can be paid out. */
  paid: money('paid_nano'),
  /** Paid money that was spent on requests and not refunded. */
  paidSpent: money('paid_spent_nano'),
  touchedAt: number('touched_at'),
});
export interface Wallet extends RowOf<typeof WALLETS> {}

export type CardKind = 'sold' | 'promo';
export type CardState = 'issued' | 'redeemed' | 'voided';

export const CARDS = table('cards', 'hash', {
  hash: ID,
  serial: text('serial'),
  batchId: text('batch_id'),
  kind: text<CardKind>('kind'),
  amount: money('amount_nano'),
  state: text<CardState>('state'),
  expiresAt: number<number | null>('expires_at'),
  redeemedBy: text<string | null>('redeemed_by'),
  redeemedAt: number<number | null>('redeemed_at'),
});
export interface Card extends RowOf<typeof CARDS> {}

export const CARD_BATCHES = table('card_batches', 'batch_id', {
  batchId: ID,
  kind: text<CardKind>('kind'),
  amount: money('amount_nano'),
  count: number('count'),
  expiresAt: number<number | null>('expires_at'),
  note: text<string | null>('note'),
  createdAt: number('created_at'),
});
export interface CardBatch extends RowOf<typeof CARD_BATCHES> {}

/** The remembered result of a call that had an Idempotency-Key; it holds no secret. */
export const REPLAYS = table('replays', 'replay_id', {
  bodyHash: text('body_hash'),
  salt: text('salt'),
  result: text('result'),
  expiresAt: number('expires_at'),
});

/** One admitted request that is not yet closed. Free requests hold 0. */
export const HOLDS = table('holds', 'request_id', {
  requestId: ID,
  accountId: text('account_id'),
  keyId: text('key_id'),
  nodeId: text('node_id'),
  amount: money('amount_nano'),
  free: flag('free'),
  model: text('model'),
  endpoint: text('endpoint'),
  stream: flag('stream'),
  revision: number('revision'),
  openedAt: number('opened_at'),
  /** It counts in what its key and the key's ancestors hold. False for free holds of keys without rates, and for those
   * that an older version opened. */
  budgeted: flag('budgeted'),
  /** Null for a key without ancestors, session budget and rates. */
  chain: json<HeldChain | null>('chain'),
});
export interface Hold extends RowOf<typeof HOLDS> {}

/** Slots taken in a rolling span (oldest first, as [time, count]) and in one Taipei day. */
export const WINDOWS = table('windows', 'window_id', {
  slots: slots('slots'),
  day: number('day'),
  dayCount: number('day_count'),
  /** When a slot was last taken: old windows are deleted. */
  touchedAt: number('touched_at'),
});
export interface Window extends RowOf<typeof WINDOWS> {}

/** The operator's nickname and note for an account. */
export const ACCOUNT_NOTES = table('account_notes', 'account_id', {
  nickname: text<string | null>('nickname'),
  note: text<string | null>('note'),
  /** The nickname as searches compare it, see `foldName`. */
  search: text('search'),
});

export const LEASES = table('leases', 'node_id', {
  nodeId: ID,
  host: text('host'),
  pid: number('pid'),
  expiresAt: number('expires_at'),
});
export interface Lease extends RowOf<typeof LEASES> {}

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

export const NO_BUCKETS = {
  input: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  /** Reasoning included. */
  output: 0,
  images: 0,
  /** Seconds of audio, rounded up. */
  seconds: 0,
  /** Characters of spoken text. */
  characters: 0,
  /** Searches of a rerank, in the vendor's unit. */
  searches: 0,
};
/** The usage of a request in disjoint buckets: together they are everything that has a price. */
export type Buckets = typeof NO_BUCKETS;

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

/** A request that the client or the limit of an hour ended has not failed. */
const NOT_FAILED: readonly RequestStatus[] = ['ok', 'client_gone', 'time_limit'];

/** A condition on the column `status`, of records and of the sums of days. */
export const IS_FAILED = `status NOT IN (${NOT_FAILED.map((status) => `'${status}'`).join(', ')})`;

export function isFailed(status: RequestStatus): boolean {
  return !NOT_FAILED.includes(status);
}

export const USAGE = table('usage_records', 'request_id', {
  requestId: ID,
  accountId: text('account_id'),
  keyId: text('key_id'),
  at: number('at'),
  model: text('model'),
  /** The value of `x-svc-channel`; null if no channel served. */
  channel: text<string | null>('channel'),
  endpoint: text('endpoint'),
  status: text<RequestStatus>('status'),
  stream: flag('stream'),
  input: number('input_tokens'),
  cachedInput: number('cached_input_tokens'),
  cacheWrite5m: number('cache_write_5m_tokens'),
  cacheWrite1h: number('cache_write_1h_tokens'),
  output: number('output_tokens'),
  /** Part of `output`, for information. */
  reasoning: number('reasoning_tokens'),
  images: number('images'),
  seconds: number('seconds'),
  characters: number('characters'),
  searches: number('searches'),
  firstTokenMs: number<number | null>('first_token_ms'),
  totalMs: number('total_ms'),
  held: money('held_nano'),
  cost: money('cost_nano'),
  balanceAfter: money('balance_after_nano'),
  estimated: flag('estimated'),
  revision: number('revision'),
  attempts: json<readonly Attempt[]>('attempts'),
  /** Null in records of versions without rules. */
  rule: text<ChargeRule | null>('rule'),
  serviceTier: text<ChargedTerms['serviceTier']>('service_tier'),
  toolCalls: json<ChargedTerms['toolCalls']>('tool_calls'),
  pricedAt: number<ChargedTerms['pricedAt']>('priced_at'),
  /** The upstreams' bill for the usage that the customer pays; the rest of their bill is in the losses. Null: unknown. */
  upstreamCost: money<Nano | null>('upstream_nano'),
});
export interface UsageRecord extends RowOf<typeof USAGE> {}

/** One hour of one channel and model: how calls ended, and how long they took, as counts by step of a histogram. */
export const TRAFFIC = table('traffic_hours', 'traffic_id', {
  hour: number('hour'),
  channel: text('channel'),
  model: text('model'),
  ok: number('ok'),
  failed: number('failed'),
  firstToken: json<readonly number[]>('first_token'),
  total: json<readonly number[]>('total'),
});
export interface TrafficHour extends RowOf<typeof TRAFFIC> {}

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

export const SESSION_IDLE_MS = 30 * MINUTE_MS;
export const SESSION_MOST_MS = 12 * HOUR_MS;

export function isLiveSession({ createdAt, seenAt }: Session, at: number): boolean {
  return at < seenAt + SESSION_IDLE_MS && at < createdAt + SESSION_MOST_MS;
}

/** The login and the sessions of an account on the site. */
export const LOGINS = table('logins', 'account_id', {
  accountId: ID,
  /** In lower case; null without a password. */
  name: text<string | null>('name'),
  passwordHash: text<string | null>('password_hash'),
  sessions: json<readonly Session[]>('sessions'),
  touchedAt: number('touched_at'),
});
export interface Login extends RowOf<typeof LOGINS> {}

/** The account of a login name. */
export const LOGIN_NAMES = table('login_names', 'name', { accountId: text('account_id') });

/** An incident published by the operator, in both languages of the pages. */
export const INCIDENTS = table('incidents', 'incident_id', {
  incidentId: ID,
  startedAt: number('started_at'),
  endedAt: number<number | null>('ended_at'),
  titleEn: text('title_en'),
  titleZh: text('title_zh'),
  textEn: text('text_en'),
  textZh: text('text_zh'),
  createdAt: number('created_at'),
});
export interface Incident extends RowOf<typeof INCIDENTS> {}

/** Facts about the database itself. */
export const FACTS = table('settings', 'name', { value: text('value') });

/** The actor in the log and in revisions: the holder of the operator's token, the command line, the server itself. */
export const ACTORS = { token: 'token', commandLine: 'cli', server: 'server' } as const;

/** The name of the action that applies a whole document. */
export const CONFIG_APPLY = 'config.apply';

/** One line of the log of actions, of operators or of the server. */
export const ACTIONS = table('audit_log', 'action_id', {
  at: number('at'),
  /** The actor: the token's holder, the command line, the server itself. */
  actor: text('actor'),
  /** Area and verb: `cards.issue`. */
  action: text('action'),
  /** The id or name of what was changed. */
  subject: text('subject'),
  /** The change, without any secret. */
  detail: json<Readonly<Record<string, unknown>>>('detail'),
});
export interface Action extends RowOf<typeof ACTIONS> {}

export const STORED_ACTIONS = withId<Action, { actionId: number }>(ACTIONS, 'actionId');
export interface StoredAction extends RowOf<typeof STORED_ACTIONS> {}

export type RevisionSource = 'default' | 'file' | 'operator';

export const NEW_REVISIONS = table('revisions', 'revision', {
  document: text('document'),
  source: text<RevisionSource>('source'),
  sourceHash: text('source_hash'),
  createdAt: number('created_at'),
  /** The action that made it, such as `config.apply` or `prices.edit`. Null if it is older than the log of actions. */
  actor: text<string | null>('actor'),
  action: text<string | null>('action'),
});
export const REVISIONS = withId<RowOf<typeof NEW_REVISIONS>, { revision: number }>(NEW_REVISIONS, 'revision');
export interface Revision extends RowOf<typeof REVISIONS> {}
