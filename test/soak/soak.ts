// Runs a gateway with everything on for some rounds. After each round the load stops and the gateway is measured at rest,
// then days pass on its clock, so that everything that is deleted after a while is deleted.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS } from '../../src/kit/clock.ts';
import { runtimeEnvironment } from '../../src/server/settings/settings.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgres } from '../support/postgres.ts';
import { withTables } from '../support/with-tables.ts';
import type { Held, Order } from './gateway-process.ts';
import { createLoad } from './load.ts';
import { type CountRows, createRowCounter, type RowCount } from './short-lived.ts';
import { startSoakUpstream } from './upstream.ts';

export interface SoakOptions {
  database: 'sqlite' | 'postgres';
  rounds: number;
  roundMs: number;
  /** How much time passes after each round. */
  days: number;
  /** So often is the resident memory measured after each round; the lowest counts. The allocator returns memory late. */
  restMeasures?: number;
  onSample?: (sample: Sample, round: number) => void;
}

export interface Sample extends Held {
  rows: Map<string, RowCount>;
  /** Milliseconds of each paid call that is no stream. */
  times: readonly number[];
  cpuMsPerAction: number;
  calls: number;
  wrong: string[];
}

export interface SoakReport {
  samples: Sample[];
  /** Of all rounds. */
  done: Map<string, number>;
  /** Of the ledger, at the end. */
  auditProblems: string[];
}

const ADMIN_TOKEN = 'the-operator-of-the-soak-0123456789';
const PEPPER = 'a pepper that only the soak has, nobody else';
/** Of four deliveries of webhooks one fails. */
const RECEIVER_FAILS_EVERY = 4;
const SETTLED_WITHIN_MS = 60_000;
const REST_MEASURE_MS = 500;
const MANY = 1_000_000;

interface Data {
  env: Record<string, string>;
  countRows: CountRows;
  close(): Promise<void>;
}

function soakDocument(baseUrl: string, revision: number) {
  const channel = (name: string) => ({
    name,
    kind: 'openai',
    base_url: baseUrl,
    api_key: 'unused',
    endpoints: ['chat'],
  });
  return {
    channels: [{ name: 'demo', kind: 'demo' }, channel('up'), channel('spare')],
    models: [
      { id: 'auto:free', price: 'free', routes: [{ channel: 'demo', model: 'demo' }] },
      {
        id: 'paid',
        max_output_tokens: 100,
        price: { input: 10 + (revision % 10), output: 40.123 },
        routes: ['up', 'spare'].map((name) => ({ channel: name, model: 'm' })),
      },
    ],
    limits: { paid_per_minute: MANY, register_per_ip: MANY, register_per_day: MANY },
    guards: { register_attempts_per_minute: null, bad_keys_per_minute: null, usage_months: 1 },
  };
}

async function openData(database: SoakOptions['database'], dataDir: string): Promise<Data> {
  if (database === 'postgres') {
    const server = await startPostgres();
    const { url, sql } = await server.createDatabase();
    return { env: { DATABASE_URL: url }, countRows: createRowCounter(database, sql), close: () => server.stop() };
  }
  const file = join(dataDir, 'gateway.sqlite');
  const sql = async (query: string) => withTables(file, (db) => db.query<Record<string, unknown>, []>(query).all());
  return { env: {}, countRows: createRowCounter(database, sql), close: async () => undefined };
}

/** The process of the gateway. */
async function startProcess(env: Record<string, string>) {
  const answers: ((answer: unknown) => void)[] = [];
  const next = <Reply>() => new Promise<Reply>((resolve) => answers.push(resolve as (answer: unknown) => void));
  const begun = next<{ url: string; adminUrl: string }>();
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'gateway-process.ts')], {
    env: { ...runtimeEnvironment({ PATH: process.env.PATH ?? '' }), ...env },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (message) => answers.shift()?.(message),
  });
  const died = child.exited.then(() => Promise.reject(new Error('the gateway has ended')));
  died.catch(() => undefined);
  function obey(order: { name: 'measure' }): Promise<Held>;
  function obey(order: Order): Promise<{ errors: string[] }>;
  function obey(order: Order): Promise<unknown> {
    const answer = next();
    child.send(order);
    return Promise.race([answer, died]);
  }
  return { ...(await Promise.race([begun, died])), obey, kill: () => child.kill('SIGKILL'), exited: child.exited };
}

function startFailingReceiver() {
  let count = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await request.arrayBuffer();
      const status = ++count % RECEIVER_FAILS_EVERY === 0 ? 500 : 204;
      return new Response(null, { status, headers: { connection: 'close' } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/hooks`, stop: () => void server.stop(true) };
}

export async function soak({
  database,
  rounds,
  roundMs,
  days,
  restMeasures = 0,
  onSample,
}: SoakOptions): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-soak-'));
  const configFile = join(folder, 'gateway.yaml');
  const upstream = startSoakUpstream();
  const receiver = startFailingReceiver();
  let revision = 0;
  const writeConfig = () => writeFileSync(configFile, JSON.stringify(soakDocument(upstream.baseUrl, revision++)));
  writeConfig();
  const data = await openData(database, folder);
  const gateway = await startProcess({
    PORT: String(await freePort()),
    ADMIN_PORT: String(await freePort()),
    ADMIN_TOKEN,
    DATA_DIR: folder,
    SECRETS_PEPPER: PEPPER,
    GATEWAY_CONFIG: configFile,
    TRUSTED_PROXIES: '127.0.0.1',
    ALLOW_PRIVATE_WEBHOOKS: '1',
    ...data.env,
  });
  const { url, adminUrl, obey } = gateway;
  const reload = async () => {
    writeConfig();
    await obey({ name: 'reload' });
  };
  const load = createLoad({ url, adminUrl, adminToken: ADMIN_TOKEN, receiverUrl: receiver.url, reload });

  async function pass(ms: number): Promise<string[]> {
    const { errors } = await obey({ name: 'skip', ms });
    await eventually('the gateway is ready again', async () => (await fetch(`${url}/readyz`)).ok);
    return errors;
  }

  /** The newest sample without stale rows and with no more sockets than before, or the last one after a while. */
  async function settle(most: Held | undefined): Promise<Held & Pick<Sample, 'rows'>> {
    const until = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const held = await obey({ name: 'measure' });
      const rows = await data.countRows(held.now);
      const isSettled = [...rows.values()].every(({ stale }) => stale === 0) && held.sockets <= (most?.sockets ?? MANY);
      if (isSettled || performance.now() > until) return { ...held, rows };
      await Bun.sleep(100);
    }
  }

  const report: SoakReport = { samples: [], done: new Map(), auditProblems: [] };
  try {
    for (let index = 0; index < rounds; index++) {
      const { cpuMs: cpuBefore } = await obey({ name: 'measure' });
      const { times, done, wrong } = await load(roundMs);
      const calls = [...done.values()].reduce((sum, count) => sum + count, 0);
      for (const [name, count] of done) report.done.set(name, (report.done.get(name) ?? 0) + count);
      // The first round opens what stays open.
      const held = await settle(report.samples[0]);
      for (let measures = 0; measures < restMeasures; measures++) {
        await Bun.sleep(REST_MEASURE_MS);
        held.residentMb = Math.min(held.residentMb, (await obey({ name: 'measure' })).residentMb);
      }
      const errors = await pass(days * DAY_MS);
      // What jobs stored after the jump, with an earlier time, is deleted the next time.
      await pass(HOUR_MS);
      const sample: Sample = {
        ...held,
        times,
        cpuMsPerAction: (held.cpuMs - cpuBefore) / calls,
        calls,
        wrong: [...wrong, ...errors],
      };
      report.samples.push(sample);
      onSample?.(sample, index);
    }
    report.auditProblems = await audit(adminUrl);
    await obey({ name: 'stop' });
    return report;
  } finally {
    gateway.kill();
    await gateway.exited;
    upstream.stop();
    receiver.stop();
    await data.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function audit(adminUrl: string): Promise<string[]> {
  const response = await fetch(`${adminUrl}/api/admin/ledger/audit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: '{}',
  });
  const { differences } = (await response.json()) as { differences?: unknown[] };
  return differences?.map((difference) => JSON.stringify(difference)) ?? [`no audit: ${response.status}`];
}
