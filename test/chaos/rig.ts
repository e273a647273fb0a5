// Real gateways on a real PostgreSQL, with a wire that can be broken between each of them and the database, and one between
// them and the upstream; and a check of everything they have acknowledged.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgres, type TestPostgres, type TestStandby } from '../support/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import type { Facts } from '../torture/facts.ts';
import { type Server, type ServerOptions, startServer } from '../torture/server.ts';
import { issueCards, tortureDocument } from '../torture/torture.ts';
import { startTortureUpstream, type TortureUpstream } from '../torture/upstream.ts';
import { tablesOfPostgres, verify } from '../torture/verify.ts';

export interface Node {
  server: Server;
  url: string;
  /** To the first PostgreSQL. */
  wire: TcpProxy;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  resume(): void;
  /** At some moment since this time of `performance.now()`. */
  wasFrozen(since: number): boolean;
}

export interface Rig {
  postgres: TestPostgres;
  /** Commits wait for it. */
  standby: TestStandby | undefined;
  nodes: readonly Node[];
  upstream: TortureUpstream;
  /** To the upstream of the first route; the second one has none. */
  upstreamWire: TcpProxy;
  cards: string[];
  /** What contradicts these facts or the ledger itself, on the primary, once every hold is closed. */
  verify(facts: Facts, primary?: { port: number }): Promise<string[]>;
  stop(): Promise<void>;
}

const PEPPER = 'a pepper for broken networks only';
const CARDS = 1_000;
const START_ATTEMPTS = 5;
/** So that a silent upstream is given up while a test runs. */
const TIMEOUTS = { first_token_ms: 2_000, idle_ms: 2_000, total_ms: 3_000 };
/** Other nodes release the holds of a node that is gone after 75 s. */
const HOLDS_CLOSED_MS = 150_000;
/** Each question opens a connection. */
const ASK_EVERY_MS = 100;

export async function startRig(options: { nodes?: number; hasStandby?: boolean } = {}): Promise<Rig> {
  const { nodes: count = 2, hasStandby = false } = options;
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const postgres = await startPostgres();
    ends.push(postgres.stop);
    const standby = hasStandby ? await postgres.addStandby() : undefined;
    const { url } = await postgres.createDatabase();
    const cards = await prepareCards(url);
    const upstream = startTortureUpstream();
    ends.push(upstream.stop);
    const upstreamWire = await startTcpProxy(Number(new URL(upstream.baseUrl).port));
    ends.push(upstreamWire.close);
    const config = join(folder, 'gateway.yaml');
    writeFileSync(config, JSON.stringify(chaosDocument(upstream.baseUrl, upstreamWire)));
    const startNode = async (index: number): Promise<Node> => {
      const wire = await startTcpProxy(postgres.port);
      ends.push(wire.close);
      const hosts = [wire, ...(standby ? [standby] : [])].map(({ port }) => `127.0.0.1:${port}`).join();
      const env = {
        GATEWAY_CONFIG: config,
        SECRETS_PEPPER: PEPPER,
        ADMIN_PORT: '0',
        DATABASE_URL: url.replace(new URL(url).host, hosts),
      };
      const dataDir = join(folder, `node-${index}`);
      mkdirSync(dataDir);
      const server = await startReady({ dataDir, port: await freePort(), env });
      ends.push(async () => {
        server.kill();
        await server.gone;
      });
      return { server, url: server.url, wire, ...freezer(server) };
    };
    const nodes: Node[] = [];
    for (let index = 0; index < count; index++) nodes.push(await startNode(index));

    return {
      postgres,
      standby,
      nodes,
      upstream,
      upstreamWire,
      cards,
      async verify(facts, primary = postgres) {
        const at = url.replace(new URL(url).host, `127.0.0.1:${primary.port}`);
        const database = new URL(url).pathname.slice(1);
        const problems: string[] = [];
        const open = 'SELECT 1 FROM holds LIMIT 1';
        const runAt = primary.port === standby?.port ? standby.run : postgres.run;
        await eventually(
          'every hold is closed',
          async () => (await runAt(open, database)).length === 0,
          HOLDS_CLOSED_MS,
          ASK_EVERY_MS,
        ).catch((error: Error) => problems.push(error.message));
        const verified = await verify(tablesOfPostgres({ url: at }), nodes[0]?.url ?? '', facts, upstream.begun, true);
        return [...problems, ...verified.problems];
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A node gives up if the database does not answer in time; on a busy machine that may be so, and then it is started again. */
async function startReady(options: ServerOptions): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server = await startServer(options);
    if (server.readyMs !== undefined) return server;
    if (attempt === START_ATTEMPTS) throw new Error(`a node did not start: ${await server.stderr()}`);
  }
}

function freezer({ pid }: Server): Pick<Node, 'freeze' | 'resume' | 'wasFrozen'> {
  let frozenUntil = Number.NEGATIVE_INFINITY;
  return {
    freeze() {
      frozenUntil = Number.POSITIVE_INFINITY;
      process.kill(pid, 'SIGSTOP');
    },
    resume() {
      process.kill(pid, 'SIGCONT');
      if (frozenUntil === Number.POSITIVE_INFINITY) frozenUntil = performance.now();
    },
    wasFrozen: (since) => frozenUntil >= since,
  };
}

async function prepareCards(url: string): Promise<string[]> {
  return issueCards(await openPostgresStore({ url, clock: systemClock }), PEPPER, CARDS);
}

/** As for kills, with a second route that no wire leads to. */
function chaosDocument(baseUrl: string, wire: TcpProxy) {
  const { channels, models, ...rest } = tortureDocument(`http://127.0.0.1:${wire.port}/v1`);
  return {
    ...rest,
    channels: [
      ...channels.map((channel) => ({ ...channel, timeouts: TIMEOUTS })),
      { name: 'spare', kind: 'openai', base_url: baseUrl, api_key: 'chaos' },
    ],
    models: models.map((model) => ({
      ...model,
      routes: [
        ...model.routes.map((route) => ({ ...route, priority: 1 })),
        { channel: 'spare', model: model.routes[0]?.model, priority: 2 },
      ],
    })),
  };
}
