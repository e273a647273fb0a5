// Reads of the catalog's revisions, and of what other processes may have changed.

import { all, ask, one, QUICK, read, rowOf, SLOW } from './read.ts';
import { ACTORS, CONFIG_APPLY, REVISIONS, type Revision } from './rows.ts';
import { count, decoder, text } from './table.ts';

const LAST_FILE = `SELECT coalesce(max(revision), 0) FROM revisions WHERE source = 'file'`;

/**
 * Whether the text is that of the last applied file, or of the command line's last `config apply` since then. Other edits do
 * not change this.
 */
const WAS_APPLIED = `SELECT revision FROM revisions WHERE source_hash = ? AND (revision = (${LAST_FILE})
  OR revision = (SELECT max(revision) FROM revisions WHERE revision > (${LAST_FILE})
    AND source = 'operator' AND actor = '${ACTORS.commandLine}' AND action = '${CONFIG_APPLY}'))`;

const NEWEST = '(SELECT coalesce(max(revision), 0) FROM revisions) AS revision';
const NEWEST_EVENT = '(SELECT coalesce(max(event_id), 0) FROM events) AS event';
const KEYS_VERSION = `(SELECT version FROM versions WHERE name = 'keys')`;

const PULSE = {
  sql: `SELECT ${NEWEST}, ${NEWEST_EVENT}, ${KEYS_VERSION} || ' since ' || extract(epoch FROM pg_postmaster_start_time()) AS keys_version`,
  sqlite: `SELECT ${NEWEST}, ${NEWEST_EVENT}, ${KEYS_VERSION} AS keys_version`,
  values: [],
};

/** State that other processes may have changed since the last read. */
const decodePulse = decoder({
  revision: count('revision'),
  /**
   * Differs after a change of a key, which a trigger counts, and after a restart or a failover of the database, which may
   * have lost the last changes.
   */
  keysVersion: text('keys_version'),
  /** The number of the newest event; 0 without one. On SQLite an event that is still in the journal does not count yet. */
  newestEvent: count('event'),
});

/** Documents are large; a list does without them. */
const WITHOUT_DOCUMENT = `SELECT revision, '' AS document, source, source_hash, created_at, actor, action
  FROM revisions WHERE revision < ? ORDER BY revision DESC LIMIT ?`;

export const REVISION_READS = {
  newestRevision: one(QUICK, REVISIONS, 'ORDER BY revision DESC LIMIT 1', () => []),
  revision: one(QUICK, REVISIONS, 'WHERE revision = ?', (revision: number) => [revision]),
  /** Newest first, without their documents. */
  revisions: read(
    SLOW,
    (before: number, limit: number) => ask(WITHOUT_DOCUMENT, before, limit),
    all<Omit<Revision, 'document'>>(rowOf(REVISIONS)),
  ),
  /** Whether the text with this hash is that of the last file, or of the command line's last `config apply` since. */
  wasApplied: read(
    QUICK,
    (sourceHash: string) => ask(WAS_APPLIED, sourceHash),
    (rows) => rows.length > 0,
  ),
  pulse: read(
    QUICK,
    () => PULSE,
    ([row]) => decodePulse(row),
  ),
};
