// How a page is read from its table.

import type { Database } from 'bun:sqlite';
import type { Pages, PageTable } from '../book/book.ts';
import { decodeRow, KEYS, PAGES } from '../tables.ts';
import { whenRun } from './when-run.ts';

export type LoadPage = <T extends PageTable>(table: T, id: string) => Pages[T] | undefined;

type Loaders = { [T in PageTable]: (id: string) => Pages[T] | undefined };

export function prepareLoad(db: Database): LoadPage {
  const byId = <T extends Exclude<PageTable, 'keyrings'>>(name: T) => {
    const table = PAGES[name];
    const statement = whenRun<Record<string, unknown>, [string]>(
      db,
      `SELECT * FROM ${table.name} WHERE ${table.idColumn} = ?`,
    );
    return (id: string): Pages[T] | undefined => {
      const row = statement().get(id);
      return row ? (decodeRow(table, row) as Pages[T]) : undefined;
    };
  };
  const keysOf = whenRun<Record<string, unknown>, [string]>(
    db,
    'SELECT * FROM keys WHERE account_id = ? AND revoked_at IS NULL ORDER BY created_at, key_id',
  );
  const loaders: Loaders = {
    wallets: byId('wallets'),
    windows: byId('windows'),
    budgets: byId('budgets'),
    sessionBudgets: byId('sessionBudgets'),
    lossDays: byId('lossDays'),
    accountNotes: byId('accountNotes'),
    holds: byId('holds'),
    leases: byId('leases'),
    cards: byId('cards'),
    replays: byId('replays'),
    traffic: byId('traffic'),
    settings: byId('settings'),
    incidents: byId('incidents'),
    loginNames: byId('loginNames'),
    logins: byId('logins'),
    refunded: byId('refunded'),
    billing: byId('billing'),
    webhookLists: byId('webhookLists'),
    webhooks: byId('webhooks'),
    deliveries: byId('deliveries'),
    keyrings: (accountId) =>
      keysOf()
        .all(accountId)
        .map((row) => decodeRow(KEYS, row)),
  };
  return (table, id) => loaders[table](id);
}
