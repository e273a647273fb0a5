// Posts the journal of a file, whichever process wrote it. Its rows fit the schema of the file, because they are posted
// before any migration. Nothing here depends on the rules of the operations or on the tables of this version.

import type { Database, Statement } from 'bun:sqlite';
import { DAY_MS } from '../../kit/clock.ts';
import { failpoint } from '../../kit/failpoint.ts';
import { OFFSET_MS } from '../../kit/taipei.ts';
import { StoreRefused } from '../refusal.ts';
import { columnsOf } from './inspect.ts';
import type { Changes, Image } from './journal.ts';

/** Runs inside a write transaction. Returns the number of batches. */
export function postJournal(db: Database): number {
  const columns = columnsOf(db, 'journal');
  if (columns.some(({ name }) => name === 'operations')) refuseOperations(db);
  if (!columns.some(({ name }) => name === 'changes')) return 0;
  const batches = db.query<{ changes: string }, []>('SELECT changes FROM journal ORDER BY seq').all();
  if (batches.length === 0) return 0;
  let statements = new Map<string, Statement>();
  let named = '';
  const closed: unknown[] = [];

  function write(kind: Kind, images: readonly Image[], columns: Changes['columns']): void {
    for (const [table, ...cells] of images) {
      const name = `${kind} ${table}`;
      const statement = statements.get(name) ?? db.prepare(writing(db, kind, table, columns?.[table]));
      statements.set(name, statement);
      statement.run(...cells);
    }
  }

  for (const { changes } of batches) {
    const { columns, put, deleted, added } = JSON.parse(changes) as Changes;
    // Written by another version.
    if (JSON.stringify(columns ?? {}) !== named) statements = new Map();
    named = JSON.stringify(columns ?? {});
    write('put', put, columns);
    write('deleted', deleted, columns);
    write('added', added, columns);
    for (const [table, id] of added) if (table === 'usage_records') closed.push(id);
  }
  if (closed.length > 0) db.query(addingToDays(db)).run(JSON.stringify(closed));
  failpoint('inside-posting');
  db.run('DELETE FROM journal');
  return batches.length;
}

type Kind = Exclude<keyof Changes, 'columns'>;

function writing(db: Database, kind: Kind, table: string, columns: readonly string[] | undefined): string {
  const { all, keys, others } = namesOf(db, table, columns);
  const insert = `INSERT INTO ${table} (${all}) VALUES (${all.map(() => '?')})`;
  switch (kind) {
    case 'put':
      return `${insert} ON CONFLICT (${keys}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`)}`;
    case 'deleted':
      return `DELETE FROM ${table} WHERE ${keys} = ?`;
    case 'added':
      return insert;
  }
}

/**
 * Adds records that were just written, whose ids are the only value, to the sums of usage by Taipei day: every column except
 * the key and these is the sum of theirs.
 */
export function addingToDays(db: Database): string {
  const derived: Record<string, string> = {
    day: `(at + ${OFFSET_MS}) / ${DAY_MS}`,
    channel: `coalesce(channel, '')`,
    requests: 'count(*)',
    upstream_nano: 'coalesce(sum(upstream_nano), 0)',
    known_requests: 'count(upstream_nano)',
    known_revenue_nano: 'sum(CASE WHEN upstream_nano IS NULL THEN 0 ELSE cost_nano END)',
  };
  const { all, keys, others } = namesOf(db, 'usage_days');
  const values = all.map((name) => derived[name] ?? (keys.includes(name) ? name : `sum(${name})`));
  // Without a condition, SQLite would read the conflict clause as a part of the join.
  return `INSERT INTO usage_days SELECT ${values}
    FROM json_each(?) AS one CROSS JOIN usage_records ON request_id = one.value WHERE TRUE
    GROUP BY ${keys.map((name) => derived[name] ?? name)}
    ON CONFLICT (${keys}) DO UPDATE SET ${others.map((name) => `${name} = ${name} + excluded.${name}`)}`;
}

/** For the given columns, or for all. */
function namesOf(db: Database, table: string, given?: readonly string[]) {
  const columns = columnsOf(db, table).filter(({ name }) => given?.includes(name) ?? true);
  const named = (some: typeof columns) => some.map(({ name }) => name);
  return {
    all: named(columns),
    keys: named(columns.filter(({ isKey }) => isKey)),
    others: named(columns.filter(({ isKey }) => !isKey)),
  };
}

/** The first versions journaled operations, which only their own rules can decide. */
function refuseOperations(db: Database): void {
  if (!db.query('SELECT 1 FROM journal LIMIT 1').get()) return;
  throw new StoreRefused(
    'the journal of the database is of an older version, which was not stopped properly and alone can post it: start that version once, stop it with SIGTERM, then start this one',
  );
}
