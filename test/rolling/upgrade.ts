// An upgrade to a schema that the older version cannot run on: under load, all nodes are stopped, the database is copied, and
// all nodes of the newer version start. Then back: the copy is restored, and the older version runs on it. In between, each
// version must be refused beside the other, and a node of each is killed.

import { LEASE_MS } from '../../src/server/jobs/keep-lease.ts';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase, TestDatabases } from '../support/postgres.ts';
import { redeem, register } from '../torture/calls.ts';
import { countFacts, type Facts } from '../torture/facts.ts';
import { findLost, tablesOfFile, tablesOfPostgres, verify } from '../torture/verify.ts';
import { chargedOf } from './charged-of.ts';
import type { Load, RollingKind } from './load.ts';
import type { Sorted } from './sort-failures.ts';
import { openStage, type Program, type Stage } from './stage.ts';

export interface UpgradeOptions {
  /** SQLite if left out. */
  postgres?: TestDatabases | undefined;
  /** The older version. */
  from: Program;
  drainSeconds: number;
  /** Kinds of calls that the older version does not have. */
  without: readonly RollingKind[];
  onStep?(line: string): void;
}

export interface UpgradeReport extends Pick<Sorted, 'failed' | 'inGap' | 'busy'> {
  kills: number;
  killed: number;
  completed: number;
  /** Calls that ran at the signal to all nodes, and were complete. */
  drained: number;
  /** From the signal to all nodes until one of the newer version served. */
  gapMs: number;
  /** The parts of it. */
  drainMs: number;
  copyMs: number;
  startMs: number;
  /** Registrations, cards and requests acknowledged before the stop. */
  acknowledged: number;
  /** From the signal to all nodes of the newer version until the older one served on the copy. */
  backMs: number;
  problems: string[];
}

const CARDS = 20;
const CARD_NTD = 5;
/** Complete calls between two steps. */
const CALLS = 60;
const STEP_MS = 120_000;
/** With PostgreSQL the newer version waits for the end of the older one; with SQLite it ends. */
const OLDER_RUNS = 'a server of an older version is running on';
const NEWER_SCHEMA = 'the database is from a newer version';

export async function upgradeNodes(options: UpgradeOptions): Promise<UpgradeReport> {
  const { from, without, onStep = () => {} } = options;
  const to = undefined;
  const stage = await openStage(options);
  const { problems, facts } = stage;
  try {
    await stage.startAll(from);
    const cards = await issueCards(stage, from);
    const load = stage.load(without);
    const url = () => stage.nodes[0]?.server.url ?? '';
    await completeCalls(load);
    await redeemCards(url(), facts, cards.splice(0, CARDS / 2));
    await stage.kill(from);
    onStep('a node of the older version was killed and started again');
    await completeCalls(load);
    await expectNewerWaits(stage, to);
    onStep('beside the older version, the newer one changes nothing');
    await leaseOfKilledEnds(stage);

    const eventsSince = Date.now();
    const stop = await stage.drainAll();
    const drainedAt = performance.now();
    const before = copyOf(facts);
    const copy = await copyDatabase(stage, from);
    const copiedAt = performance.now();
    const started = stage.startAll(to);
    stop.until = await Promise.race([stage.served(), started.then(() => performance.now())]);
    await started;
    onStep('all nodes of the newer version serve');
    await completeCalls(load);
    await redeemCards(url(), facts, cards);
    await stage.kill(to);
    onStep('a node of the newer version was killed and started again');
    await completeCalls(load);
    await expectOlderRefused(stage, from);
    onStep('on the new schema, the older version is refused');
    await load.stop();
    const drained = load.completedAcross(stop.at);
    if (drained === 0) problems.push('no call ran at the stop');
    const { failed, inGap, busy, killed, broken } = stage.sorted(load);
    const killedIds = new Set(killed.map(({ requestId }) => requestId));
    const charged = (await chargedOf(stage.tables, broken)).filter((id) => !killedIds.has(id));
    problems.push(...charged.map((id) => `${id} failed and was charged`));
    const { begun } = stage.upstream;
    problems.push(...(await verify(stage.tables, url(), facts, begun, true, eventsSince)).problems);

    await leaseOfKilledEnds(stage);
    const back = await stage.drainAll();
    await restore(stage, from, copy, before);
    back.until = performance.now();
    onStep('the older version serves on the copy');
    return {
      kills: stage.kills.length,
      failed,
      inGap,
      busy,
      killed: killed.length,
      completed: completedIn(load),
      drained,
      gapMs: stop.until - stop.at,
      drainMs: drainedAt - stop.at,
      copyMs: copiedAt - drainedAt,
      startMs: stop.until - copiedAt,
      acknowledged: countFacts(before),
      backMs: back.until - back.at,
      problems,
    };
  } finally {
    await stage.close();
  }
}

function completedIn({ completed }: Load): number {
  return [...completed.values()].reduce((sum, count) => sum + count, 0);
}

async function completeCalls(load: Load): Promise<void> {
  const enough = completedIn(load) + CALLS;
  await eventually(`${CALLS} calls are complete`, () => completedIn(load) >= enough, STEP_MS);
}

/** Until then a killed node counts as running. */
async function leaseOfKilledEnds({ kills }: Stage): Promise<void> {
  const endsAt = Math.max(...kills.map(({ goneAt }) => goneAt)) + LEASE_MS;
  await eventually('the lease of the killed node has ended', () => performance.now() > endsAt, STEP_MS);
}

function copyOf({ accounts, redeems, requests, keys }: Facts): Facts {
  return { accounts: [...accounts], redeems: [...redeems], requests: [...requests], keys: [...keys] };
}

async function run(stage: Stage, program: Program, args: readonly string[]): Promise<string> {
  const process = await stage.spawn(program, args);
  const code = await process.exited;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${code}: ${process.stderr()}`);
  return process.stdout();
}

async function issueCards(stage: Stage, program: Program): Promise<string[]> {
  const args = ['cards', 'issue', '--amount', String(CARD_NTD), '--count', String(CARDS), '--json'];
  const cards: Answer[] = JSON.parse(await run(stage, program, args));
  return cards.map(({ code }) => String(code));
}

async function redeemCards(url: string, facts: Facts, codes: readonly string[]): Promise<void> {
  const account = await register({ url, facts });
  for (const code of codes) await redeem({ url, facts }, account, code);
}

async function expectNewerWaits(stage: Stage, program: Program): Promise<void> {
  const newer = await stage.spawn(program, ['serve']);
  const words = () => newer.stdout() + newer.stderr();
  await eventually('the newer version says that an older one runs', () => words().includes(OLDER_RUNS), STEP_MS);
  if (stage.database) newer.signal('SIGTERM');
  const code = await newer.exited;
  if (!stage.database && code !== 1) stage.problems.push(`beside an older server, a newer one ended with code ${code}`);
}

async function expectOlderRefused(stage: Stage, program: Program): Promise<void> {
  const older = await stage.spawn(program, ['serve']);
  const code = await older.exited;
  if (code === 1 && older.stderr().includes(NEWER_SCHEMA)) return;
  stage.problems.push(`on a newer schema, an older server ended with code ${code}: ${older.stderr()}`);
}

/** Of a database that no node runs on: a file of `backup`, or a copy that PostgreSQL makes. */
async function copyDatabase(stage: Stage, program: Program): Promise<TestDatabase | string> {
  const { postgres, database } = stage;
  if (postgres && database) return postgres.createDatabase({ copyOf: database });
  const file = stage.path('backup.sqlite');
  await run(stage, program, ['backup', file]);
  return file;
}

/** Everything that was acknowledged before the stop must be there. */
async function restore(stage: Stage, program: Program, copy: TestDatabase | string, before: Facts): Promise<void> {
  if (typeof copy === 'string') await run(stage, program, ['restore', copy]);
  else stage.env.DATABASE_URL = copy.url;
  await run(stage, program, ['ledger', 'audit']);
  await stage.startAll(program);
  const tables = typeof copy === 'string' ? tablesOfFile(`${stage.dataDir}/gateway.sqlite`) : tablesOfPostgres(copy);
  stage.problems.push(...(await findLost(tables, before, stage.upstream.begun)).map((one) => `restored: ${one}`));
}
