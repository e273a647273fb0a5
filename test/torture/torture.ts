// Kills the server again and again under load, starts it again, and looks whether everything it has acknowledged is true.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCardCode, createCardHasher, createSerial } from '../../src/accounts/card-code.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { systemRandom } from '../../src/kit/random.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { freePort } from '../support/free-port.ts';
import type { TestDatabase, TestDatabases } from '../support/postgres.ts';
import { type CallEnd, type Caller, chat, createKey, redeem, register, UnexpectedAnswer } from './calls.ts';
import { type Account, addFacts, countFacts, type Facts, noFacts } from './facts.ts';
import { type Server, startServer } from './server.ts';
import { startTortureUpstream, type TortureUpstream } from './upstream.ts';
import { type Tables, tablesOfFile, tablesOfPostgres, type Verified, verify } from './verify.ts';

export interface Kill {
  /** A kill point with how often it is reached (`mid-stream:30`), or a time under load. */
  at: string | { afterMs: number };
}

export interface KillReport {
  kill: string;
  /** How long the start after this kill took. */
  readyMs: number;
  acknowledged: number;
  problems: string[];
}

export interface TortureSummary {
  kills: KillReport[];
  facts: Facts;
  billed: number;
  entries: number;
  upstreamCalls: number;
}

const PEPPER = 'a pepper for the torture only';
const WORKERS = 24;
/** The load redeems fewer before a kill. */
const CARDS_PER_KILL = 20;
const MIN_CARDS = 200;
const CARD_AMOUNT = 5_000_000_000n;
/** A kill point that the load does not reach in this time is a fault of the plan. */
const REACH_MS = 60_000;
/** Kills with calls under way, so that the next start has something to sweep. */
const ORPHANING = 'mid-stream:10';

export interface Rack {
  upstream: TortureUpstream;
  /** Undefined with PostgreSQL. */
  databaseFile: string | undefined;
  tables: Tables;
  cards: string[];
  all: Facts;
  start(killAt?: string): Promise<Server>;
  verify(server: Server, facts: Facts, isThorough?: boolean): Promise<Verified>;
  remove(): Promise<void>;
}

export interface RackOptions {
  /** Where a database is made for it; SQLite if left out. */
  postgres?: TestDatabases | undefined;
  cards?: number;
}

/** A database with its catalog and cards, and an upstream: everything but a running server. */
export async function prepareRack({ postgres, cards: count = MIN_CARDS }: RackOptions = {}): Promise<Rack> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-torture-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const file = join(dataDir, 'gateway.sqlite');
  const database = await postgres?.createDatabase();
  const tables = database ? tablesOfPostgres(database) : tablesOfFile(file);
  const upstream = startTortureUpstream();
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, JSON.stringify(tortureDocument(upstream.baseUrl)));
  const port = await freePort();
  const env = { GATEWAY_CONFIG: config, ...environmentOf(database) };
  const cards = await issueCards(
    database
      ? await openPostgresStore({ url: database.url, clock: systemClock })
      : await openSqliteStore({ file, clock: systemClock }),
    PEPPER,
    count,
  );
  return {
    upstream,
    databaseFile: database ? undefined : file,
    tables,
    cards,
    all: noFacts(),
    start: (killAt) => startServer({ dataDir, port, env, killAt }),
    verify: (server, facts, isThorough) => verify(tables, server.url, facts, upstream.begun, isThorough),
    async remove() {
      upstream.stop();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function environmentOf(database: TestDatabase | undefined): Record<string, string> {
  return { SECRETS_PEPPER: PEPPER, ...(database ? { DATABASE_URL: database.url } : {}) };
}

export function addSummary(sum: TortureSummary, part: TortureSummary): void {
  sum.kills.push(...part.kills);
  addFacts(sum.facts, part.facts);
  sum.billed += part.billed;
  sum.entries += part.entries;
  sum.upstreamCalls += part.upstreamCalls;
}

/** On one database, whose ledger grows with each kill, and so does the audit after it: 100 kills are enough. */
export async function torture(
  kills: readonly Kill[],
  onKill: (report: KillReport) => void,
  postgres?: TestDatabases,
): Promise<TortureSummary> {
  const rack = await prepareRack({ postgres, cards: Math.max(MIN_CARDS, CARDS_PER_KILL * kills.length) });
  const reports: KillReport[] = [];
  let server: Server | undefined;
  let pending: { kill: string; facts: Facts; problems: string[] } | undefined;
  /** Every start is also the proof of what the kill before it has left. */
  const startAndVerify = async (killAt?: string): Promise<Server> => {
    server = await rack.start(killAt);
    if (!pending) return server;
    const { problems } = await rack.verify(server, pending.facts);
    addFacts(rack.all, pending.facts);
    const report = {
      kill: pending.kill,
      readyMs: server.readyMs ?? Number.POSITIVE_INFINITY,
      acknowledged: countFacts(pending.facts),
      problems: [...pending.problems, ...problems],
    };
    reports.push(report);
    onKill(report);
    return server;
  };
  try {
    for (const { at } of kills) {
      const inSweep = typeof at === 'string' && at.startsWith('inside-sweep');
      const first = inSweep ? ORPHANING : at;
      const running = await startAndVerify(typeof first === 'string' ? first : undefined);
      const facts = noFacts();
      const problems = await loadUntilDead(rack, running, facts, first);
      if (inSweep) {
        server = await rack.start(at);
        if (server.readyMs !== undefined) problems.push('there was nothing to sweep');
        server.kill();
        await server.gone;
      }
      pending = { kill: typeof at === 'string' ? at : `after ${Math.round(at.afterMs)} ms`, facts, problems };
    }
    const last = await startAndVerify();
    const { problems, billed, entries } = await rack.verify(last, rack.all, true);
    if (problems.length > 0) reports.push({ kill: 'all together', readyMs: 0, acknowledged: 0, problems });
    return { kills: reports, facts: rack.all, billed, entries, upstreamCalls: rack.upstream.total() };
  } finally {
    server?.kill();
    await server?.gone;
    await rack.remove();
  }
}

/** A first start that dies in its migration (inside-migration), and the start after it. */
export async function killFirstStart(postgres?: TestDatabases): Promise<KillReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-torture-'));
  const database = await postgres?.createDatabase({ empty: true });
  const tables = database ? tablesOfPostgres(database) : tablesOfFile(join(dataDir, 'gateway.sqlite'));
  const options = { dataDir, port: await freePort(), env: environmentOf(database) };
  const facts = noFacts();
  let server: Server | undefined;
  try {
    const dying = await startServer({ ...options, killAt: 'inside-migration' });
    const { signal } = await dying.gone;
    server = await startServer(options);
    await register({ url: server.url, facts });
    const { problems } = await verify(tables, server.url, facts, new Map());
    if (signal !== 'SIGKILL') problems.push('the migration was not killed');
    return { kill: 'inside-migration', readyMs: server.readyMs ?? Number.POSITIVE_INFINITY, acknowledged: 0, problems };
  } finally {
    server?.kill();
    await server?.gone;
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function loadUntilDead(rack: Rack, server: Server, facts: Facts, at: Kill['at']): Promise<string[]> {
  const problems: string[] = [];
  const caller: Caller = { url: server.url, facts };
  const accounts: Account[] = rack.all.accounts.slice(-20);
  const workers = Array.from({ length: WORKERS }, async () => {
    while (!server.isGone()) {
      try {
        await act(rack, caller, accounts);
      } catch (error) {
        if (error instanceof UnexpectedAnswer && !server.isGone()) problems.push(error.message);
        if (!server.isGone()) await Bun.sleep(1);
      }
    }
  });
  const end = () => {
    if (typeof at === 'string') problems.push(`${at} was not reached within ${REACH_MS} ms`);
    server.kill();
  };
  const timer = setTimeout(end, typeof at === 'string' ? REACH_MS : at.afterMs);
  await server.gone;
  clearTimeout(timer);
  await Promise.all(workers);
  return problems;
}

/** One call of the mix, by one of these accounts. */
export async function act({ cards }: Pick<Rack, 'cards'>, caller: Caller, accounts: Account[]): Promise<CallEnd> {
  const account = accounts[Math.floor(Math.random() * accounts.length)];
  const choice = Math.random() * 20;
  if (!account || choice < 2) {
    accounts.push(await register(caller));
    return 'acknowledged';
  }
  const code = choice < 4 ? cards.pop() : undefined;
  if (code !== undefined) {
    await redeem(caller, account, code);
    return 'acknowledged';
  }
  if (choice < 5) {
    await createKey(caller, account);
    return 'acknowledged';
  }
  if (choice < 9) return chat(caller, account, 'paid json');
  if (choice < 15) return chat(caller, account, 'paid stream');
  if (choice < 16) return chat(caller, account, 'free json');
  if (choice < 17) return chat(caller, account, 'free stream');
  return chat(caller, account, 'hang up');
}

export function tortureDocument(baseUrl: string) {
  const many = 1_000_000;
  const paid = (id: string) => ({
    id,
    max_output_tokens: 1_000,
    price: { input: 10, output: 40.123 },
    routes: [{ channel: 'up', model: id }],
  });
  return {
    channels: [{ name: 'up', kind: 'openai', base_url: baseUrl, api_key: 'torture', endpoints: ['chat'] }],
    models: [
      { id: 'auto:free', price: 'free', routes: [{ channel: 'up', model: 'free' }] },
      paid('paid'),
      paid('second'),
      paid('long'),
    ],
    limits: {
      register_per_ip: many,
      register_per_day: many,
      free_per_minute: many,
      free_per_day_zero: many,
      free_per_day_positive: many,
      paid_per_minute: many,
      in_flight: many,
    },
    guards: { free_in_flight: null, register_attempts_per_minute: null },
  };
}

/** Closes the store. */
export async function issueCards(store: Store, pepper: string, count = MIN_CARDS): Promise<string[]> {
  const hash = createCardHasher(pepper);
  const codes = Array.from({ length: count }, () => createCardCode(systemRandom));
  await store.commit('issue', {
    batch: {
      batchId: 'batch_torture',
      kind: 'sold',
      amount: CARD_AMOUNT,
      count,
      expiresAt: null,
      note: null,
      createdAt: Date.now(),
    },
    cards: codes.map((code) => ({ hash: hash(code), serial: createSerial(systemRandom) })),
  });
  return codes;
}
