// The SQLite threads: the writer owns the only read-write connection, the readers have read-only ones. Commits sync the
// disk and reads may be long, so neither runs on the event loop.

import type { Database } from 'bun:sqlite';
import { chmodSync, existsSync } from 'node:fs';
import { armFailpoint } from '../../kit/failpoint.ts';
import { forgetRecords, forgetSums, keepFromDay, oldRecords } from '../kept-usage.ts';
import { StoreRefused } from '../refusal.ts';
import type { Forgotten, OldUsage } from '../store.ts';
import { type Commits, prepareCommits } from './commit-batch.ts';
import { decodeOperations } from './hot-batches.ts';
import { prepareIsBehind } from './journal.ts';
import type { Envelope, Reply, Request } from './messages.ts';
import { migrate } from './migrate.ts';
import { type OpenOptions, openDatabase } from './open-database.ts';
import { prepareReads, type SyncReads } from './prepare-reads.ts';

declare const self: Worker;

let db: Database;
let commits: Commits | undefined;
let reads: SyncReads;
let isBehind: () => boolean;

function open(file: string, options: OpenOptions): undefined {
  armFailpoint(options.killOrder);
  try {
    db = openDatabase(file, options);
    if (!options.readonly) {
      chmodSync(file, 0o600);
      migrate(db, { onMigrated: () => prepareCommits(db).post() });
      commits = prepareCommits(db);
      commits.post();
    }
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    const why = error instanceof Error ? error.message : 'unknown error';
    throw new StoreRefused(
      `cannot open the database ${file}${existsSync(file) ? '' : ' (it could not be created)'}: ${why}`,
    );
  }
  if (!options.readonly) return;
  reads = prepareReads(db);
  isBehind = prepareIsBehind(db);
}

/** All of it or nothing. */
function forget(before: number): undefined {
  const deletions = [
    `DELETE FROM windows WHERE window_id LIKE '%:address:%' AND touched_at < ?`,
    'DELETE FROM leases WHERE expires_at < ? AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.node_id = leases.node_id)',
    'DELETE FROM replays WHERE expires_at < ?',
  ];
  commits?.alone(() => {
    for (const deletion of deletions) db.query(deletion).run(before);
  });
}

function forgetUsage({ day, limit }: OldUsage): Forgotten {
  const { idBefore, before } = oldRecords(day);
  let forgotten: Forgotten = { records: 0, sums: 0 };
  commits?.alone(() => {
    db.query(keepFromDay('?')).run(String(day));
    const records = db.query(forgetRecords('?', '?', '?')).run(idBefore, before, limit).changes;
    forgotten = { records, sums: records > 0 ? 0 : db.query(forgetSums('?', '?')).run(day, limit).changes };
  });
  return forgotten;
}

/** A stopped server leaves everything in the one file, so that a plain copy of it is whole. */
function close(): undefined {
  if (commits) {
    try {
      commits.post();
    } catch {
      // It stays in the journal, whatever the reason.
    }
    db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  }
  db.close();
}

function handle(request: Request): unknown {
  switch (request.do) {
    case 'open':
      return open(request.file, request.options);
    case 'commit':
      return commits?.commitBatch(request.operations);
    case 'alarm':
      db.query('INSERT INTO alarms (at, name, fields) VALUES (?, ?, ?)').run(
        request.at,
        request.alarm.name,
        JSON.stringify(request.alarm.fields),
      );
      return undefined;
    case 'forget':
      return forget(request.before);
    case 'forgetUsage':
      return forgetUsage(request.before);
    case 'read': {
      const read = reads[request.name] as (...args: readonly unknown[]) => unknown;
      return read(...request.args);
    }
    case 'isBehind':
      return isBehind();
    case 'post':
      return commits?.post();
    case 'close':
      return close();
  }
}

function replyTo(id: number, answer: () => Reply | string): Reply | string {
  try {
    return answer();
  } catch (error) {
    const message = error instanceof Error ? error.message : 'unknown error';
    return { id, ok: false, message, refused: error instanceof StoreRefused };
  }
}

/** A batch that came as a text is answered with one, if its answers can be. */
function answerText(text: string): Reply | string {
  const { id, operations } = decodeOperations(text);
  return replyTo(id, () => {
    const answered = commits?.commitText(operations, { id, text });
    return answered?.text ?? { id, ok: true, value: answered?.decided };
  });
}

self.onmessage = ({ data }: MessageEvent<Envelope | string>) => {
  self.postMessage(
    typeof data === 'string'
      ? answerText(data)
      : replyTo(data.id, () => ({ id: data.id, ok: true, value: handle(data.request) })),
  );
};
