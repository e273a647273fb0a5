// Kills the server again and again under load, starts it again, and looks whether everything it has acknowledged is true.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCardCode, createCardHasher, createSerial } from '../../src/accounts/card-code.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { systemRandom } from '../../src/kit/random.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { freePort } from '../support/free-port.ts';
import { type Caller, chat, createKey, redeem, register, UnexpectedAnswer } from './calls.ts';
import { type Account, addFacts, countFacts, type Facts, noFacts } from './facts.ts';
import { type Server, startServer } from './server.ts';
import { startTortureUpstream, type TortureUpstream } from './upstream.ts';
import { type Verified, verify } from './verify.ts';

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
const CARDS = 4_000;
const CARD_AMOUNT = 5_000_000_000n;
/** A kill point that the load does not reach in this time is a fault of the plan. */
const REACH_MS = 60_000;
/** Load before a kill in the sweep, so that it has something to sweep; again if there was nothing. */
const ORPHANING_MS = 200;
const MAX_ORPHANINGS = 5;

export interface Rack {
  upstream: TortureUpstream;
  dataDir: string;
  databaseFile: string;
  cards: string[];
  all: Facts;
  start(killAt?: string): Promise<Server>;
  verify(server: Server, facts: Facts, isThorough?: boolean): Promise<Verified>;
  remove(): void;
}

/** A data folder with its catalog and cards, and an upstream: everything but a running server. */
export async function prepareRack(): Promise<Rack> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-torture-'));
  const dataDir = join(folder, 'data');
  const databaseFile = join(dataDir, 'gateway.sqlite');
  mkdirSync(dataDir);
  const upstream = startTortureUpstream();
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, JSON.stringify(tortureDocument(upstream.baseUrl)));
  const port = await freePort();
  const env = { GATEWAY_CONFIG: config, SECRETS_PEPPER: PEPPER };
  const cards = await issueCards(databaseFile);
  return {
    upstream,
    dataDir,
    databaseFile,
    cards,
    all: noFacts(),
    start: (killAt) => startServer({ dataDir, port, env, killAt }),
    verify: (server, facts, isThorough) => verify(databaseFile, server.url, facts, upstream.begun, isThorough),
    remove() {
      upstream.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function torture(kills: readonly Kill[], onKill: (report: KillReport) => void): Promise<TortureSummary> {
  const rack = await prepareRack();
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
      const running = await startAndVerify(typeof at === 'string' && !inSweep ? at : undefined);
      const facts = noFacts();
      const problems = await loadUntilDead(rack, running, facts, inSweep ? { afterMs: ORPHANING_MS } : at);
      if (inSweep) {
        server = await rack.start(at);
        for (let n = 1; n < MAX_ORPHANINGS && server.readyMs !== undefined; n++) {
          problems.push(...(await loadUntilDead(rack, server, facts, { afterMs: n * ORPHANING_MS })));
          server = await rack.start(at);
        }
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
    rack.remove();
  }
}

/** A first start that dies in its migration (inside-migration), and the start after it. */
export async function killFirstStart(): Promise<KillReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-torture-'));
  const port = await freePort();
  const facts = noFacts();
  let server: Server | undefined;
  try {
    const dying = await startServer({ dataDir, port, env: {}, killAt: 'inside-migration' });
    const { signal } = await dying.gone;
    server = await startServer({ dataDir, port, env: {} });
    await register({ url: server.url, facts });
    const { problems } = await verify(join(dataDir, 'gateway.sqlite'), server.url, facts, new Map());
    if (signal !== 'SIGKILL') problems.push('the migration was not killed');
    return { kill: 'inside-migration', readyMs: server.readyMs ?? Number.POSITIVE_INFINITY, acknowledged: 0, problems };
  } finally {
    server?.kill();
    await server?.gone;
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

async function act(rack: Rack, caller: Caller, accounts: Account[]): Promise<void> {
  const account = accounts[Math.floor(Math.random() * accounts.length)];
  const choice = Math.random() * 20;
  if (!account || choice < 2) accounts.push(await register(caller));
  else if (choice < 4) {
    const code = rack.cards.pop();
    if (code !== undefined) await redeem(caller, account, code);
  } else if (choice < 5) await createKey(caller, account);
  else if (choice < 9) await chat(caller, account, 'paid json');
  else if (choice < 15) await chat(caller, account, 'paid stream');
  else if (choice < 16) await chat(caller, account, 'free json');
  else if (choice < 17) await chat(caller, account, 'free stream');
  else await chat(caller, account, 'hang up');
}

function tortureDocument(baseUrl: string) {
  const many = 1_000_000;
  return {
    channels: [{ name: 'up', kind: 'openai', base_url: baseUrl, api_key: 'torture' }],
    models: [
      { id: 'auto:free', price: 'free', routes: [{ channel: 'up', model: 'free' }] },
      {
        id: 'paid',
        max_output_tokens: 1_000,
        price: { input: 10, output: 40.123 },
        routes: [{ channel: 'up', model: 'paid' }],
      },
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

async function issueCards(databaseFile: string): Promise<string[]> {
  const hash = createCardHasher(PEPPER);
  const codes = Array.from({ length: CARDS }, () => createCardCode(systemRandom));
  const store = await openSqliteStore({ file: databaseFile, clock: systemClock });
  await store.commit('issue', {
    batch: {
      batchId: 'batch_torture',
      kind: 'sold',
      amount: CARD_AMOUNT,
      count: CARDS,
      expiresAt: null,
      note: null,
      createdAt: Date.now(),
    },
    cards: codes.map((code) => ({ hash: hash(code), serial: createSerial(systemRandom) })),
  });
  await store.close();
  return codes;
}
