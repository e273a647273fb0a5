// Everything a batch changed, as one statement: it is written whole or not at all, also if it never reaches the server.

import type { Book, Change } from '../book/book.ts';
import { changedKeys } from '../changed-keys.ts';
import { KEYS } from '../rows.ts';
import { ADDITIONS, forEachPage, ROW_PAGES } from '../tables.ts';
import { appendRevisions } from './append-revisions.ts';
import type { Query } from './connection.ts';
import { createJoin, type Part, prepareVerbs, type TableVerbs } from './statements.ts';

const VERBS = forEachPage(prepareVerbs);
const KEY_VERBS = prepareVerbs(KEYS);
const ACCOUNTS = prepareVerbs(ADDITIONS.accounts);
const CARD_BATCHES = prepareVerbs(ADDITIONS.cardBatches);
const ENTRIES = prepareVerbs(ADDITIONS.entries);
const USAGE = prepareVerbs(ADDITIONS.usage);
const LOSSES = prepareVerbs(ADDITIONS.losses);
const ACTIONS = prepareVerbs(ADDITIONS.actions);
const EVENTS = prepareVerbs(ADDITIONS.events);
const join = createJoin();

/** Undefined if nothing changed. */
export function writeBook(book: Book): Query | undefined {
  const { accounts, cardBatches, entries, usage, losses, revisions, actions, events } = book.added;
  const parts: Part[] = [];
  insertAdded(parts, ACCOUNTS, accounts, ({ accountId }) => accountId);
  insertAdded(parts, CARD_BATCHES, cardBatches, ({ batchId }) => batchId);
  for (const table of ROW_PAGES) writeChanges<object>(parts, VERBS[table], book.changes(table));
  writeChanges(parts, KEY_VERBS, book.changes('keyrings').flatMap(changedKeys));
  if (entries.length > 0) parts.push(ENTRIES.append(entries));
  insertAdded(parts, USAGE, usage, ({ requestId }) => requestId);
  if (losses.length > 0) parts.push(LOSSES.append(losses));
  if (revisions.length > 0) parts.push(...appendRevisions(revisions));
  if (actions.length > 0) parts.push(ACTIONS.append(actions));
  if (events.length > 0) parts.push(EVENTS.append(events));
  return parts.length === 0 ? undefined : join(parts);
}

function writeChanges<Row extends object>(parts: Part[], verbs: TableVerbs<Row>, changes: Change<Row>[]): void {
  if (changes.length === 0) return;
  const inserted = { ids: [] as string[], rows: [] as Row[] };
  const updated = { ids: [] as string[], rows: [] as Row[] };
  const deleted: string[] = [];
  for (const { id, before, after } of changes.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (after) {
      const { ids, rows } = before ? updated : inserted;
      ids.push(id);
      rows.push(after);
    } else if (before) deleted.push(id);
  }
  if (inserted.ids.length > 0) parts.push(verbs.insert(inserted.ids, inserted.rows));
  if (updated.ids.length > 0) parts.push(verbs.update(updated.ids, updated.rows));
  if (deleted.length > 0) parts.push(verbs.delete(deleted));
}

function insertAdded<Row extends object>(
  parts: Part[],
  verbs: TableVerbs<Row>,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): void {
  if (rows.length > 0) parts.push(verbs.insert(rows.map(idOf), rows));
}
