// Answers the reads of the store from SQLite. The reader's thread may block, so each is answered at once.

import type { Database, Statement } from 'bun:sqlite';
import type { SqlQuery, Value } from '../read.ts';
import { READS, type ReadName } from '../read-table.ts';
import type { SqlValue } from '../table.ts';

export type AnswerRead = (name: ReadName, args: readonly unknown[]) => unknown;

type Columns = Record<string, unknown>;

/** More than the number of reads, because the SQL of some depends on their parameters. */
const STATEMENTS_MAX = 128;

export function prepareReads(db: Database): AnswerRead {
  const statements = new Map<string, Statement<Columns, SqlValue[]>>();

  /** Prepared once, and kept while it is among those that were used last. */
  function prepared(sql: string): Statement<Columns, SqlValue[]> {
    const statement = statements.get(sql) ?? db.prepare<Columns, SqlValue[]>(sql);
    statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements;
    if (oldest && statements.size > STATEMENTS_MAX) {
      statements.delete(oldest[0]);
      oldest[1].finalize();
    }
    return statement;
  }

  const ask = ({ sql, sqlite = sql, values }: SqlQuery) => prepared(withLists(sqlite)).all(...values.map(toValue));

  return (name, args) => {
    const read = READS[name];
    const queries = read.ask(...args);
    const answers = queries.length === 1 ? queries.map(ask) : db.transaction(() => queries.map(ask)).deferred();
    return read.decode(answers, ...args);
  };
}

/** SQLite has no lists: one is given as JSON. */
function withLists(sql: string): string {
  return sql.replaceAll('= ANY(?)', 'IN (SELECT value FROM json_each(?))');
}

function toValue(value: Value): SqlValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
