// A thread that reads, on a connection that cannot write: a query may take long, so it does not run on the event loop. It
// does not load the code of operations, to save memory in each reader.

import type { Database } from 'bun:sqlite';
import { prepareIsBehind } from './inspect.ts';
import { type Envelope, type ReaderRequest, replyTo, usable } from './messages.ts';
import { openDatabase } from './open-database.ts';
import { type AnswerRead, prepareReads } from './prepare-reads.ts';

declare const self: Worker;

let db: Database;
let answerRead: AnswerRead;
let isBehind: () => boolean;

function open(file: string): undefined {
  usable(file, () => {
    db = openDatabase(file, { readonly: true });
    answerRead = prepareReads(db);
    isBehind = prepareIsBehind(db);
  });
}

function handle(request: ReaderRequest): unknown {
  switch (request.do) {
    case 'open':
      return open(request.file);
    case 'read':
      return answerRead(request.name, request.args);
    case 'isBehind':
      return isBehind();
    case 'close':
      // Closes the statements, too; otherwise the file stays open until they are garbage-collected.
      return db.close(true);
  }
}

self.onmessage = ({ data: { id, request } }: MessageEvent<Envelope<ReaderRequest>>) => {
  self.postMessage(replyTo(id, () => handle(request)));
};
