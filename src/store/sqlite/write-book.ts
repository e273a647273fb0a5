// Writes what a batch changed, inside the batch's transaction.

import type { Database } from 'bun:sqlite';
import type { Book } from '../book/book.ts';

export type WriteBook = (book: Book) => void;

export function prepareWriteBook(db: Database): WriteBook {
  const insertAccount = db.prepare('INSERT INTO accounts VALUES (?, ?)');
  const insertKey = db.prepare('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const putWallet = db.prepare(`INSERT INTO wallets VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (account_id) DO UPDATE SET balance_nano = excluded.balance_nano, held_nano = excluded.held_nano,
      in_flight = excluded.in_flight, free_in_flight = excluded.free_in_flight`);
  const putWindow = db.prepare(`INSERT INTO windows VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (window_id) DO UPDATE SET slots = excluded.slots, day = excluded.day,
      day_count = excluded.day_count, touched_at = excluded.touched_at`);
  const insertHold = db.prepare('INSERT INTO holds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const deleteHold = db.prepare('DELETE FROM holds WHERE request_id = ?');
  const putLease = db.prepare(`INSERT INTO leases VALUES (?, ?, ?, ?)
    ON CONFLICT (node_id) DO UPDATE SET expires_at = excluded.expires_at`);
  const insertEntry = db.prepare(`INSERT INTO entries
    (at, kind, debit, credit, amount_nano, account_id, balance_after_nano, reference)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertUsage = db.prepare(
    `INSERT INTO usage_records VALUES (${Array.from({ length: 24 }, () => '?').join(', ')})`,
  );
  const insertRevision = db.prepare(
    'INSERT INTO revisions (document, source, source_hash, created_at) VALUES (?, ?, ?, ?)',
  );

  return (book) => {
    for (const row of book.added.accounts) insertAccount.run(row.accountId, row.createdAt);
    for (const [id, row] of book.changes('wallets')) {
      if (row) putWallet.run(id, row.balance, row.held, row.inFlight, row.freeInFlight);
    }
    for (const row of book.added.keys) {
      insertKey.run(
        row.keyId,
        row.accountId,
        row.hash,
        row.last4,
        row.name,
        flag(row.manage),
        row.models && JSON.stringify(row.models),
        row.dailyBudget,
        row.expiresAt,
        row.createdAt,
        row.revokedAt,
      );
    }
    for (const [id, row] of book.changes('windows')) {
      if (row) putWindow.run(id, JSON.stringify(row.slots), row.day, row.dayCount, row.touchedAt);
    }
    for (const [id, row] of book.changes('holds')) {
      if (!row) {
        deleteHold.run(id);
        continue;
      }
      insertHold.run(
        row.requestId,
        row.accountId,
        row.keyId,
        row.nodeId,
        row.amount,
        flag(row.free),
        row.model,
        row.endpoint,
        flag(row.stream),
        row.revision,
        row.openedAt,
      );
    }
    for (const [id, row] of book.changes('leases')) {
      if (row) putLease.run(id, row.host, row.pid, row.expiresAt);
    }
    for (const row of book.added.entries) {
      insertEntry.run(
        row.at,
        row.kind,
        row.debit,
        row.credit,
        row.amount,
        row.accountId,
        row.balanceAfter,
        row.reference,
      );
    }
    for (const row of book.added.usage) {
      insertUsage.run(
        row.requestId,
        row.accountId,
        row.keyId,
        row.at,
        row.model,
        row.channel,
        row.endpoint,
        row.status,
        flag(row.stream),
        row.input,
        row.cachedInput,
        row.cacheWrite5m,
        row.cacheWrite1h,
        row.output,
        row.reasoning,
        row.images,
        row.firstTokenMs,
        row.totalMs,
        row.held,
        row.cost,
        row.balanceAfter,
        flag(row.estimated),
        row.revision,
        JSON.stringify(row.attempts),
      );
    }
    for (const row of book.added.revisions) {
      insertRevision.run(row.document, row.source, row.sourceHash, row.createdAt);
    }
  };
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}
