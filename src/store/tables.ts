// How each row is stored: one description of columns from which both drivers read and write.

import type { Additions, Pages, PageTable } from './book/book.ts';
import { type AllLimits, limitsToText, textToLimits } from './key-limits.ts';
import type {
  AccountNote,
  Action,
  BillingDetails,
  BookedLoss,
  Budget,
  Card,
  CardBatch,
  Delivery,
  Entry,
  Hold,
  Incident,
  KeyBudget,
  KeyRow,
  Lease,
  Login,
  LoginName,
  LossDay,
  NewEvent,
  Refunded,
  Replay,
  Revision,
  SessionBudget,
  Setting,
  StoredEntry,
  StoredEvent,
  TrafficHour,
  UsageRecord,
  Wallet,
  Webhook,
  WebhookList,
  Window,
} from './rows.ts';
import { slotsToText, textToSlots } from './slots-text.ts';

/** text; a number within 2^53; money as a 64-bit integer; a yes or no; JSON in a text column; a window's slots or the limits of a
 * key in one. */
export type ColumnKind = 'text' | 'number' | 'money' | 'flag' | TextKind;
type TextKind = 'json' | 'slots' | 'limits';

export interface Column {
  name: string;
  field: string;
  kind: ColumnKind;
}

export interface Table<Row> {
  name: string;
  /** The primary key; a page's id is its value. */
  idColumn: string;
  /** Where the row itself carries its id. */
  idField: string | undefined;
  columns: readonly Column[];
  /** Exists only in the type: the type of a decoded row. */
  row?: Row;
}

type Fields<Row> = { [Field in keyof Row]-?: readonly [name: string, kind: ColumnKind] };

/** The id, if the row carries it, and every other field: one that is left out would not be stored. */
type Described<Row> =
  | [idField: undefined, fields: Fields<Row>]
  | { [Id in keyof Row & string]: [idField: Id, fields: Fields<Omit<Row, Id>>] }[keyof Row & string];

function table<Row>(name: string, idColumn: string, ...[idField, fields]: Described<Row>): Table<Row> {
  const columns = Object.entries<Fields<Row>[keyof Row]>(fields).map(([field, [column, kind]]) => ({
    name: column,
    field,
    kind,
  }));
  return { name, idColumn, idField, columns };
}

export const KEYS = table<KeyRow>('keys', 'key_id', 'keyId', {
  accountId: ['account_id', 'text'],
  hash: ['hash', 'text'],
  last4: ['last4', 'text'],
  name: ['name', 'text'],
  manage: ['manage', 'flag'],
  models: ['models', 'json'],
  dailyBudget: ['daily_budget_nano', 'money'],
  expiresAt: ['expires_at', 'number'],
  createdAt: ['created_at', 'number'],
  revokedAt: ['revoked_at', 'number'],
  oldHash: ['old_hash', 'text'],
  oldHashUntil: ['old_hash_until', 'number'],
  parentId: ['parent_id', 'text'],
  depth: ['depth', 'number'],
  delegate: ['delegate', 'flag'],
  limits: ['limits', 'limits'],
});

/** Keyrings are made of rows of KEYS, by account. */
export const PAGES: { [T in Exclude<PageTable, 'keyrings'>]: Table<Pages[T]> } = {
  wallets: table<Wallet>('wallets', 'account_id', 'accountId', {
    balance: ['balance_nano', 'money'],
    held: ['held_nano', 'money'],
    inFlight: ['in_flight', 'number'],
    freeInFlight: ['free_in_flight', 'number'],
    frozen: ['frozen', 'flag'],
    balanceLow: ['balance_low_nano', 'money'],
    paid: ['paid_nano', 'money'],
    paidSpent: ['paid_spent_nano', 'money'],
    touchedAt: ['touched_at', 'number'],
  }),
  windows: table<Window>('windows', 'window_id', undefined, {
    slots: ['slots', 'slots'],
    day: ['day', 'number'],
    dayCount: ['day_count', 'number'],
    touchedAt: ['touched_at', 'number'],
  }),
  budgets: table<Budget>('budgets', 'key_id', undefined, {
    day: ['day', 'number'],
    spent: ['spent_nano', 'money'],
    held: ['held_nano', 'money'],
    month: ['month', 'number'],
    monthSpent: ['month_spent_nano', 'money'],
    totalSpent: ['total_spent_nano', 'money'],
    inFlight: ['in_flight', 'number'],
    limits: ['limits', 'limits'],
  }),
  sessionBudgets: table<SessionBudget>('session_budgets', 'session_id', undefined, {
    spent: ['spent_nano', 'money'],
    held: ['held_nano', 'money'],
    touchedAt: ['touched_at', 'number'],
  }),
  lossDays: table<LossDay>('loss_days', 'account_id', undefined, {
    day: ['day', 'number'],
    amount: ['amount_nano', 'money'],
    reached: ['reached', 'flag'],
  }),
  accountNotes: table<AccountNote>('account_notes', 'account_id', undefined, {
    nickname: ['nickname', 'text'],
    note: ['note', 'text'],
    search: ['search', 'text'],
  }),
  holds: table<Hold>('holds', 'request_id', 'requestId', {
    accountId: ['account_id', 'text'],
    keyId: ['key_id', 'text'],
    nodeId: ['node_id', 'text'],
    amount: ['amount_nano', 'money'],
    free: ['free', 'flag'],
    model: ['model', 'text'],
    endpoint: ['endpoint', 'text'],
    stream: ['stream', 'flag'],
    revision: ['revision', 'number'],
    openedAt: ['opened_at', 'number'],
    budgeted: ['budgeted', 'flag'],
    chain: ['chain', 'json'],
  }),
  leases: table<Lease>('leases', 'node_id', 'nodeId', {
    host: ['host', 'text'],
    pid: ['pid', 'number'],
    expiresAt: ['expires_at', 'number'],
  }),
  cards: table<Card>('cards', 'hash', 'hash', {
    serial: ['serial', 'text'],
    batchId: ['batch_id', 'text'],
    kind: ['kind', 'text'],
    amount: ['amount_nano', 'money'],
    state: ['state', 'text'],
    expiresAt: ['expires_at', 'number'],
    redeemedBy: ['redeemed_by', 'text'],
    redeemedAt: ['redeemed_at', 'number'],
  }),
  replays: table<Replay>('replays', 'replay_id', undefined, {
    bodyHash: ['body_hash', 'text'],
    salt: ['salt', 'text'],
    result: ['result', 'text'],
    expiresAt: ['expires_at', 'number'],
  }),
  traffic: table<TrafficHour>('traffic_hours', 'traffic_id', undefined, {
    hour: ['hour', 'number'],
    channel: ['channel', 'text'],
    model: ['model', 'text'],
    ok: ['ok', 'number'],
    failed: ['failed', 'number'],
    firstToken: ['first_token', 'json'],
    total: ['total', 'json'],
  }),
  settings: table<Setting>('settings', 'name', undefined, { value: ['value', 'text'] }),
  incidents: table<Incident>('incidents', 'incident_id', 'incidentId', {
    startedAt: ['started_at', 'number'],
    endedAt: ['ended_at', 'number'],
    titleEn: ['title_en', 'text'],
    titleZh: ['title_zh', 'text'],
    textEn: ['text_en', 'text'],
    textZh: ['text_zh', 'text'],
    createdAt: ['created_at', 'number'],
  }),
  loginNames: table<LoginName>('login_names', 'name', undefined, { accountId: ['account_id', 'text'] }),
  logins: table<Login>('logins', 'account_id', 'accountId', {
    name: ['name', 'text'],
    passwordHash: ['password_hash', 'text'],
    sessions: ['sessions', 'json'],
    touchedAt: ['touched_at', 'number'],
  }),
  refunded: table<Refunded>('refunded', 'refund_of', undefined, {
    accountId: ['account_id', 'text'],
    charged: ['charged_nano', 'money'],
    refunded: ['refunded_nano', 'money'],
  }),
  billing: table<BillingDetails>('billing_details', 'account_id', undefined, {
    name: ['name', 'text'],
    taxId: ['tax_id', 'text'],
    touchedAt: ['touched_at', 'number'],
  }),
  webhookLists: table<WebhookList>('webhook_lists', 'account_id', undefined, { ids: ['webhook_ids', 'json'] }),
  webhooks: table<Webhook>('webhooks', 'webhook_id', 'webhookId', {
    accountId: ['account_id', 'text'],
    url: ['url', 'text'],
    types: ['types', 'json'],
    enabled: ['enabled', 'flag'],
    disabledFor: ['disabled_for', 'text'],
    secret: ['secret', 'text'],
    oldSecret: ['old_secret', 'text'],
    oldSecretUntil: ['old_secret_until', 'number'],
    cursor: ['cursor_event_id', 'number'],
    replays: ['replays', 'number'],
    dueAt: ['due_at', 'number'],
    pausedUntil: ['paused_until', 'number'],
    failingSince: ['failing_since', 'number'],
    createdAt: ['created_at', 'number'],
  }),
  deliveries: table<Delivery>('webhook_deliveries', 'delivery_id', undefined, {
    webhookId: ['webhook_id', 'text'],
    eventId: ['event_id', 'number'],
    state: ['state', 'text'],
    attempts: ['attempts', 'number'],
    status: ['status', 'number'],
    detail: ['detail', 'text'],
    lastAt: ['last_at', 'number'],
    nextAt: ['next_at', 'number'],
  }),
};

/** A revision's line for the log of actions is a row of its own. */
export const ADDITIONS: { [T in keyof Additions]: Table<Omit<Additions[T], 'log'>> } = {
  accounts: table<Additions['accounts']>('accounts', 'account_id', 'accountId', {
    createdAt: ['created_at', 'number'],
  }),
  entries: table<Entry>('entries', 'entry_id', undefined, {
    at: ['at', 'number'],
    kind: ['kind', 'text'],
    debit: ['debit', 'text'],
    credit: ['credit', 'text'],
    amount: ['amount_nano', 'money'],
    accountId: ['account_id', 'text'],
    balanceAfter: ['balance_after_nano', 'money'],
    reference: ['reference', 'text'],
    note: ['note', 'text'],
    refundOf: ['refund_of', 'text'],
    paid: ['paid_nano', 'money'],
    once: ['once', 'text'],
  }),
  usage: table<UsageRecord>('usage_records', 'request_id', 'requestId', {
    accountId: ['account_id', 'text'],
    keyId: ['key_id', 'text'],
    at: ['at', 'number'],
    model: ['model', 'text'],
    channel: ['channel', 'text'],
    endpoint: ['endpoint', 'text'],
    status: ['status', 'text'],
    stream: ['stream', 'flag'],
    input: ['input_tokens', 'number'],
    cachedInput: ['cached_input_tokens', 'number'],
    cacheWrite5m: ['cache_write_5m_tokens', 'number'],
    cacheWrite1h: ['cache_write_1h_tokens', 'number'],
    output: ['output_tokens', 'number'],
    reasoning: ['reasoning_tokens', 'number'],
    images: ['images', 'number'],
    seconds: ['seconds', 'number'],
    characters: ['characters', 'number'],
    searches: ['searches', 'number'],
    firstTokenMs: ['first_token_ms', 'number'],
    totalMs: ['total_ms', 'number'],
    held: ['held_nano', 'money'],
    cost: ['cost_nano', 'money'],
    balanceAfter: ['balance_after_nano', 'money'],
    estimated: ['estimated', 'flag'],
    revision: ['revision', 'number'],
    attempts: ['attempts', 'json'],
    rule: ['rule', 'text'],
    serviceTier: ['service_tier', 'text'],
    toolCalls: ['tool_calls', 'json'],
    pricedAt: ['priced_at', 'number'],
    upstreamCost: ['upstream_nano', 'money'],
  }),
  losses: table<BookedLoss>('losses', 'loss_id', undefined, {
    requestId: ['request_id', 'text'],
    at: ['at', 'number'],
    day: ['day', 'number'],
    accountId: ['account_id', 'text'],
    model: ['model', 'text'],
    channel: ['channel', 'text'],
    reason: ['reason', 'text'],
    amount: ['amount_nano', 'money'],
  }),
  cardBatches: table<CardBatch>('card_batches', 'batch_id', 'batchId', {
    kind: ['kind', 'text'],
    amount: ['amount_nano', 'money'],
    count: ['count', 'number'],
    expiresAt: ['expires_at', 'number'],
    note: ['note', 'text'],
    createdAt: ['created_at', 'number'],
  }),
  revisions: table<Omit<Revision, 'revision'>>('revisions', 'revision', undefined, {
    document: ['document', 'text'],
    source: ['source', 'text'],
    sourceHash: ['source_hash', 'text'],
    createdAt: ['created_at', 'number'],
    actor: ['actor', 'text'],
    action: ['action', 'text'],
  }),
  actions: table<Action>('audit_log', 'action_id', undefined, {
    at: ['at', 'number'],
    actor: ['actor', 'text'],
    action: ['action', 'text'],
    subject: ['subject', 'text'],
    detail: ['detail', 'json'],
  }),
  events: table<NewEvent>('events', 'event_id', undefined, {
    accountId: ['account_id', 'text'],
    type: ['type', 'text'],
    at: ['at', 'number'],
    data: ['data', 'json'],
  }),
};

/** A table whose rows carry their id. */
function withId<Row>(
  { name, idColumn, columns }: Omit<Table<unknown>, 'row'>,
  idField: keyof Row & string,
): Table<Row> {
  return { name, idColumn, idField, columns };
}

/** With the numbers that the database assigned. */
export const STORED_ENTRIES = withId<StoredEntry>(ADDITIONS.entries, 'entryId');
export const STORED_EVENTS = withId<StoredEvent>(ADDITIONS.events, 'eventId');
export const REVISIONS = withId<Revision>(ADDITIONS.revisions, 'revision');

/** Budgets with the keys they belong to. */
export const KEY_BUDGETS = withId<KeyBudget>(PAGES.budgets, 'keyId');

export type SqlValue = string | number | bigint | boolean | null;

/** A value that is stored as text. */
export function toText(value: unknown, kind: TextKind): string {
  if (kind === 'slots') return slotsToText(value as Window['slots']);
  return kind === 'json' ? JSON.stringify(value) : limitsToText(value as AllLimits);
}

export function fromText(text: string, kind: TextKind): unknown {
  if (kind === 'slots') return textToSlots(text);
  return kind === 'json' ? JSON.parse(text) : textToLimits(text);
}

export function isTextKind(kind: ColumnKind): kind is TextKind {
  return kind === 'json' || kind === 'slots' || kind === 'limits';
}

/** A row from what a driver returned; integers may come as number, bigint or text, flags as boolean or 0 and 1. */
export function decodeRow<Row>(
  { columns, idColumn, idField }: Table<Row>,
  source: Readonly<Record<string, unknown>>,
): Row {
  const row: Record<string, unknown> = {};
  if (idField !== undefined) row[idField] = decodeId(source[idColumn]);
  for (const { name, field, kind } of columns) row[field] = decodeValue(source[name], kind);
  return row as Row;
}

/** Ids are text, except those that the database assigns. */
function decodeId(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function decodeValue(value: unknown, kind: ColumnKind): unknown {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case 'text':
      return String(value);
    case 'number':
      return Number(value);
    case 'money':
      return BigInt(value as string | number | bigint);
    case 'flag':
      return value === true || value === 1n || value === 1;
    case 'json':
    case 'slots':
    case 'limits':
      return fromText(String(value), kind);
  }
}
