// Checks the server's settings before money is entrusted to it: a commit must be on disk before it is acknowledged.

import { StoreRefused } from '../refusal.ts';
import { askOn, type Connection } from './connection.ts';

const OLDEST_VERSION = 14;
const CHECK_MS = 5_000;

/** Throws StoreRefused. */
export async function checkServer(connection: Connection, unsafeNoSync: boolean): Promise<void> {
  const [facts = {}] = await askOn(connection, { sql: FACTS }, CHECK_MS);
  const version = Math.trunc(Number(facts.version) / 10_000);
  if (version < OLDEST_VERSION) {
    throw new StoreRefused(`the database is PostgreSQL ${version}; at least ${OLDEST_VERSION} is needed`);
  }
  if (facts.replica === true) throw new StoreRefused('the database is a read-only replica: name the primary');
  if (facts.encoding !== 'UTF8') throw new StoreRefused(`the database is encoded in ${facts.encoding}, not in UTF8`);
  if (unsafeNoSync) return;
  for (const [name, value] of [
    ['fsync', facts.fsync],
    ['synchronous_commit', facts.synchronous_commit],
  ]) {
    if (value === 'off') {
      throw new StoreRefused(`the database runs with ${name} = off: it could lose money it has confirmed`);
    }
  }
}

const FACTS = `SELECT current_setting('server_version_num') AS version, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS synchronous_commit, pg_is_in_recovery() AS replica,
  current_setting('server_encoding') AS encoding`;
