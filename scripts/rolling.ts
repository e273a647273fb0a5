// `npm run rolling`: restarts the nodes behind a load balancer one after the other under load, one of them by a kill, and
// checks that no other call fails and that each acknowledged call is charged once. Options: --restarts N, --database
// sqlite|postgres|both, --record for docs/figures, --from REF to go from the program of that commit to this one and back
// instead; across schemas that do not allow both at once, all nodes are replaced together, and the gap is measured.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type OtherProgram, OWN_SCHEMA, programOf } from '../test/rolling/program-of.ts';
import { type RollingReport, rollNodes, type Step } from '../test/rolling/rolling.ts';
import { bundleInto } from '../test/support/bundled-program.ts';
import { sharePostgres } from '../test/support/postgres.ts';
import { recordFigures } from './record-figures.ts';

/** Streams of the load take about a second, or 25. */
const DRAIN_SECONDS = 6;
/** One upgrade of each of three nodes. */
const UPGRADES = 3;

type DatabaseName = 'sqlite' | 'postgres';

/** The kill is in the middle. */
function restarts(count: number): Step[] {
  const middle = Math.floor(count / 2);
  return Array.from({ length: count + 1 }, (_, index) => ({
    does: index === middle ? 'kill' : 'drain',
    next: undefined,
  }));
}

/** To this program, and back if it can be. */
function upgrades({ command, schema }: OtherProgram, database: DatabaseName): Step[] {
  const nodes = database === 'postgres' ? UPGRADES : 1;
  const all = (next: Step['next']) => Array.from({ length: nodes }, (): Step => ({ does: 'drain', next }));
  if (schema === OWN_SCHEMA) return [...all(undefined), ...all(command)];
  return [{ does: 'replace', next: undefined }];
}

function print(database: DatabaseName, report: RollingReport): void {
  const calls = [...report.completed.values()].reduce((sum, count) => sum + count, 0);
  const kinds = [...report.completed].map(([kind, count]) => `${count} ${kind}`).join(', ');
  console.log(`
${database}: ${report.restarts} restarts, ${report.kills} of them kills; ${calls} complete calls (${kinds})
failed: ${report.failed.length}; broken by a kill: ${report.killed}, of which settled just before: ${report.settledBeforeKill}; refused by a node too busy to commit in time: ${report.busy}
found no node, because the only one was killed: ${report.inGap}; long streams cut at the end of a drain: ${report.cut}; WebSockets opened again: ${report.reopened}; without a node: ${(report.gapMs / 1000).toFixed(1)} s`);
  for (const { kind, why } of report.failed.slice(0, 20)) console.log(`failed: ${kind}: ${why.slice(-200)}`);
  for (const problem of report.problems) console.log(`problem: ${problem}`);
}

function record(command: string, reports: readonly RollingReport[]): void {
  const sum = (of: (report: RollingReport) => number) =>
    String(reports.reduce((total, report) => total + of(report), 0));
  recordFigures('rolling', command, {
    restarts: sum(({ restarts: count }) => count),
    'of them by SIGKILL': sum(({ kills }) => kills),
    'complete calls': sum(({ completed }) => [...completed.values()].reduce((total, count) => total + count, 0)),
    'failed calls, apart from the killed nodes': sum(({ failed }) => failed.length),
    'calls refused because the machine was too busy': sum(({ busy }) => busy),
    'calls broken by a kill': sum(({ killed }) => killed),
    'differences in the ledger': sum(({ problems }) => problems.length),
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      restarts: { type: 'string', default: '20' },
      database: { type: 'string', default: 'both' },
      from: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  });
  const databases = (['sqlite', 'postgres'] as const).filter((name) => [name, 'both'].includes(values.database));
  if (databases.length === 0) throw new Error(`--database is sqlite, postgres or both, not ${values.database}`);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-program-'));
  bundleInto(join(folder, 'program'));
  const other = values.from === undefined ? undefined : await programOf(values.from);
  if (other) console.log(`from ${other.commit}, schema ${other.schema}, to schema ${OWN_SCHEMA}`);
  const reports: RollingReport[] = [];
  for (const database of databases) {
    const postgres = database === 'postgres' ? await sharePostgres() : undefined;
    const report = await rollNodes({
      postgres,
      program: other?.command,
      steps: other ? upgrades(other, database) : restarts(Number(values.restarts)),
      drainSeconds: DRAIN_SECONDS,
      without: other ? ['long stream'] : [],
      onStep: (line) => console.log(`${database} ${line}`),
    });
    await postgres?.stop();
    print(database, report);
    reports.push(report);
  }
  other?.remove();
  rmSync(folder, { recursive: true, force: true });
  if (values.record) record(`npm run rolling -- --restarts ${values.restarts} --database ${values.database}`, reports);
  return reports.every(({ failed, problems }) => failed.length + problems.length === 0) ? 0 : 1;
}

process.exit(await main());
