// Every fault of a provider for every format of clients, whole and streamed, with a second chance configured in three ways.
// Each cell is a rescue or an honest error.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Bench, startBench } from './bench.ts';
import { checkRun } from './check-run.ts';
import { FAULTS } from './faults.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench.stop());

test.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
  const runs = await bench.run(fault);
  const checks = await Promise.allSettled(runs.map((run) => checkRun(bench.gateway, fault, run)));
  expect(checks.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))).toEqual([]);
});
