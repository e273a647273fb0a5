// `npm run rolling`: restarts the nodes behind a load balancer one after the other under load, one of them by a kill, and
// checks that no other call fails and that each acknowledged call is charged once. Options: --restarts N, --database
// sqlite|postgres|both, --record for docs/figures, --from REF to go from the program of that commit to this one and back
// with each round. If that program cannot run on the schema of this one, all nodes are stopped, upgraded and restored
// instead, and the time without a node is measured.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MIGRATIONS } from '../src/store/postgres/migrations/index.ts';
import { type RollingReport, rollNodes, type Step } from '../test/rolling/rolling.ts';
import { NODES, type Program } from '../test/rolling/stage.ts';
import { type UpgradeReport, upgradeNodes } from '../test/rolling/upgrade.ts';
import { bundleInto } from '../test/support/bundled-program.ts';
import { NoSuchCommit, type OtherProgram, programOf } from '../test/support/other-program.ts';
import { sharePostgres } from '../test/support/postgres.ts';
import { recordFigures } from './record-figures.ts';

/** Streams of the load take about a second, or 25. */
const DRAIN_SECONDS = 6;
/** Longer than any call of the load. */
const UPGRADE_DRAIN_SECONDS = 30;

type DatabaseName = 'sqlite' | 'postgres';

/** The kill is in the middle. With another program, each round of all nodes changes to the other one. */
function restarts(count: number, database: DatabaseName, other: Program): Step[] {
  const middle = Math.floor(count / 2);
  const nodes = database === 'postgres' ? NODES : 1;
  return Array.from({ length: count + 1 }, (_, index) => ({
    does: index === middle ? 'kill' : 'drain',
    next: Math.floor(index / nodes) % 2 === 0 ? undefined : other,
  }));
}

/** Whether programs of both schemas can run on the newer one. SQLite is not upgraded while a server runs on it. */
function canMix(schema: number, database: DatabaseName): boolean {
  const later = MIGRATIONS.filter(({ version }) => version > schema);
  return later.length === 0 || (database === 'postgres' && later.every(({ isAdditive }) => isAdditive));
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const callsOf = ({ completed }: RollingReport) => [...completed.values()].reduce((sum, count) => sum + count, 0);

function printRolling(database: DatabaseName, report: RollingReport): void {
  const kinds = [...report.completed].map(([kind, count]) => `${count} ${kind}`).join(', ');
  console.log(`
${database}: ${report.restarts} restarts, ${report.kills} of them kills; ${callsOf(report)} complete calls (${kinds})
failed: ${report.failed.length}; broken by a kill: ${report.killed}, of which settled just before: ${report.settledBeforeKill}; refused by a node too busy to commit in time: ${report.busy}
found no node, because the only one was killed: ${report.inGap}; long streams cut at the end of a drain: ${report.cut}; WebSockets opened again: ${report.reopened}`);
}

function printUpgrade(database: DatabaseName, report: UpgradeReport): void {
  console.log(`
${database}: ${report.completed} complete calls; ${report.acknowledged} registrations, cards and requests acknowledged before the stop
${report.drained} calls ran at the stop and were complete; without a node: ${seconds(report.gapMs)} (drain ${seconds(report.drainMs)}, copy ${seconds(report.copyMs)}, upgrade and start ${seconds(report.startMs)}); back to the older version: ${seconds(report.backMs)}
failed: ${report.failed.length}; found no node: ${report.inGap}; broken by ${report.kills} kills: ${report.killed}; refused by a node too busy to commit in time: ${report.busy}`);
}

function printProblems({ failed, problems }: Pick<RollingReport, 'failed' | 'problems'>): void {
  for (const { kind, why } of failed.slice(0, 20)) console.log(`failed: ${kind}: ${why.slice(0, 300)}`);
  for (const problem of problems) console.log(`problem: ${problem}`);
}

function recordRolling(name: 'rolling' | 'mixed', command: string, reports: readonly RollingReport[]): void {
  const sum = (of: (report: RollingReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0).toLocaleString('en');
  recordFigures(name, command, {
    restarts: sum(({ restarts: count }) => count),
    'of them by SIGKILL': sum(({ kills }) => kills),
    'complete calls': sum(callsOf),
    'failed calls, apart from the killed nodes': sum(({ failed }) => failed.length),
    'calls refused because the machine was too busy': sum(({ busy }) => busy),
    'calls broken by a kill': sum(({ killed }) => killed),
    'long streams cut at the end of a drain': sum(({ cut }) => cut),
    'calls that found no node': sum(({ inGap }) => inGap),
    'differences in the ledger': sum(({ problems }) => problems.length),
  });
}

function recordUpgrade(command: string, reports: ReadonlyMap<DatabaseName, UpgradeReport>): void {
  const sum = (of: (report: UpgradeReport) => number) =>
    [...reports.values()].reduce((total, report) => total + of(report), 0).toLocaleString('en');
  const gap = (name: DatabaseName) => {
    const report = reports.get(name);
    return report ? seconds(report.gapMs) : '–';
  };
  recordFigures('upgrade', command, {
    'time without a node, SQLite': gap('sqlite'),
    'time without a node, PostgreSQL, three nodes': gap('postgres'),
    'complete calls': sum(({ completed }) => completed),
    'calls in progress at the stop, all completed': sum(({ drained }) => drained),
    'calls that had begun and failed': sum(({ failed }) => failed.length),
    'registrations, cards and requests acknowledged before the stop, and there after the upgrade and after the way back':
      sum(({ acknowledged }) => acknowledged),
    'nodes killed': sum(({ kills }) => kills),
    'differences in the ledger': sum(({ problems }) => problems.length),
  });
}

async function roll(database: DatabaseName, count: number, other: Program): Promise<RollingReport> {
  const postgres = database === 'postgres' ? await sharePostgres() : undefined;
  const report = await rollNodes({
    postgres,
    program: other,
    steps: restarts(count, database, other),
    drainSeconds: DRAIN_SECONDS,
    onStep: (line) => console.log(`${database} ${line}`),
  });
  await postgres?.stop();
  printRolling(database, report);
  printProblems(report);
  return report;
}

async function upgrade(database: DatabaseName, { command, hasSockets }: OtherProgram): Promise<UpgradeReport> {
  const postgres = database === 'postgres' ? await sharePostgres() : undefined;
  const report = await upgradeNodes({
    postgres,
    from: command,
    drainSeconds: UPGRADE_DRAIN_SECONDS,
    without: hasSockets ? ['long stream'] : ['long stream', 'turn'],
    onStep: (line) => console.log(`${database} ${line}`),
  });
  await postgres?.stop();
  printUpgrade(database, report);
  printProblems(report);
  return report;
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
  const rolled: RollingReport[] = [];
  const upgraded = new Map<DatabaseName, UpgradeReport>();
  try {
    const newest = MIGRATIONS.at(-1)?.version;
    if (other) console.log(`from ${other.commit}, schema ${other.schema}, to schema ${newest}`);
    for (const database of databases) {
      if (!other || canMix(other.schema, database)) {
        rolled.push(await roll(database, Number(values.restarts), other?.command));
      } else upgraded.set(database, await upgrade(database, other));
    }
  } finally {
    other?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  if (values.record) {
    const from = other ? ` --from ${other.commit}` : '';
    const rest = `--database ${values.database}`;
    const command = `npm run rolling --${from} --restarts ${values.restarts} ${rest}`;
    if (rolled.length > 0) recordRolling(other ? 'mixed' : 'rolling', command, rolled);
    if (upgraded.size > 0) recordUpgrade(`npm run rolling --${from} ${rest}`, upgraded);
  }
  const reports = [...rolled, ...upgraded.values()];
  return reports.every(({ failed, problems }) => failed.length + problems.length === 0) ? 0 : 1;
}

process.exit(
  await main().catch((error: unknown) => {
    if (!(error instanceof NoSuchCommit)) throw error;
    console.error(error.message);
    return 2;
  }),
);
