// `npm run torture`: kills the server at every kill point and at random times, under load, and checks after each kill that
// everything acknowledged is there. Options: --kills N (at least 26 on each database: every kill point), --database sqlite|postgres|both, --lanes N for several
// servers at once, --seed TEXT for the same plan of kills, --record for docs/figures, --out FILE for the figures as JSON; `syncs` counts the disk syncs before
// each acknowledgement instead, and makes one fail (needs strace).

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDice, type Dice } from '../test/simulation/dice.ts';
import { bundleInto } from '../test/support/bundled-program.ts';
import { sharePostgres, type TestDatabases } from '../test/support/postgres.ts';
import { countSyncs } from '../test/torture/count-syncs.ts';
import { countFacts, noFacts } from '../test/torture/facts.ts';
import { failSyncs } from '../test/torture/fail-syncs.ts';
import {
  addSummary,
  type Kill,
  type KillReport,
  killFirstStart,
  type TortureSummary,
  torture,
} from '../test/torture/torture.ts';
import { recordFigures } from './record-figures.ts';
import { RUNS } from './reliability-promises.ts';

const READY_WITHIN_MS = 1_000;
/** Each point kills after at most `most` passes, and at least `least`: the start and the verification pass some, too. */
const POINTS: readonly (readonly [point: string, most: number, least?: number])[] = [
  ['key-checked', 150, 20],
  ['inside-admit', 60],
  ['after-admit', 60],
  ['headers-received', 60],
  ['first-bytes', 40],
  ['mid-stream', 200],
  ['before-settle', 50],
  ['inside-settle', 50],
  ['after-settle', 50],
  ['inside-sweep', 1],
  ['inside-redeem', 12],
  ['inside-register', 12],
  ['inside-posting', 8, 4],
];
/** Every second kill is at a point. */
const MIN_KILLS = 2 * POINTS.length;
const MAX_RANDOM_MS = 370;
const FIRST_STARTS = 5;
/** Kills that a lane takes at once. */
const KILLS_PER_TURN = 100;

type DatabaseName = 'sqlite' | 'postgres';

/** Every second kill is at a random time, the others cycle through the kill points. */
function plan(count: number, database: DatabaseName, dice: Dice): Kill[] {
  const points = POINTS.filter(([point]) => database === 'sqlite' || point !== 'inside-posting');
  return Array.from({ length: count }, (_, index) => {
    if (index % 2 === 1) return { at: { afterMs: dice.between(20, MAX_RANDOM_MS) } };
    const [point, most, least = 1] = points[(index / 2) % points.length] ?? ['inside-sweep', 1];
    return { at: point === 'inside-sweep' ? point : `${point}:${dice.between(least, least + most - 1)}` };
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const isAtRandom = (kill: string) => kill.startsWith('after ');
const placeOf = (kill: string) => kill.split(':')[0] ?? kill;

function print(summary: TortureSummary, seconds: number): void {
  const { kills, facts } = summary;
  const groups = Map.groupBy(kills, ({ kill }) => (isAtRandom(kill) ? 'random time' : placeOf(kill)));
  console.log('\nkilled at      kills  acknowledged before  ready again, median / slowest ms  problems');
  for (const [name, reports] of [...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))) {
    const ready = reports.map(({ readyMs }) => readyMs);
    const sum = (of: (report: KillReport) => number) => reports.reduce((total, report) => total + of(report), 0);
    const cells = [
      name.padEnd(13),
      String(reports.length).padStart(6),
      String(sum(({ acknowledged }) => acknowledged)).padStart(20),
      `${Math.round(median(ready))} / ${Math.round(Math.max(...ready))}`.padStart(34),
      String(sum(({ problems }) => problems.length)).padStart(9),
    ];
    console.log(cells.join(' '));
  }
  const ready = kills.map(({ readyMs }) => readyMs);
  console.log(`
${kills.length} kills in ${Math.round(seconds)} s; ready again in ${Math.round(median(ready))} ms (median), ${Math.round(Math.max(...ready))} ms (slowest)
acknowledged: ${facts.accounts.length} registrations, ${facts.redeems.length} redeems, ${facts.requests.length} settled requests, ${facts.keys.length} keys
${summary.upstreamCalls} calls reached the upstream, ${summary.billed} were charged, ${summary.entries} ledger entries`);
}

interface Torture {
  databases: readonly DatabaseName[];
  seed: string;
  killsEach: number;
  lanes: number;
  tell(report: KillReport): void;
}

/** Lanes take turns of kills until none is left. */
async function tortureAll({ databases, seed, killsEach, lanes, tell }: Torture): Promise<TortureSummary> {
  const postgres = databases.includes('postgres') ? await sharePostgres() : undefined;
  const summary: TortureSummary = { kills: [], facts: noFacts(), billed: 0, entries: 0, upstreamCalls: 0 };
  const turns = databases.flatMap((database) =>
    turnsOn(database, plan(killsEach, database, createDice(`${seed} ${database}`)), tell, postgres),
  );
  const lane = async () => {
    for (let turn = turns.shift(); turn; turn = turns.shift()) addSummary(summary, await turn());
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await postgres?.stop();
  return summary;
}

function turnsOn(
  database: DatabaseName,
  kills: readonly Kill[],
  tell: (report: KillReport) => void,
  postgres: TestDatabases | undefined,
): (() => Promise<TortureSummary>)[] {
  const used = database === 'postgres' ? postgres : undefined;
  const starts = Math.ceil(kills.length / KILLS_PER_TURN);
  const turns = Array.from({ length: starts }, (_, turn) => () => {
    return torture(kills.slice(turn * KILLS_PER_TURN, (turn + 1) * KILLS_PER_TURN), tell, used);
  });
  const firstStarts = async () => {
    const reports: KillReport[] = [];
    for (let n = 0; n < FIRST_STARTS; n++) reports.push(await killFirstStart(used));
    for (const report of reports) tell(report);
    return { kills: reports, facts: noFacts(), billed: 0, entries: 0, upstreamCalls: 0 };
  };
  return [...turns, firstStarts];
}

function databasesIn(name: string): DatabaseName[] {
  if (name === 'both') return ['sqlite', 'postgres'];
  if (name === 'sqlite' || name === 'postgres') return [name];
  throw new Error(`--database is sqlite, postgres or both, not ${name}`);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kills: { type: 'string', default: '220' },
      database: { type: 'string', default: 'sqlite' },
      lanes: { type: 'string', default: '1' },
      seed: { type: 'string' },
      out: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  });
  if (positionals[0] === 'syncs') return proveSyncs(values.record);
  const databases = databasesIn(values.database);
  const seed = values.seed ?? crypto.randomUUID().slice(0, 8);
  const lanes = Math.max(1, Number(values.lanes));
  const killsEach = Math.max(MIN_KILLS, Math.ceil(Number(values.kills) / databases.length));
  const folder = mkdtempSync(join(tmpdir(), 'gateway-program-'));
  bundleInto(join(folder, 'program'));
  const startedAt = performance.now();
  const tell = ({ kill, readyMs, problems }: KillReport) => {
    for (const problem of problems) console.log(`${kill}: ${problem}`);
    process.stdout.write(problems.length > 0 || readyMs > READY_WITHIN_MS ? '!' : '.');
  };
  const summary = await tortureAll({ databases, seed, killsEach, lanes, tell });
  rmSync(folder, { recursive: true, force: true });
  const seconds = (performance.now() - startedAt) / 1000;
  print(summary, seconds);
  console.log(`--seed ${seed} repeats this plan; the load decides which call each kill meets`);
  if (values.out) {
    const figures = { ...summary, facts: undefined, seconds };
    writeFileSync(values.out, JSON.stringify(figures, null, 2));
  }
  const wrong = summary.kills.filter(({ problems }) => problems.length > 0).length;
  const slow = summary.kills.filter(({ readyMs }) => readyMs > READY_WITHIN_MS).length;
  console.log(wrong === 0 ? 'nothing was lost, nothing was charged twice' : `${wrong} kills with problems`);
  if (slow > 0)
    console.log(`${slow} starts took longer than ${READY_WITHIN_MS} ms, which is no fault: the machine may be busy`);
  if (values.record) {
    const given = `--kills ${values.kills} --database ${values.database} --seed ${seed}${lanes > 1 ? ` --lanes ${lanes}` : ''}`;
    record(summary, `npm run torture -- ${given}`, wrong);
  }
  return wrong === 0 ? 0 : 1;
}

async function proveSyncs(isRecorded: boolean): Promise<number> {
  const counted = await countSyncs();
  const failed = counted && (await failSyncs());
  if (!counted || !failed) return 1;
  const figures = {
    'registrations acknowledged': String(counted.acknowledged),
    'syncs of the write-ahead log': String(counted.syncs),
    'answers before their sync': String(counted.early),
    'acknowledged before a failed sync': String(failed.acknowledgedBefore),
    'refused with 503 after it': String(failed.refused),
    'acknowledged after it': String(failed.acknowledgedAfter),
    'problems after a restart': String(failed.problems.length),
  };
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value}`);
  for (const problem of failed.problems) console.log(problem);
  if (isRecorded) recordFigures('syncs', RUNS.syncs, figures);
  return counted.isRight && failed.isRight ? 0 : 1;
}

function record({ kills, facts, billed }: TortureSummary, command: string, wrong: number): void {
  const places = new Set(kills.filter(({ kill }) => !isAtRandom(kill)).map(({ kill }) => placeOf(kill)));
  const number = (value: number) => value.toLocaleString('en');
  const ready = kills.map(({ readyMs }) => readyMs);
  recordFigures('kills', command, {
    kills: number(kills.length),
    'of them at random times': number(kills.filter(({ kill }) => isAtRandom(kill)).length),
    'marked places': number(places.size),
    'registrations, cards, keys and requests acknowledged before a kill, and there afterwards': number(
      countFacts(facts),
    ),
    'requests charged': number(billed),
    'kills after which something was lost, wrong or charged twice': number(wrong),
    'ready again, median': `${Math.round(median(ready))} ms`,
    'ready again, slowest': `${Math.round(Math.max(...ready))} ms`,
  });
}

process.exit(await main());
