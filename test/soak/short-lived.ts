// Tables whose rows are deleted after a while, each with what must be gone. `:now` is the gateway's time; an hour is left
// for the job that deletes.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OLDER_THAN_TWO_DAYS = `:now - ${2 * DAY + HOUR}`;
const OLDER_THAN_A_MONTH = `:now - ${30 * DAY + HOUR}`;

interface ShortLived {
  table: string;
  /** Which rows of the table; all if undefined. */
  rows?: string;
  /** Rows that must not exist. */
  stale: string;
  only?: 'sqlite' | 'postgres';
}

const TABLES: readonly ShortLived[] = [
  { table: 'holds', stale: '1 = 1' },
  { table: 'leases', stale: `expires_at < ${OLDER_THAN_TWO_DAYS}` },
  { table: 'windows', rows: "window_id LIKE '%:address:%'", stale: `touched_at < ${OLDER_THAN_TWO_DAYS}` },
  { table: 'replays', stale: `expires_at < ${OLDER_THAN_TWO_DAYS}` },
  { table: 'session_budgets', stale: `touched_at < ${OLDER_THAN_A_MONTH}` },
  { table: 'events', stale: `at < ${OLDER_THAN_A_MONTH}` },
  { table: 'refused_requests', stale: `at < :now - ${7 * DAY + HOUR}` },
  { table: 'refusal_days', stale: `day * ${DAY} < :now - ${32 * DAY}` },
  {
    table: 'webhook_deliveries',
    stale: `last_at < ${OLDER_THAN_TWO_DAYS} AND event_id NOT IN (SELECT event_id FROM events)`,
  },
  // Kept for the month that the catalog of the soak sets, by Taipei days.
  { table: 'usage_records', stale: `at < :now - ${33 * DAY}` },
  { table: 'usage_days', stale: `day * ${DAY} < :now - ${33 * DAY}` },
  { table: 'losses', stale: `day * ${DAY} < :now - ${33 * DAY}` },
  { table: 'journal', stale: '1 = 1', only: 'sqlite' },
  { table: 'writers', stale: `touched_at < ${OLDER_THAN_TWO_DAYS}`, only: 'postgres' },
];

export interface RowCount {
  rows: number;
  stale: number;
}

export type CountRows = (now: number) => Promise<Map<string, RowCount>>;

/** `sql` runs on both databases and returns integers as bigint. */
export function createRowCounter(
  database: 'sqlite' | 'postgres',
  sql: (query: string) => Promise<Record<string, unknown>[]>,
): CountRows {
  const tables = TABLES.filter(({ only = database }) => only === database);
  return async (now) => {
    const counts = new Map<string, RowCount>();
    for (const { table, rows = '1 = 1', stale } of tables) {
      const old = `${rows} AND ${stale.replaceAll(':now', String(Math.floor(now)))}`;
      const [row] = await sql(
        `SELECT (SELECT count(*) FROM ${table} WHERE ${rows}) AS rows, (SELECT count(*) FROM ${table} WHERE ${old}) AS stale`,
      );
      counts.set(table, { rows: Number(row?.rows), stale: Number(row?.stale) });
    }
    return counts;
  };
}
