// Answers the reads of the store from PostgreSQL.

import { assert } from '../../kit/assert.ts';
import type { SqlQuery } from '../read.ts';
import { READS, type ReadName, type Reads, readsFrom } from '../read-table.ts';
import type { Rows } from './connection.ts';
import type { Pool } from './pool.ts';

/** Entries are numbered before they are committed: this many numbers back, some may be missing in the snapshot. */
const STILL_OPEN = 4_096;

interface ReadPools {
  /** Shared: a query waits behind others, so only quick ones are sent. */
  pool: Pick<Pool, 'ask'>;
  pulsePool: Pick<Pool, 'ask'>;
  slowPool: Pick<Pool, 'ask' | 'askTogether'>;
}

export function prepareReads({ pool, pulsePool, slowPool }: ReadPools): Reads {
  async function ask(name: ReadName, args: unknown[]): Promise<Rows[]> {
    const { slow, ...read } = READS[name];
    const queries = read.ask(...args).map(numbered);
    const limits = read.limits?.(...args);
    const [query] = queries;
    assert(query, 'every read asks something');
    if (queries.length > 1 || limits) return slowPool.askTogether(queries, limits);
    const quickPool = name === 'pulse' ? pulsePool : pool;
    return [await (slow ? slowPool : quickPool).ask(query)];
  }

  const reads = readsFrom(async (name, args) => READS[name].decode(await ask(name, args), ...args));
  return {
    ...reads,
    async audit(scope) {
      const report = await reads.audit(scope);
      return { ...report, lastEntryId: Math.max(0, report.lastEntryId - STILL_OPEN) };
    },
  };
}

/** Without values, a `?` in the text is a literal. */
export function numbered({ sql, values }: SqlQuery) {
  let count = 0;
  return { sql: values.length === 0 ? sql : sql.replaceAll('?', () => `$${++count}`), values };
}
