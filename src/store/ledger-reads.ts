// Reads of entries and of their sums.

import { decodeWrongEntry, LAST_WRONG_ENTRY } from './accepted-chains.ts';
import { AUDIT_HOUSE, toHouse } from './audit-queries.ts';
import { decodeLosses, lossesQuery } from './losses.ts';
import { ask, first, many, one, QUICK, QUICK_JOURNALED, REPORT, read, SLOW_JOURNALED } from './read.ts';
import { ENTRIES, type EntryKind, REFUNDED, STORED_ENTRIES } from './rows.ts';

const pageOfEntries = (condition: string) =>
  many(
    QUICK_JOURNALED,
    STORED_ENTRIES,
    `WHERE account_id = ? AND entry_id < ? ${condition} ORDER BY entry_id DESC LIMIT ?`,
    (accountId: string, limit: number, before: number = Number.MAX_SAFE_INTEGER) => [accountId, before, limit],
  );

export const LEDGER_READS = {
  /** Newest first; `before` is the last one of the page before. */
  entriesOf: pageOfEntries(''),
  /** All but those of requests, which are many. */
  creditsOf: pageOfEntries(`AND kind <> 'usage'`),
  /** An entry of any account, by its unique fields. */
  entryBy: one(QUICK_JOURNALED, ENTRIES, 'WHERE kind = ? AND reference = ?', (kind: EntryKind, reference: string) => [
    kind,
    reference,
  ]),
  /** Refunds of a request or card. */
  refundedOf: one(QUICK, REFUNDED, 'WHERE refund_of = ?', (id: string) => [id]),
  /** The cost of a request, also when its record is no longer kept. */
  usageEntry: one(
    QUICK_JOURNALED,
    ENTRIES,
    `WHERE account_id = ? AND kind = 'usage' AND reference = ?`,
    (accountId: string, requestId: string) => [accountId, requestId],
  ),
  /** The last wrong entry, which an unfreeze has to accept: undefined if each balance is the sum up to it, or was accepted before. */
  wrongChain: read(SLOW_JOURNALED, (accountId: string) => ask(LAST_WRONG_ENTRY, accountId), first(decodeWrongEntry)),
  /** Newest first. */
  writeOffs: many(
    SLOW_JOURNALED,
    ENTRIES,
    `WHERE kind = 'write_off' ORDER BY entry_id DESC LIMIT ?`,
    (limit: number) => [limit],
  ),
  /** The amount that each house account gave (below 0) or took. */
  houseAccounts: read(REPORT, () => ask(AUDIT_HOUSE), toHouse),
  losses: read(REPORT, lossesQuery, decodeLosses),
};
