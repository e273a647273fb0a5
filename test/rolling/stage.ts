// Nodes behind a load balancer on one database, with clients that call them. PostgreSQL has several nodes. SQLite has one.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayCommand } from '../support/bundled-program.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import type { TestDatabase, TestDatabases } from '../support/postgres.ts';
import { type Facts, noFacts } from '../torture/facts.ts';
import { type Server, startServer } from '../torture/server.ts';
import { tortureDocument } from '../torture/torture.ts';
import { startTortureUpstream, type TortureUpstream } from '../torture/upstream.ts';
import { type Tables, tablesOfFile, tablesOfPostgres } from '../torture/verify.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Load, type RollingKind, startLoad } from './load.ts';
import { type KillMade, type Sorted, type StopMade, sortFailures } from './sort-failures.ts';

/** The command line of a program, without arguments. Undefined is the program of this folder. */
export type Program = readonly string[] | undefined;

export interface Node {
  port: number;
  server: Server;
}

export interface Stage {
  /** Where the databases are made; undefined with SQLite. */
  postgres: TestDatabases | undefined;
  database: TestDatabase | undefined;
  dataDir: string;
  /** A path for a file that is removed with the stage. */
  path(name: string): string;
  tables: Tables;
  upstream: TortureUpstream;
  facts: Facts;
  /** The nodes that run, the oldest first. */
  nodes: Node[];
  /** What each process is started with. */
  env: Record<string, string>;
  load(without: readonly RollingKind[]): Load;
  /** Resolves when the balancer uses the node, which is then not yet one of `nodes`. */
  start(program: Program, port?: number): Promise<Node>;
  /** Starts as many nodes as the database allows, all at once. */
  startAll(program: Program): Promise<void>;
  /** When the balancer has a node again. */
  served(): Promise<number>;
  /** Kills the oldest node under load, and starts it again. */
  kill(program: Program): Promise<void>;
  drain(node: Node): Promise<void>;
  /** Drains all nodes at once; calls that begin from then on may find none. */
  drainAll(): Promise<StopMade>;
  /** Starts a process of a program that is not a node. */
  spawn(program: Program, args: readonly string[]): Promise<Spawned>;
  sorted(load: Load): Sorted;
  kills: readonly KillMade[];
  problems: string[];
  close(): Promise<void>;
}

export interface Spawned {
  exited: Promise<number>;
  stdout(): string;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
}

export interface StageOptions {
  /** SQLite if left out. */
  postgres?: TestDatabases | undefined;
  drainSeconds: number;
}

/** On PostgreSQL. */
export const NODES = 3;
const PEPPER = 'a pepper for the rolling restarts only';
/** Long enough for a balancer that checks every 200 ms, on a busy machine. */
const NOTICE_SECONDS = 2;
const START_MS = 90_000;

export async function openStage({ postgres, drainSeconds }: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-rolling-'));
  const dataDir = join(folder, 'data');
  const logs = join(folder, 'logs');
  mkdirSync(dataDir);
  mkdirSync(logs);
  const database = await postgres?.createDatabase({ empty: true });
  const tables = database ? tablesOfPostgres(database) : tablesOfFile(join(dataDir, 'gateway.sqlite'));
  const upstream = startTortureUpstream();
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, JSON.stringify(tortureDocument(upstream.baseUrl)));
  const env: Record<string, string> = {
    GATEWAY_CONFIG: config,
    SECRETS_PEPPER: PEPPER,
    ADMIN_PORT: '0',
    DRAIN_SECONDS: String(drainSeconds),
    DRAIN_NOTICE_SECONDS: String(NOTICE_SECONDS),
    ...(database ? { DATABASE_URL: database.url } : {}),
  };
  const balancer: Balancer = await startBalancer();
  const nodes: Node[] = [];
  const servers: Server[] = [];
  const facts = noFacts();
  const kills: KillMade[] = [];
  const stops: StopMade[] = [];
  const problems: string[] = [];
  let starts = 0;

  const stage: Stage = {
    postgres,
    database,
    dataDir,
    path: (name) => join(folder, name),
    tables,
    upstream,
    facts,
    nodes,
    env,
    kills,
    problems,
    load: (without) => startLoad(balancer.url, facts, without),
    async start(program, port) {
      const own = port ?? (await freePort());
      const command = program && [...program, 'serve'];
      const server = await startServer({ dataDir, port: own, env, command, logFile: join(logs, `${++starts}.log`) });
      servers.push(server);
      if (server.readyMs === undefined) throw new Error(`a node did not start: ${await server.stderr()}`);
      balancer.add(own);
      await eventually('the balancer uses the node', () => balancer.isReady(own), START_MS);
      return { port: own, server };
    },
    async startAll(program) {
      const count = database ? NODES : 1;
      nodes.push(...(await Promise.all(Array.from({ length: count }, () => stage.start(program)))));
    },
    async served() {
      await eventually('a node serves', balancer.hasReady, START_MS);
      return performance.now();
    },
    async kill(program) {
      const at = performance.now();
      const old = nodes.shift() as Node;
      const openBefore = balancer.connectionsTo(old.port) - balancer.openedTo(old.port);
      old.server.kill();
      await old.server.gone;
      const goneAt = performance.now();
      const connections = openBefore + balancer.openedTo(old.port);
      const hasOthers = nodes.length > 0;
      nodes.push(await stage.start(program, old.port));
      kills.push({ at, goneAt, connections, gapEndedAt: hasOthers ? at : performance.now() });
    },
    async drain({ server, port }) {
      const code = await server.drain();
      balancer.remove(port);
      if (code !== 0) problems.push(`a drained node ended with code ${code}`);
    },
    async drainAll() {
      const stop = { at: performance.now(), until: Number.POSITIVE_INFINITY };
      stops.push(stop);
      await Promise.all(nodes.splice(0).map(stage.drain));
      return stop;
    },
    async spawn(program, args) {
      const command = program ? [...program, ...args] : await gatewayCommand(args);
      const [out, err] = [join(logs, `${++starts}.stdout`), join(logs, `${starts}.stderr`)];
      const child = Bun.spawn(command, {
        cwd: dataDir,
        env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, PORT: String(await freePort()), ...env },
        stdin: 'ignore',
        stdout: Bun.file(out),
        stderr: Bun.file(err),
      });
      return {
        exited: child.exited,
        stdout: () => readFileSync(out, 'utf8'),
        stderr: () => readFileSync(err, 'utf8'),
        signal: (name) => child.kill(name),
      };
    },
    sorted: (load) => sortFailures(load, kills, stops, refusalsIn(logs)),
    async close() {
      balancer.close();
      for (const server of servers) server.kill();
      await Promise.all(servers.map(({ gone }) => gone));
      upstream.stop();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return stage;
}

/** Why nodes refused calls with an error of their own, by request. */
function refusalsIn(logs: string): Map<string, string> {
  const files = readdirSync(logs).filter((file) => file.endsWith('.log'));
  const lines = files.flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'));
  const faults = lines.filter((line) => line.includes('"event":"fault"')).map((line) => JSON.parse(line));
  return new Map(faults.map(({ request_id: id, detail }) => [String(id), String(detail)]));
}
