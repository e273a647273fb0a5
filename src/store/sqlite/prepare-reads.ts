// The questions of the store in SQLite's words.

import type { Database } from 'bun:sqlite';
import type { ReadName, Reads, UsagePage, UsageQuery } from '../reads.ts';
import { type Columns, keyFrom, revisionFrom, usageFrom, walletFrom, windowFrom } from './read-rows.ts';

/** The same questions, answered at once: the reader's thread may block, the event loop may not. */
export type SyncReads = { [Name in ReadName]: (...args: Parameters<Reads[Name]>) => Awaited<ReturnType<Reads[Name]>> };

export function prepareReads(db: Database): SyncReads {
  const one = <Row>(sql: string, read: (row: Columns) => Row) => {
    const statement = db.prepare<Columns, string[]>(sql);
    return (...values: string[]) => {
      const row = statement.get(...values);
      return row ? read(row) : undefined;
    };
  };
  const pulse = db.prepare<{ revision: bigint; keys_version: bigint }, []>(
    `SELECT (SELECT coalesce(max(revision), 0) FROM revisions) AS revision,
            (SELECT version FROM versions WHERE name = 'keys') AS keys_version`,
  );
  return {
    keyByHash: one('SELECT * FROM keys WHERE hash = ?', keyFrom),
    wallet: one('SELECT * FROM wallets WHERE account_id = ?', walletFrom),
    window: one('SELECT * FROM windows WHERE window_id = ?', windowFrom),
    newestRevision: one('SELECT * FROM revisions ORDER BY revision DESC LIMIT 1', revisionFrom),
    lastFileHash: one(`SELECT source_hash FROM revisions WHERE source = 'file' ORDER BY revision DESC LIMIT 1`, (row) =>
      String(row.source_hash),
    ),
    pulse() {
      const row = pulse.get();
      return { revision: Number(row?.revision ?? 0), keysVersion: Number(row?.keys_version ?? 0) };
    },
    orphanedHolds({ aliveSince, deadNodes, limit }) {
      return db
        .query<{ request_id: string; account_id: string; node_id: string }, [number, string, number]>(
          `SELECT request_id, account_id, node_id FROM holds
           WHERE node_id NOT IN (SELECT node_id FROM leases WHERE expires_at > ?1)
              OR node_id IN (SELECT value FROM json_each(?2))
           LIMIT ?3`,
        )
        .all(aliveSince, JSON.stringify(deadNodes), limit)
        .map((row) => ({ requestId: row.request_id, accountId: row.account_id, nodeId: row.node_id }));
    },
    leasesOf(host) {
      return db
        .query<{ node_id: string; pid: bigint }, [string]>('SELECT node_id, pid FROM leases WHERE host = ?')
        .all(host)
        .map((row) => ({ nodeId: row.node_id, pid: Number(row.pid) }));
    },
    usagePage: (query) => db.transaction(() => usagePage(db, query)).deferred(),
  };
}

const FILTERS: readonly [name: keyof UsageQuery, sql: string][] = [
  ['from', 'at >= ?'],
  ['to', 'at < ?'],
  ['model', 'model = ?'],
  ['channel', 'channel = ?'],
  ['keyId', 'key_id = ?'],
  ['status', 'status = ?'],
];

function usagePage(db: Database, query: UsageQuery): UsagePage {
  const where = ['account_id = ?'];
  const values: (string | number)[] = [query.accountId];
  for (const [name, sql] of FILTERS) {
    const value = query[name];
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    where.push(sql);
    values.push(value);
  }
  const totals = db
    .query<Columns, (string | number)[]>(
      `SELECT count(*) AS requests, coalesce(sum(input_tokens), 0) AS input,
         coalesce(sum(cached_input_tokens), 0) AS cached_input, coalesce(sum(cache_write_5m_tokens), 0) AS write_5m,
         coalesce(sum(cache_write_1h_tokens), 0) AS write_1h, coalesce(sum(output_tokens), 0) AS output,
         coalesce(sum(reasoning_tokens), 0) AS reasoning, coalesce(sum(images), 0) AS images,
         coalesce(sum(cost_nano), 0) AS cost
       FROM usage_records WHERE ${where.join(' AND ')}`,
    )
    .get(...values);
  if (query.after) {
    where.push('(at, request_id) < (?, ?)');
    values.push(query.after.at, query.after.requestId);
  }
  const rows = db
    .query<Columns, (string | number)[]>(
      `SELECT * FROM usage_records WHERE ${where.join(' AND ')} ORDER BY at DESC, request_id DESC LIMIT ?`,
    )
    .all(...values, query.limit + 1);
  return {
    records: rows.slice(0, query.limit).map(usageFrom),
    hasMore: rows.length > query.limit,
    totals: {
      requests: Number(totals?.requests ?? 0),
      input: Number(totals?.input ?? 0),
      cachedInput: Number(totals?.cached_input ?? 0),
      cacheWrite5m: Number(totals?.write_5m ?? 0),
      cacheWrite1h: Number(totals?.write_1h ?? 0),
      output: Number(totals?.output ?? 0),
      reasoning: Number(totals?.reasoning ?? 0),
      images: Number(totals?.images ?? 0),
      cost: BigInt(totals?.cost ?? 0),
    },
  };
}
