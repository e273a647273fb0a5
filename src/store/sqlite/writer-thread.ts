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
import { type Envelope, type Handlers, type Reply, replyTo, usable, type WriterRequest } from './messages.ts';
import { migrate, newestSchema, refuseOtherSchema } from './migrate.ts';
import { refuseMoved } from './moved-mark.ts';
import { type OpenOptions, openDatabase } from './open-database.ts';
import { writeRefusals } from './write-book.ts';

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

const HANDLERS: Handlers<WriterRequest> = {
  open: ({ file, options }) => open(file, options),
  commit: ({ operations }) => commits?.journalBatch(operations),
  alarm: ({ alarm: { name, fields }, at }) =>
    void db
      .query('INSERT INTO alarms (at, name, subject, fields) VALUES (?, ?, ?, ?)')
      .run(at, name, alarmSubject(fields), JSON.stringify(fields)),
  refusals: ({ batch }) => writeRefusals(db, batch),
  forget: ({ before }) => forget(before),
  forgetUsage: ({ before }) => forgetUsage(before),
  post: () => commits?.post(),
  close,
};

/** A batch that came as text is answered with text if its answers can be encoded. */
function answerText(text: string): Reply | string {
  const { id, operations } = decodeOperations(text);
  const reply = replyTo(id, () => commits?.journalBatch(operations) ?? []);
  return (reply.ok && encodeAnswers(id, reply.value)) || reply;
}

self.onmessage = ({ data }: MessageEvent<Envelope<WriterRequest> | string>) => {
  self.postMessage(
    typeof data === 'string'
      ? answerText(data)
      : replyTo(data.id, () => HANDLERS[data.request.do](data.request as never)),
  );
};
