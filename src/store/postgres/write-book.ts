// Everything a batch changed, as one statement: it is written whole or not at all, also if it never reaches the server.

import { type Book, type Change, changedKeys } from '../book/book.ts';
import { ACTIONS, KEYS, NEW_REVISIONS } from '../rows.ts';
import { ADDITIONS, forEachTable, type NewRevision, PAGES, ROW_PAGES } from '../tables.ts';
import type { Query } from './connection.ts';
import { byColumn, createJoin, inOrder, type Part, prepareVerbs, type TableVerbs, type Verb } from './statements.ts';

const VERBS = forEachTable(PAGES, prepareVerbs);
const KEY_VERBS = prepareVerbs(KEYS);
const ADDED = forEachTable(ADDITIONS, prepareVerbs);
const join = createJoin();

/** Undefined if nothing changed. */
export function writeBook(book: Book): Query | undefined {
  const { accounts, cardBatches, entries, usage, losses, revisions, actions, events } = book.added;
  const parts: Part[] = [];
  const add = ({ add }: TableVerbs<object>, rows: readonly object[]) => {
    if (rows.length > 0) parts.push(add(rows));
  };
  add(ADDED.accounts, accounts);
  add(ADDED.cardBatches, cardBatches);
  for (const table of ROW_PAGES) writeChanges<object>(parts, VERBS[table], book.changes(table));
  writeChanges(parts, KEY_VERBS, book.changes('keyrings').flatMap(changedKeys));
  add(ADDED.entries, entries);
  add(ADDED.usage, usage);
  add(ADDED.losses, losses);
  if (revisions.length > 0) parts.push(...appendRevisions(revisions));
  add(ADDED.actions, actions);
  add(ADDED.events, events);
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

const { name: revisions, columns: ofRevisions } = NEW_REVISIONS;
const { name: log, columns: ofLines } = ACTIONS;
const namesOf = (columns: typeof ofLines) => columns.map(({ name }) => name).join(', ');

const APPEND: Verb = {
  name: `append ${revisions}`,
  sql: (first) =>
    `INSERT INTO ${revisions} (${namesOf(ofRevisions)}) SELECT ${namesOf(ofRevisions)}
     FROM ${inOrder(ofRevisions, first)} ORDER BY nth RETURNING revision`,
};

/** The number is the first member of a line's detail, which is a JSON object. */
const DETAIL = `'{"revision":' || revision || CASE detail WHEN '{}' THEN '}' ELSE ',' || substr(detail, 2) END`;

const LOG: Verb = {
  name: `log ${revisions}`,
  sql: (first, appended) =>
    `INSERT INTO ${log} (${namesOf(ofLines)})
     SELECT ${ofLines.map(({ name }) => (name === 'detail' ? DETAIL : name)).join(', ')} FROM ${inOrder(ofLines, first)}
     JOIN (SELECT revision, row_number() OVER (ORDER BY revision) AS nth FROM ${appended}) AS made USING (nth) ORDER BY nth`,
};

/**
 * The database numbers revisions and skips the numbers of failed transactions, so one statement writes both them and their
 * lines in the log of actions, and puts the numbers into the lines. To be joined in this order.
 */
function appendRevisions(rows: readonly NewRevision[]): Part[] {
  return [
    { verb: APPEND, values: byColumn(ofRevisions, rows) },
    {
      verb: LOG,
      values: byColumn(
        ofLines,
        rows.map((row) => row.log),
      ),
    },
  ];
}
