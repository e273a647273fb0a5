// A thread that reads, on a connection that cannot write: a question may take long, so it does not run on the event loop.
// It loads nothing that decides, because every reader of a process takes the memory of what it loads.

import type { Database } from 'bun:sqlite';
import { replyTo, usable } from './answer.ts';
import { prepareIsBehind } from './is-behind.ts';
import type { Envelope, ReaderRequest } from './messages.ts';
import { openDatabase } from './open-database.ts';
import { prepareReads, type SyncReads } from './prepare-reads.ts';

declare const self: Worker;

let db: Database;
let reads: SyncReads;
let isBehind: () => boolean;

function open(file: string): undefined {
  usable(file, () => {
    db = openDatabase(file, { readonly: true });
    reads = prepareReads(db);
    isBehind = prepareIsBehind(db);
  });
}

function handle(request: ReaderRequest): unknown {
  switch (request.do) {
    case 'open':
      return open(request.file);
    case 'read': {
      const read = reads[request.name] as (...args: readonly unknown[]) => unknown;
      return read(...request.args);
    }
    case 'isBehind':
      return isBehind();
    case 'close':
      return db.close();
  }
}

self.onmessage = ({ data: { id, request } }: MessageEvent<Envelope<ReaderRequest>>) => {
  self.postMessage(replyTo(id, () => ({ id, ok: true, value: handle(request) })));
};
