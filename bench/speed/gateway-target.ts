// This gateway as people run it: a real process, a real database, accounts with credit. Only the limits are raised.

import type { Database } from 'bun:sqlite';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { prepareCommits } from '../../src/store/sqlite/commit-batch.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { SCRIPT_NAMES, type ScriptName, scriptOf } from './answers.ts';
import { fillHistory } from './fill-history.ts';
import { familyOf, nameOf } from './processes.ts';
import type { Stage } from './stage.ts';
import { type Billing, type Program, type Running, startProgram, type Target } from './target.ts';

const ROOT = join(import.meta.dir, '..', '..');
const ACCOUNTS = 64;
const CARD_NTD = 100_000;
const YOUNG_RECORDS = 2_000;
const GROWN_RECORDS = 200_000;
const MANY = 1_000_000_000;
const PEPPER = 'a pepper that only the bench has';
const USAGE = `SELECT count(*) AS entries, coalesce(sum(amount_nano), 0) AS nano FROM entries WHERE kind = 'usage'`;

/** Nano-NT$ per token, from the prices of the document below. */
export const PRICES = { input: 10_000n, output: 40_123n };

/** A free model whose limit admits nothing. */
export const REFUSED_MODEL = 'auto:free';

function benchDocument(baseUrl: string) {
  const route = (model: ScriptName) => [{ channel: scriptOf(model).isMessage ? 'claude' : 'up', model }];
  return {
    channels: [
      { name: 'up', kind: 'openai', base_url: baseUrl, api_key: 'unused', endpoints: ['chat'] },
      { name: 'claude', kind: 'anthropic', base_url: baseUrl, api_key: 'unused' },
    ],
    models: [
      { id: REFUSED_MODEL, price: 'free', routes: route('json') },
      ...SCRIPT_NAMES.map((name) => ({
        id: `bench-${name}`,
        price: { input: 10, output: 40.123 },
        routes: route(name),
      })),
    ],
    limits: {
      free_per_minute: 0,
      paid_per_minute: MANY,
      in_flight: MANY,
      register_per_ip: MANY,
      register_per_day: MANY,
    },
    guards: { register_attempts_per_minute: null, bad_keys_per_minute: null, requests_in_flight: MANY },
  };
}

/** Flags for Bun, for a profile. */
type Flags = readonly string[];

type GatewayTarget = Target & { billing: Billing };

interface Variant {
  flags: Flags;
  /** The folder of the source; by default this one. */
  root?: string;
  env: Readonly<Record<string, string>>;
  charged: Billing['charged'];
  others?(): number[];
}

export async function gatewayOnSqlite(stage: Stage, upstreamPort: number, flags: Flags = []): Promise<Target> {
  const target = await onSqlite(stage, upstreamPort, 'sqlite', flags);
  return { ...target, label: 'gateway, SQLite', description: 'this gateway, billing on, every commit synced to disk' };
}

/** The source in another folder. */
export async function gatewayIn(stage: Stage, upstreamPort: number, root: string, ref: string): Promise<Target> {
  const target = await onSqlite(stage, upstreamPort, 'against', [], root);
  return { ...target, label: `gateway at ${ref}`, description: `the source at ${ref}, billing on, on SQLite` };
}

/** The same, on a database with few requests. */
export async function youngGateway(stage: Stage, upstreamPort: number): Promise<Target> {
  const target = await withHistory(stage, upstreamPort, 'young', YOUNG_RECORDS);
  const description = `the same with ${YOUNG_RECORDS.toLocaleString('en')} usage records in its database`;
  return { ...target, label: 'gateway, SQLite, young', description };
}

/** The same, on a database with many requests. */
export async function grownGateway(stage: Stage, upstreamPort: number): Promise<Target> {
  const target = await withHistory(stage, upstreamPort, 'grown', GROWN_RECORDS);
  const description = `the same with ${GROWN_RECORDS.toLocaleString('en')} usage records; its ratios are to the young one`;
  return { ...target, label: 'gateway, SQLite, grown', description };
}

async function withHistory(stage: Stage, upstreamPort: number, name: string, records: number): Promise<GatewayTarget> {
  const target = await onSqlite(stage, upstreamPort, name, []);
  await fillHistory(join(stage.folder, name, 'gateway.sqlite'), records);
  const past = await target.billing.charged();
  return {
    ...target,
    billing: {
      async charged() {
        const { entries, nano } = await target.billing.charged();
        return { entries: entries - past.entries, nano: nano - past.nano };
      },
    },
  };
}

function onSqlite(stage: Stage, upstreamPort: number, name: string, flags: Flags, root = ROOT): Promise<GatewayTarget> {
  const dataDir = join(stage.folder, name);
  const env = { DATA_DIR: dataDir, SECRETS_PEPPER: PEPPER };
  return gateway(stage, upstreamPort, name, {
    flags,
    root,
    env,
    async charged() {
      if (root === ROOT) return usageIn(join(dataDir, 'gateway.sqlite'), (db) => prepareCommits(db).post());
      // Only its own program knows what its journal holds.
      const copy = join(dataDir, 'copy.sqlite');
      await runCommand(root, env, ['backup', copy]);
      const usage = usageIn(copy);
      for (const file of readdirSync(dataDir)) if (file.startsWith('copy.')) rmSync(join(dataDir, file));
      return usage;
    },
  });
}

function usageIn(file: string, prepare: (db: Database) => void = () => {}) {
  const db = openDatabase(file);
  try {
    prepare(db);
    const row = db.query<{ entries: bigint; nano: bigint }, []>(USAGE).get();
    return { entries: Number(row?.entries ?? 0), nano: row?.nano ?? 0n };
  } finally {
    db.close();
  }
}

export async function gatewayOnPostgres(stage: Stage, upstreamPort: number, flags: Flags = []): Promise<Target> {
  const target = await onPostgres(stage, upstreamPort, 'postgres', flags, {});
  return { ...target, label: 'gateway, PostgreSQL' };
}

/** The same with a process per core; useful only if the load and the database leave cores free. */
export async function gatewayOnAllCores(stage: Stage, upstreamPort: number): Promise<Target> {
  const target = await onPostgres(stage, upstreamPort, 'cores', [], { PROCESSES: 'auto' });
  const description = `${target.description}; ${availableParallelism()} processes on one port`;
  return { ...target, label: 'gateway, PostgreSQL, all cores', description };
}

async function onPostgres(
  stage: Stage,
  upstreamPort: number,
  name: string,
  flags: Flags,
  env: Readonly<Record<string, string>>,
): Promise<GatewayTarget> {
  const server = await startPostgres();
  stage.onEnd(() => server.stop());
  const { url, sql } = await server.createDatabase({ empty: true });
  const target = await gateway(stage, upstreamPort, name, {
    flags,
    env: { DATABASE_URL: url, SECRETS_PEPPER: PEPPER, ...env },
    async charged() {
      const [row] = await sql<{ entries: bigint; nano: string }>(USAGE.replace('0) AS nano', '0)::text AS nano'));
      return { entries: Number(row?.entries ?? 0), nano: BigInt(row?.nano ?? 0) };
    },
    others: () => familyOf(process.pid).filter((pid) => nameOf(pid) === 'postgres'),
  });
  const [row] = await sql<{ server_version: string }>('SHOW server_version');
  const description = `this gateway, billing on, PostgreSQL ${row?.server_version.split(' ')[0]} with fsync beside it`;
  return { ...target, description };
}

async function gateway(stage: Stage, upstreamPort: number, name: string, variant: Variant): Promise<GatewayTarget> {
  const folder = join(stage.folder, name);
  mkdirSync(folder, { mode: 0o700 });
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, JSON.stringify(benchDocument(`http://127.0.0.1:${upstreamPort}/${name}/v1`)));
  const { root = ROOT } = variant;
  const env = { GATEWAY_CONFIG: config, ...variant.env };
  const program: Program = {
    name,
    command: () => [process.execPath, ...variant.flags, '--no-env-file', join(root, 'src', 'main.ts')],
    env: (port) => ({ ...env, PORT: String(port) }),
    readyPath: '/readyz',
    ...(variant.others ? { others: variant.others } : {}),
  };
  const start = () => startProgram(stage, program);
  return {
    name,
    label: name,
    description: '',
    start,
    path: '/v1/chat/completions',
    headers: {},
    keys: await openAccounts(await start(), env, root),
    modelOf: (script) => `bench-${script}`,
    takesMessages: true,
    billing: { charged: variant.charged },
  };
}

/** Creates accounts with a redeemed card each, returns their keys, and stops the server that created them. */
async function openAccounts(server: Running, env: Record<string, string>, root: string): Promise<string[]> {
  const cards = await issueCards(env, root);
  const keys: string[] = [];
  for (const code of cards) {
    const { api_key: key } = await post<{ api_key: string }>(server.port, '/api/agent/register', {}, {});
    await post(server.port, '/api/redeem', { code }, { authorization: `Bearer ${key}` });
    keys.push(key);
  }
  await server.stop();
  return keys;
}

async function issueCards(env: Record<string, string>, root: string): Promise<string[]> {
  const order = ['cards', 'issue', '--amount', String(CARD_NTD), '--count', String(ACCOUNTS), '--json'];
  const cards = JSON.parse(await runCommand(root, env, order)) as { code: string }[];
  return cards.map(({ code }) => code);
}

async function runCommand(root: string, env: Record<string, string>, args: readonly string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(root, 'src', 'cli.ts'), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, error, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`${args[0]} ended with ${exitCode}: ${error}`);
  return out;
}

async function post<Answer>(port: number, path: string, body: unknown, headers: Record<string, string>) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
