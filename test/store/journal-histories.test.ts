// Random histories, once written batch by batch and once through the journal, with postings, new processes and foreign
// writes wherever they fall: every answer and every row of every table are the same.

import type { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Operation } from '../../src/store/operations.ts';
import { type Commits, prepareCommits } from '../../src/store/sqlite/commit-batch.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { DAY, Model } from './histories/model.ts';
import { newWorld, operationsOf, STEPS, type Step } from './histories/steps.ts';

const RUNS = IS_LONG_RUN ? 300 : 30;
const TABLES = [
  'accounts',
  'wallets',
  'windows',
  'budgets',
  'losses',
  'loss_days',
  'loss_sums',
  'holds',
  'leases',
  'entries',
  'usage_records',
  'usage_days',
  'cards',
  'replays',
];
const BEGIN: readonly Step[] = [
  { do: 'register', address: 0, replay: -1, body: 0 },
  { do: 'lease', node: 0, forMs: 3 * DAY },
  { do: 'lease', node: 1, forMs: 3 * DAY },
];

/** What happens beside the operations. */
type Beside = 'nothing' | 'post' | 'another process' | 'a restart';

interface Burst {
  steps: readonly Step[];
  /** A batch is journaled only if nothing in it changes other tables. */
  isApart: boolean;
  beside: Beside;
}

function fresh(): { db: Database; commits: Commits } {
  const db = openDatabase(':memory:', { unsafeNoSync: true });
  migrate(db);
  return { db, commits: prepareCommits(db) };
}

const rows = (db: Database) =>
  TABLES.map((table) => [table, db.query<Record<string, unknown>, []>(`SELECT * FROM ${table} ORDER BY 1, 2`).all()]);

/** The journaling side: a second writer of the same database takes over what the first has journaled. */
function run(bursts: readonly Burst[]): void {
  const direct = fresh();
  const journaling = fresh();
  let { commits } = journaling;
  let most = 0;
  const world = newWorld('h', Number.MAX_SAFE_INTEGER);
  const model = new Model();
  const commitBoth = (operations: readonly Operation[]) => {
    if (operations.length === 0) return;
    expect(commits.journalBatch(operations)).toEqual(direct.commits.commitBatch(operations));
    const [{ n } = { n: 0n }] = journaling.db.query<{ n: bigint }, []>('SELECT count(*) AS n FROM journal').all();
    most = Math.max(most, Number(n));
  };
  const all: readonly Burst[] = [{ steps: BEGIN, isApart: false, beside: 'nothing' }, ...bursts];
  for (const { steps, isApart, beside } of all) {
    const batch: Operation[] = [];
    for (const step of steps) {
      for (const operation of operationsOf(step, world, model)) {
        model.apply(operation);
        batch.push(operation);
      }
    }
    if (isApart) for (const operation of batch) commitBoth([operation]);
    else commitBoth(batch);
    if (beside === 'post') commits.post();
    if (beside === 'a restart' || beside === 'another process') commits = prepareCommits(journaling.db);
    if (beside === 'another process') commits.post();
  }
  commits.post();
  expect(rows(journaling.db)).toEqual(rows(direct.db));
  journaled += most;
  direct.db.close();
  journaling.db.close();
}

let journaled = 0;

test(`${RUNS} histories leave the same rows, journaled or not`, () => {
  const burst = fc.record({
    steps: fc.array(fc.oneof(...STEPS), { minLength: 1, maxLength: 4 }),
    isApart: fc.boolean(),
    beside: fc.constantFrom<Beside>('nothing', 'nothing', 'nothing', 'post', 'another process', 'a restart'),
  });
  fc.assert(fc.property(fc.array(burst, { maxLength: 30, size: 'max' }), run), { numRuns: RUNS, seed: RUN_SEED });
  expect(journaled).toBeGreaterThan(RUNS / 2);
}, 120_000);
