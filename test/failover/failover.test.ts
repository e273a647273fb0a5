// Every fault of a provider for every format of clients, whole and streamed, with a second chance configured in three ways.
// Each cell is a rescue or an honest error, and the table in the docs says which. `npm run failover` rewrites it.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPart } from '../../scripts/generate.ts';
import { recordFigures } from '../../scripts/record-figures.ts';
import { RUNS } from '../../scripts/reliability-promises.ts';
import { type Bench, startBench } from './bench.ts';
import { checkRun } from './check-run.ts';
import { FAULTS } from './faults.ts';
import { type FaultRuns, failoverTableMarkdown } from './table.ts';

const DOCS = join(import.meta.dir, '..', '..', 'docs');
const isWriting = process.env.FAILOVER_TABLE === 'write';
const results: FaultRuns[] = [];

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench.stop());

test.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
  const runs = await bench.run(fault);
  const checks = await Promise.allSettled(runs.map((run) => checkRun(bench.gateway, fault, run)));
  expect(checks.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))).toEqual([]);
  results.push({ fault, runs });
});

test('nothing is wrong with the ledger', () => {
  expect(bench.gateway.audit()).toEqual([]);
});

test.each([
  ['reliability.md', 'en'],
  ['zh-TW/reliability.md', 'zh-TW'],
] as const)('the table in docs/%s is what the run has shown', (page, language) => {
  expect(results.map(({ fault }) => fault)).toEqual([...FAULTS]);
  const path = join(DOCS, page);
  const committed = readFileSync(path, 'utf8');
  const seen = withPart(committed, 'failover', failoverTableMarkdown(results, language));
  if (isWriting) writeFileSync(path, seen);
  else expect(committed).toBe(seen);
});

if (isWriting)
  test('the figures of the run are recorded', () => {
    // A fault with a wrong call is not among the results.
    expect(results.map(({ fault }) => fault)).toEqual([...FAULTS]);
    const calls = results.flatMap(({ runs }) => runs.flatMap((run) => run.calls)).length;
    const figures = { faults: `${FAULTS.length}`, calls: calls.toLocaleString('en'), 'calls wrong': '0' };
    recordFigures('failover', RUNS.failover, figures);
  });
