// Nodes behind a load balancer are restarted one after the other under load, once with a kill instead of a drain. PostgreSQL
// has several nodes. SQLite has one: the next process starts beside it on the same file, and takes over.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import type { TestDatabases } from '../support/postgres.ts';
import { noFacts } from '../torture/facts.ts';
import { type Server, startServer } from '../torture/server.ts';
import { tortureDocument } from '../torture/torture.ts';
import { startTortureUpstream } from '../torture/upstream.ts';
import { tablesOfFile, tablesOfPostgres, verify } from '../torture/verify.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Failure, type Load, type RollingKind, startLoad } from './load.ts';

/** Starts the server. Undefined is the program of this folder. */
export type Program = readonly string[] | undefined;

export interface Step {
  /** `replace` stops all nodes before the first of the next ones starts. */
  does: 'drain' | 'kill' | 'replace';
  /** What runs afterwards. */
  next: Program;
}

export interface RollingOptions {
  /** SQLite if left out. */
  postgres?: TestDatabases | undefined;
  /** What runs at first. */
  program?: Program;
  steps: readonly Step[];
  drainSeconds: number;
  /** Kinds of calls that are left out. */
  without?: readonly RollingKind[];
  onStep?(line: string): void;
}

export interface RollingReport {
  restarts: number;
  kills: number;
  completed: Load['completed'];
  reopened: number;
  /** How long the balancer had no node. */
  gapMs: number;
  /** Calls that failed though their node was not killed and they were shorter than a drain. */
  failed: Failure[];
  /** Long streams that a drain has cut. */
  cut: number;
  /** Calls that found no node, because the only one was killed. */
  inGap: number;
  /** Calls that a node refused because the machine was too busy to commit within 250 ms. */
  busy: number;
  /** Calls that a kill has broken. */
  killed: number;
  /** Of these, settled before the kill, though the last bytes were not delivered. */
  settledBeforeKill: number;
  problems: string[];
}

const NODES = 3;
const PEPPER = 'a pepper for the rolling restarts only';
/** Long enough for a balancer that checks every 200 ms, on a busy machine. */
const NOTICE_SECONDS = 2;
const START_MS = 90_000;
/** Load between two restarts. */
const BETWEEN_MS = 300;
const NOTICED_MS = 5_000;
const BUSY = 'store: waited too long for a commit';
const PAST = { drain: 'drained', kill: 'killed', replace: 'all stopped' };

export async function rollNodes(options: RollingOptions): Promise<RollingReport> {
  const { postgres, steps, drainSeconds, onStep } = options;
  const folder = mkdtempSync(join(tmpdir(), 'gateway-rolling-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const database = await postgres?.createDatabase({ empty: true });
  const tables = database ? tablesOfPostgres(database) : tablesOfFile(join(dataDir, 'gateway.sqlite'));
  const upstream = startTortureUpstream();
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, JSON.stringify(tortureDocument(upstream.baseUrl)));
  const env = {
    GATEWAY_CONFIG: config,
    SECRETS_PEPPER: PEPPER,
    ADMIN_PORT: '0',
    DRAIN_SECONDS: String(drainSeconds),
    DRAIN_NOTICE_SECONDS: String(NOTICE_SECONDS),
    ...(database ? { DATABASE_URL: database.url } : {}),
  };
  const balancer = await startBalancer();
  const nodes: Node[] = [];
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  let starts = 0;
  const start = async (program: Program, port?: number): Promise<Node> => {
    const own = port ?? (await freePort());
    const server = await startServer({
      dataDir,
      port: own,
      env,
      command: program,
      logFile: join(logs, `${++starts}.log`),
    });
    if (server.readyMs === undefined) throw new Error(`a node did not start: ${await server.stderr()}`);
    balancer.add(own);
    await eventually('the balancer uses the node', () => balancer.isReady(own), START_MS);
    return { port: own, server };
  };
  const facts = noFacts();
  const kills: KillMade[] = [];
  const problems: string[] = [];
  try {
    for (let n = 0; n < (database ? NODES : 1); n++) nodes.push(await start(options.program));
    const load = startLoad(balancer.url, facts, options.without ?? []);
    const withoutBefore = balancer.withoutNodeMs();
    for (const [number, { does, next }] of steps.entries()) {
      await Bun.sleep(BETWEEN_MS);
      const begunAt = performance.now();
      const old = nodes.shift() as Node;
      if (does === 'kill') {
        const openBefore = balancer.connectionsTo(old.port) - balancer.openedTo(old.port);
        old.server.kill();
        await old.server.gone;
        const goneAt = performance.now();
        const connections = openBefore + balancer.openedTo(old.port);
        const hasOthers = nodes.length > 0;
        nodes.push(await start(next, old.port));
        kills.push({ at: begunAt, goneAt, connections, gapEndedAt: hasOthers ? begunAt : performance.now() });
      } else if (does === 'replace') {
        const all = [old, ...nodes.splice(0)];
        problems.push(...(await Promise.all(all.map((node) => drain(node, balancer)))).flat());
        nodes.push(...(await Promise.all(all.map(({ port }) => start(next, port)))));
      } else if (database) {
        problems.push(...(await drain(old, balancer)));
        nodes.push(await start(next, old.port));
      } else {
        nodes.push(await start(next));
        problems.push(...(await drain(old, balancer)));
      }
      const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
      onStep?.(`${number + 1}: ${PAST[does]} and started again in ${seconds} s`);
    }
    await Bun.sleep(BETWEEN_MS);
    await load.stop();
    const report = sortFailures(load, kills, refusalsIn(logs));
    const charged = await chargedOf(tables.ask, report.broken);
    const { url } = nodes[0]?.server ?? { url: '' };
    problems.push(...(await verify(tables, url, facts, upstream.begun, true)).problems);
    const killedIds = new Set(report.killed.map(({ requestId }) => requestId));
    const wronglyCharged = charged.filter((id) => !killedIds.has(id));
    problems.push(...wronglyCharged.map((id) => `${id} failed and was charged`));
    return {
      restarts: steps.length,
      kills: kills.length,
      completed: load.completed,
      reopened: load.reopened,
      gapMs: balancer.withoutNodeMs() - withoutBefore,
      failed: report.failed,
      cut: report.cut,
      inGap: report.inGap,
      busy: report.busy,
      killed: report.killed.length,
      settledBeforeKill: charged.length - wronglyCharged.length,
      problems,
    };
  } finally {
    balancer.close();
    for (const { server } of nodes) server.kill();
    await Promise.all(nodes.map(({ server }) => server.gone));
    upstream.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Node {
  port: number;
  server: Server;
}

async function drain({ server, port }: Node, balancer: Balancer): Promise<string[]> {
  const code = await server.drain();
  balancer.remove(port);
  return code === 0 ? [] : [`a drained node ended with code ${code}`];
}

interface KillMade {
  at: number;
  /** Until then its port may still have taken connections. */
  goneAt: number;
  /** To its node, also those begun before it was gone. */
  connections: number;
  /** When there was a node again; the moment of the kill if there were others. */
  gapEndedAt: number;
}

/** A kill may break as many calls as there were connections to its node. Without another node, those in the gap fail, too. */
function sortFailures(load: Load, kills: readonly KillMade[], refusals: ReadonlyMap<string, string>) {
  const left = kills.map(({ connections }) => connections);
  const killed: Failure[] = [];
  const failed: Failure[] = [];
  let cut = 0;
  let inGap = 0;
  let busy = 0;
  for (const failure of load.failures) {
    const kill = kills.findIndex(
      ({ at, goneAt }, index) =>
        failure.beganAt < goneAt &&
        failure.endedAt >= at &&
        failure.endedAt < at + NOTICED_MS &&
        (left[index] ?? 0) > 0,
    );
    if (kill >= 0) {
      left[kill] = (left[kill] ?? 0) - 1;
      killed.push(failure);
    } else if (kills.some((one) => isInGap(failure, one))) inGap++;
    else if (failure.kind === 'long stream' && failure.why.includes('unavailable')) cut++;
    else {
      const refusal = refusals.get(failure.requestId ?? '');
      if (refusal === BUSY) busy++;
      else failed.push({ ...failure, why: `${refusal ?? ''} ${failure.why}`.trim() });
    }
  }
  return { killed, failed, cut, inGap, busy, broken: load.failures.flatMap(({ requestId }) => requestId ?? []) };
}

function isInGap({ beganAt, endedAt }: Failure, { at, gapEndedAt }: KillMade): boolean {
  return gapEndedAt > at && endedAt >= at && beganAt < gapEndedAt;
}

/** Why nodes refused calls with an error of their own, by request. */
function refusalsIn(logs: string): Map<string, string> {
  const lines = readdirSync(logs).flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'));
  const faults = lines.filter((line) => line.includes('"event":"fault"')).map((line) => JSON.parse(line));
  return new Map(faults.map(({ request_id: id, detail }) => [String(id), String(detail)]));
}

async function chargedOf(
  ask: (questions: readonly string[]) => Promise<Record<string, unknown>[][]>,
  requestIds: readonly string[],
): Promise<string[]> {
  if (requestIds.length === 0) return [];
  const ids = requestIds.map((id) => `'${id}'`).join();
  const [rows = []] = await ask([`SELECT reference AS id FROM entries WHERE kind = 'usage' AND reference IN (${ids})`]);
  return rows.map(({ id }) => String(id));
}
