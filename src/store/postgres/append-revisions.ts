// Adds revisions, each with its line in the log of actions. The database numbers revisions and skips the numbers of failed
// transactions, so one statement writes both and puts the numbers into the lines.

import { ACTIONS, NEW_REVISIONS } from '../rows.ts';
import type { NewRevision } from '../tables.ts';
import { byColumn, inOrder, type Part, type Verb } from './statements.ts';

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

/** To be joined in this order. */
export function appendRevisions(rows: readonly NewRevision[]): Part[] {
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
