// The tables that operations write.

import {
  ACCOUNT_NOTES,
  ACTIONS,
  type Action,
  BILLING,
  BUDGETS,
  CARD_BATCHES,
  CARDS,
  DELIVERIES,
  ENTRIES,
  EVENTS,
  FACTS,
  HOLDS,
  INCIDENTS,
  type KeyRow,
  LEASES,
  LOGIN_NAMES,
  LOGINS,
  LOSS_DAYS,
  LOSSES,
  NEW_REVISIONS,
  REFUNDED,
  REPLAYS,
  SESSION_BUDGETS,
  TRAFFIC,
  USAGE,
  WALLETS,
  WEBHOOK_LISTS,
  WEBHOOKS,
  WINDOWS,
} from './rows.ts';
import { ID, number, type RowOf, type Table, table } from './table.ts';

/** Rows that operations look up by id, in the order in which they are locked. */
export const PAGES = {
  wallets: WALLETS,
  windows: WINDOWS,
  budgets: BUDGETS,
  sessionBudgets: SESSION_BUDGETS,
  /** By account, under the lock of its wallet. */
  lossDays: LOSS_DAYS,
  accountNotes: ACCOUNT_NOTES,
  holds: HOLDS,
  leases: LEASES,
  cards: CARDS,
  replays: REPLAYS,
  traffic: TRAFFIC,
  settings: FACTS,
  incidents: INCIDENTS,
  loginNames: LOGIN_NAMES,
  logins: LOGINS,
  /** By request or card. */
  refunded: REFUNDED,
  /** By account. */
  billing: BILLING,
  webhookLists: WEBHOOK_LISTS,
  webhooks: WEBHOOKS,
  deliveries: DELIVERIES,
};

type Rows<Tables> = { [Name in keyof Tables]: Tables[Name] extends Table<infer Row> ? Row : never };

export interface Pages extends Rows<typeof PAGES> {
  /** The keys of an account that were not revoked, under the lock of its wallet. The others may be many. */
  keyrings: readonly KeyRow[];
}
export type PageTable = keyof Pages;
/** A page that is one row of one table. */
export type RowPage = keyof typeof PAGES;
export const ROW_PAGES = Object.keys(PAGES) as RowPage[];
/** A page that is missing here cannot be looked up. */
export const PAGE_TABLES: readonly PageTable[] = [...ROW_PAGES, 'keyrings'];

/** What a driver needs for each of these tables. */
export function forEachTable<Name extends string, Made>(
  tables: Readonly<Record<Name, Table<object>>>,
  make: (table: Table<object>) => Made,
): Readonly<Record<Name, Made>> {
  const made = Object.entries<Table<object>>(tables).map(([name, table]) => [name, make(table)]);
  return Object.fromEntries(made) as Record<Name, Made>;
}

/** Rows that are only ever added. */
export const ADDITIONS = {
  accounts: table('accounts', 'account_id', { accountId: ID, createdAt: number('created_at') }),
  entries: ENTRIES,
  usage: USAGE,
  losses: LOSSES,
  cardBatches: CARD_BATCHES,
  revisions: NEW_REVISIONS,
  actions: ACTIONS,
  events: EVENTS,
};

/** With its line for the log of actions, which contains the number that the database assigns: it is a row of its own. */
export interface NewRevision extends RowOf<typeof NEW_REVISIONS> {
  log: Action;
}

export interface Additions extends Omit<Rows<typeof ADDITIONS>, 'revisions'> {
  revisions: NewRevision;
}
