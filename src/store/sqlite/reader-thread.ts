// A thread that reads, on a connection that cannot write: a query may take long, so it does not run on the event loop. It
// does not load the code of operations, to save memory in each reader.

import type { Database } from 'bun:sqlite';
import { prepareIsBehind } from './inspect.ts';
import { type Envelope, type Handlers, type ReaderRequest, replyTo, usable } from './messages.ts';
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

const HANDLERS: Handlers<ReaderRequest> = {
  open: ({ file }) => open(file),
  read: ({ name, args }) => answerRead(name, args),
  isBehind: () => isBehind(),
  // Closes the statements, too; otherwise the file stays open until they are garbage-collected.
  close: () => db.close(true),
};

self.onmessage = ({ data: { id, request } }: MessageEvent<Envelope<ReaderRequest>>) => {
  self.postMessage(replyTo(id, () => HANDLERS[request.do](request as never)));
};
