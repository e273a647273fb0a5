// The writer thread, which has the only connection that can write. Commits sync the disk, so they do not run on the event
// loop.

import type { Database } from 'bun:sqlite';
import { chmodSync } from 'node:fs';
import { alarmSubject } from '../../kit/alarms.ts';
import { armFailpoint } from '../../kit/failpoint.ts';
import { forgetOld, OF_ADDRESSES_BY_BYTES } from '../forget-old.ts';
import { deleteUsage } from '../kept-usage.ts';
import type { Forgotten, OldUsage } from '../store.ts';
import { type Commits, prepareCommits } from './commit-batch.ts';
import { decodeOperations, encodeAnswers } from './hot-batches.ts';
import { type Envelope, type Reply, replyTo, usable, type WriterRequest } from './messages.ts';
import { migrate, newestSchema, refuseOtherSchema } from './migrate.ts';
import { refuseMoved } from './moved-mark.ts';
import { type OpenOptions, openDatabase } from './open-database.ts';
import { writeRefusals } from './write-refusals.ts';

declare const self: Worker;

let db: Database;
let commits: Commits | undefined;

function open(file: string, options: OpenOptions): undefined {
  armFailpoint(options.killOrder);
  usable(file, () => {
    db = openDatabase(file, options);
    chmodSync(file, 0o600);
    migrate(db);
    const opened = newestSchema(db);
    // A process that has the file open is refused with its first commit after the file was moved or upgraded.
    commits = prepareCommits(db, () => {
      refuseMoved(db);
      refuseOtherSchema(db, opened);
    });
    commits.post();
  });
}

/** All of it or nothing. */
function forget(before: number): undefined {
  commits?.alone(() => {
    for (const deletion of forgetOld('?', OF_ADDRESSES_BY_BYTES)) db.query(deletion).run(before);
  });
}

function forgetUsage(before: OldUsage): Forgotten | undefined {
  const deletions = deleteUsage(before);
  let next = deletions.next();
  commits?.alone(() => {
    while (!next.done) next = deletions.next(db.query(next.value.sql).run(...next.value.values).changes);
  });
  return next.done ? next.value : undefined;
}

/** A clean stop merges the WAL, so that a copy of the file alone is complete. */
function close(): undefined {
  try {
    commits?.post();
  } catch {
    // On any error the changes stay in the journal.
  }
  try {
    db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The WAL stays beside the file, as after a kill: the batch is committed, and its caller must get the answer.
  }
  // `true` ends its statements, too; otherwise the file stays open until they are collected.
  db.close(true);
}

function handle(request: WriterRequest): unknown {
  switch (request.do) {
    case 'open':
      return open(request.file, request.options);
    case 'commit':
      return commits?.journalBatch(request.operations);
    case 'alarm':
      db.query('INSERT INTO alarms (at, name, subject, fields) VALUES (?, ?, ?, ?)').run(
        request.at,
        request.alarm.name,
        alarmSubject(request.alarm.fields),
        JSON.stringify(request.alarm.fields),
      );
      return undefined;
    case 'refusals':
      return writeRefusals(db, request.batch);
    case 'forget':
      return forget(request.before);
    case 'forgetUsage':
      return forgetUsage(request.before);
    case 'post':
      return commits?.post();
    case 'close':
      return close();
  }
}

/** A batch that came as text is answered with text if its answers can be encoded. */
function answerText(text: string): Reply | string {
  const { id, operations } = decodeOperations(text);
  const reply = replyTo(id, () => commits?.journalBatch(operations) ?? []);
  return (reply.ok && encodeAnswers(id, reply.value)) || reply;
}

self.onmessage = ({ data }: MessageEvent<Envelope<WriterRequest> | string>) => {
  self.postMessage(typeof data === 'string' ? answerText(data) : replyTo(data.id, () => handle(data.request)));
};
