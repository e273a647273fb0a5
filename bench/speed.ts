// `npm run bench`: this gateway with billing on, against a bare relay, nginx and Portkey, in one run of interleaved rounds.
// A wrong answer or a ledger difference of one nano ends it. Options: --quick (about a minute), --rounds N, --starts N,
// --ms N (of each measurement), --write (the tables into docs/performance.md), --only NAME,NAME of direct, bare, nginx,
// portkey, sqlite, postgres, and two that are measured only if named: cores, which is PostgreSQL with a process per core, and
// history, which compares SQLite with 200,000 usage records and with 2,000.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withPart } from '../scripts/generate.ts';
import { type Crew, hireCrew } from './speed/crew.ts';
import {
  gatewayOnAllCores,
  gatewayOnPostgres,
  gatewayOnSqlite,
  grownGateway,
  youngGateway,
} from './speed/gateway-target.ts';
import { describeMachine } from './speed/machine.ts';
import { PARTS, warmUp } from './speed/measure-load.ts';
import { measureStart } from './speed/measure-start.ts';
import type { Figures } from './speed/metrics.ts';
import { bareRelay, direct, nginx, portkey } from './speed/plain-targets.ts';
import { markdownReport, textReport } from './speed/report.ts';
import { gather, type Run } from './speed/results.ts';
import { createStage, type Stage } from './speed/stage.ts';
import { Missing, type Running, type Target } from './speed/target.ts';

const ROOT = join(import.meta.dir, '..');
const PAGE = join(ROOT, 'docs', 'performance.md');
const RESULTS = join(import.meta.dir, 'results');

interface Options {
  rounds: number;
  starts: number;
  ms: number;
  /** Maximum time to warm up a target. */
  warmUpMs: number;
  only: string[] | undefined;
}

type Round = Record<string, Figures>;

type Maker = (stage: Stage, crew: Crew) => Target | Missing | Promise<Target>;

const MAKERS: Record<string, Maker[]> = {
  direct: [(_, { upstream }) => direct(upstream.port, upstream.pid)],
  bare: [(stage, { upstream }) => bareRelay(stage, upstream.port)],
  nginx: [(stage, { upstream }) => nginx(stage, upstream.port)],
  portkey: [(stage, { upstream }) => portkey(stage, upstream.port)],
  sqlite: [(stage, { upstream }) => gatewayOnSqlite(stage, upstream.port)],
  postgres: [(stage, { upstream }) => gatewayOnPostgres(stage, upstream.port)],
  cores: [(stage, { upstream }) => gatewayOnAllCores(stage, upstream.port)],
  history: [youngGateway, grownGateway].map(
    (make): Maker =>
      (stage, { upstream }) =>
        make(stage, upstream.port),
  ),
};
/** Measured only if named. */
const EXTRAS = ['cores', 'history'];

/** Each round starts with another target, so that none always follows the same one. */
function turned<Value>(values: readonly Value[], by: number): Value[] {
  const at = by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
}

async function startRounds(crew: Crew, targets: readonly Target[], count: number): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < count; round++) {
    tell(`starts ${round + 1} of ${count}`);
    const figures: Round = {};
    for (const target of turned(targets, round)) {
      if (target.name !== 'direct') figures[target.name] = await measureStart(crew, target);
    }
    await crew.checkAccounts(targets);
    rounds.push(figures);
  }
  return rounds;
}

async function loadRounds(
  crew: Crew,
  targets: readonly Target[],
  { rounds: count, ms, warmUpMs }: Options,
): Promise<Round[]> {
  const running = new Map<Target, Running>();
  for (const target of targets) running.set(target, await target.start());
  const once = async (round: number, forMs: number) => {
    const figures: Round = {};
    for (const part of PARTS) {
      for (const target of turned(targets, round)) {
        const at = running.get(target);
        if (at) figures[target.name] = { ...figures[target.name], ...(await part(crew, target, at, forMs)) };
      }
    }
    await crew.checkAccounts(targets);
    return figures;
  };
  for (const [target, at] of running) {
    const requests = await warmUp(crew, target, at, warmUpMs);
    tell(`${target.label} is warm after ${requests.toLocaleString('en')} requests`);
  }
  const rounds: Round[] = [];
  for (let round = 0; round < count; round++) {
    tell(`round ${round + 1} of ${count}`);
    rounds.push(await once(round, ms));
  }
  for (const one of running.values()) await one.stop();
  return rounds;
}

function tell(text: string): void {
  console.error(`${text}…`);
}

async function measure(stage: Stage, options: Options): Promise<Run> {
  const startedAt = performance.now();
  const crew = await hireCrew(stage);
  const made: (Target | Missing)[] = [];
  tell('preparing');
  for (const [name, makers] of Object.entries(MAKERS)) {
    if (!(options.only?.includes(name) ?? !EXTRAS.includes(name))) continue;
    for (const make of makers) made.push(await make(stage, crew));
  }
  const targets = made.filter((one): one is Target => !(one instanceof Missing));
  const starts = await startRounds(crew, targets, options.starts);
  const loads = await loadRounds(crew, targets, options);
  const results = gather([...starts, ...loads]);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    options: { ...options },
    seconds: (performance.now() - startedAt) / 1000,
    targets: targets.map(({ name, label, description }) => ({ name, label, description })),
    missing: made.filter((one) => one instanceof Missing),
    results,
  };
}

function save(run: Run): void {
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    starts: { type: 'string' },
    ms: { type: 'string' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const options: Options = {
  rounds: Number(values.rounds ?? (values.quick ? 2 : 5)),
  starts: Number(values.starts ?? (values.quick ? 1 : 3)),
  ms: Number(values.ms ?? (values.quick ? 250 : 1_000)),
  warmUpMs: values.quick ? 2_000 : 45_000,
  only: values.only?.split(','),
};
const unknown = options.only?.filter((name) => !(name in MAKERS)) ?? [];
if (unknown.length > 0)
  throw new Error(`unknown target ${unknown.join(', ')}; --only accepts ${Object.keys(MAKERS).join(', ')}`);
if (process.platform !== 'linux') throw new Error('the bench reads /proc, which only Linux has');
const stage = createStage();
try {
  const run = await measure(stage, options);
  console.log(textReport(run));
  save(run);
  if (values.write) writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), 'results', markdownReport(run)));
} catch (error) {
  if (!stage.isEnding()) console.error(`\nThe bench failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await stage.end();
}
process.exit();
