// `npm run bench`: this gateway with billing on, against a bare relay, nginx and Portkey, in one run of interleaved rounds.
// A wrong answer or a ledger difference of one nano ends it. Options: --quick (a minute or two), --rounds N, --starts N,
// --ms N (of each measurement), --write (the tables into docs/performance.md), --record, --only NAME,NAME of direct, bare,
// nginx, portkey, sqlite, postgres, and two that are measured only if named: cores, which is PostgreSQL with a process per core,
// and history, which compares SQLite with 200,000 usage records and with 2,000; --rival NAME=COMMAND, which adds a gateway that
// you have; --against REF, which compares this source with that of a commit and fails if a figure is more than 10 % worse.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withPart } from '../scripts/generate.ts';
import { recordFigures } from '../scripts/record-figures.ts';
import { programOf } from '../test/support/other-program.ts';
import { compare, compareReport } from './speed/against.ts';
import { type Crew, hireCrew } from './speed/crew.ts';
import {
  gatewayIn,
  gatewayOnAllCores,
  gatewayOnPostgres,
  gatewayOnSqlite,
  grownGateway,
  youngGateway,
} from './speed/gateway-target.ts';
import { describeMachine } from './speed/machine.ts';
import { PARTS, warmUp } from './speed/measure-load.ts';
import { measureStart } from './speed/measure-start.ts';
import { type Figures, METRICS } from './speed/metrics.ts';
import { bareRelay, direct, nginx, portkey, rival } from './speed/plain-targets.ts';
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
  rivals: string[];
  /** Only this source and that at the commit are measured. */
  against: string | undefined;
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
/** A comparison needs more rounds: two sources differ by less than two programs. */
const AGAINST_ROUNDS = 3;
const MIN_AGAINST_ROUNDS = 4;
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

async function makeTargets(
  stage: Stage,
  crew: Crew,
  { only, rivals, against }: Options,
): Promise<(Target | Missing)[]> {
  const { port } = crew.upstream;
  if (against !== undefined) {
    const { folder, commit, remove } = await programOf(against);
    stage.onEnd(async () => remove());
    return [await gatewayIn(stage, port, folder, commit), await gatewayOnSqlite(stage, port)];
  }
  const made: (Target | Missing)[] = [];
  for (const [name, makers] of Object.entries(MAKERS)) {
    if (!(only?.includes(name) ?? !EXTRAS.includes(name))) continue;
    for (const make of makers) made.push(await make(stage, crew));
  }
  return [...made, ...rivals.map((given) => rival(stage, port, given))];
}

async function measure(stage: Stage, options: Options): Promise<{ run: Run; rounds: Round[] }> {
  const startedAt = performance.now();
  const crew = await hireCrew(stage);
  tell('preparing');
  const made = await makeTargets(stage, crew, options);
  const targets = made.filter((one): one is Target => !(one instanceof Missing));
  const starts = await startRounds(crew, targets, options.starts);
  const loads = await loadRounds(crew, targets, options);
  const rounds = [...starts, ...loads];
  const run = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    options: { ...options },
    seconds: (performance.now() - startedAt) / 1000,
    targets: targets.map(({ name, label, description }) => ({ name, label, description })),
    missing: made.filter((one) => one instanceof Missing),
    results: gather(rounds),
  };
  return { run, rounds };
}

function record({ results: { sqlite } }: Run, command: string): void {
  const recorded = [
    'cpu64',
    'p50_1',
    'firstToken',
    'chunkCpu',
    'slowChunkCpu',
    'agentCpu1000',
    'streamMemory',
  ] as const;
  const figures = recorded.flatMap((metric) => {
    const { label, unit, decimals } = METRICS[metric];
    const result = sqlite?.[metric];
    return result ? [[label, `${result.figure.median.toFixed(decimals)} ${unit}`]] : [];
  });
  recordFigures('speed', command, Object.fromEntries(figures));
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
    record: { type: 'boolean', default: false },
    rival: { type: 'string', multiple: true, default: [] },
    against: { type: 'string' },
  },
});
const options: Options = {
  rounds: Number(values.rounds ?? (values.quick ? 2 : 5) * (values.against === undefined ? 1 : AGAINST_ROUNDS)),
  starts: Number(values.starts ?? (values.quick ? 1 : 3)),
  ms: Number(values.ms ?? (values.quick ? 250 : 1_000)),
  warmUpMs: values.quick ? 2_000 : 60_000,
  only: values.only?.split(','),
  rivals: values.rival,
  against: values.against,
};
const unknown = options.only?.filter((name) => !(name in MAKERS)) ?? [];
if (unknown.length > 0)
  throw new Error(`unknown target ${unknown.join(', ')}; --only accepts ${Object.keys(MAKERS).join(', ')}`);
if (options.against !== undefined && options.rounds < MIN_AGAINST_ROUNDS)
  throw new Error(`a comparison needs at least ${MIN_AGAINST_ROUNDS} rounds: quartiles of fewer say nothing`);
if (process.platform !== 'linux') throw new Error('the bench reads /proc, which only Linux has');
const stage = createStage();
try {
  const { run, rounds } = await measure(stage, options);
  console.log(textReport(run));
  save(run);
  if (values.record)
    record(run, ['npm run bench --', ...process.argv.slice(2).filter((arg) => arg !== '--record')].join(' '));
  if (options.against !== undefined) {
    const compared = compare(rounds);
    console.log(`\n${compareReport(options.against, compared)}`);
    if (compared.some(({ isWorse }) => isWorse)) process.exitCode = 1;
  }
  if (values.write) writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), 'results', markdownReport(run)));
} catch (error) {
  if (!stage.isEnding()) console.error(`\nThe bench failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await stage.end();
}
process.exit();
