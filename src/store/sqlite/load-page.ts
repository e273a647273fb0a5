// How a page is read from its table.

import type { Database } from 'bun:sqlite';
import { KEYS } from '../rows.ts';
import { decodeRow } from '../table.ts';
import { forEachPage, type Pages, type PageTable } from '../tables.ts';
import { whenRun } from './when-run.ts';

export type LoadPage = <T extends PageTable>(table: T, id: string) => Pages[T] | undefined;

export function prepareLoad(db: Database): LoadPage {
  const byId = forEachPage((table) => {
    const sql = `SELECT * FROM ${table.name} WHERE ${table.idColumn} = ?`;
    const statement = whenRun<Record<string, unknown>, [string]>(db, sql);
    return (id: string): object | undefined => {
      const row = statement().get(id);
      return row ? decodeRow(table, row) : undefined;
    };
  });
  const keysOf = whenRun<Record<string, unknown>, [string]>(
    db,
    'SELECT * FROM keys WHERE account_id = ? AND revoked_at IS NULL ORDER BY created_at, key_id',
  );
  const loaders: Record<PageTable, (id: string) => unknown> = {
    ...byId,
    keyrings: (accountId) =>
      keysOf()
        .all(accountId)
        .map((row) => decodeRow(KEYS, row)),
  };
  return <T extends PageTable>(table: T, id: string) => loaders[table](id) as Pages[T] | undefined;
}
