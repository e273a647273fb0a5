// A whole gateway for a test: the real thing on a loopback port, with a real SQLite file in a folder of its own, and a
// scripted upstream behind it.

import type { SQLQueryBindings } from 'bun:sqlite';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../src/kit/random.ts';
import type { Gateway, GatewayOptions } from '../../src/server/gateway.ts';
import { openDataFolder } from '../../src/server/settings/data-folder.ts';
import { readSettings } from '../../src/server/settings/settings.ts';
import { startGateway } from '../../src/server/start/start-gateway.ts';
import type { Answer } from './answer.ts';
import { auditLedger } from './audit-ledger.ts';
import { writeEmptyDatabase } from './empty-database.ts';
import { freePort } from './free-port.ts';
import { createLogCapture, type LogCapture } from './log-capture.ts';
import { type TestDocument, testDocument } from './test-document.ts';
import { type ScriptedUpstream, startUpstream } from './upstream.ts';
import { openPosted, withOwnTables } from './with-tables.ts';

/** Nobody is turned away because the machine that runs the tests is slow: the longest that a timer takes. */
const PATIENT_MS = 2 ** 31 - 1;

/** For gateways without equal routes, of which it would take the first: a second try comes after the least of its pause. */
export const NO_JITTER = { ...systemRandom, fraction: () => 0 };

export interface TestGatewayOptions extends Partial<Omit<GatewayOptions, 'writeLog'>> {
  /** What this test has otherwise than the default document. */
  document?: (standard: TestDocument) => TestDocument;
  limits?: Readonly<Record<string, number>>;
  env?: Readonly<Record<string, string>>;
  /** A folder that an earlier gateway has left; it is then left again. */
  dataDir?: string;
}

export interface CallOptions {
  key?: string | undefined;
  method?: string;
  /** An object goes as JSON; text and bytes go as they are. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

export interface TestAccount {
  key: string;
  accountId: string;
  keyId: string;
}

export interface TestGateway {
  url: string;
  port: number;
  dataDir: string;
  databaseFile: string;
  upstream: ScriptedUpstream;
  log: LogCapture;
  gateway: Gateway;
  call(path: string, options?: CallOptions): Promise<Response>;
  /** POST /v1/chat/completions; a message is added if the body has none. */
  chat(key: string, body: Record<string, unknown>, options?: Omit<CallOptions, 'key' | 'body'>): Promise<Response>;
  register(): Promise<TestAccount>;
  /** GET with a key; the parsed body. */
  get(path: string, key: string): Promise<Answer>;
  /** Rows of the database file, integers as bigint. */
  sql<Row = Record<string, unknown>>(query: string, ...values: SQLQueryBindings[]): Row[];
  /** Applies another document, as an operator would by SIGHUP. */
  apply(document: (standard: TestDocument) => TestDocument): Promise<void>;
  /** What is wrong with the ledger: nothing, one hopes. */
  audit(): string[];
  stop(): Promise<void>;
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { document = (standard) => standard, limits, env, dataDir: given, ...gatewayOptions } = options;
  const dataDir = given ?? mkdtempSync(join(tmpdir(), 'gateway-data-'));
  const databaseFile = join(dataDir, 'gateway.sqlite');
  if (given === undefined && env?.DATABASE_URL === undefined) {
    writeEmptyDatabase(openDataFolder(dataDir, env?.SECRETS_PEPPER, systemRandom).databaseFile);
  }
  const configDir = mkdtempSync(join(tmpdir(), 'gateway-config-'));
  const configFile = join(configDir, 'gateway.yaml');
  const upstream = await startUpstream();
  const log = createLogCapture();
  const standard = testDocument(upstream.baseUrl);
  const writeConfig = (edit: (standard: TestDocument) => TestDocument) =>
    writeFileSync(configFile, JSON.stringify(edit({ ...standard, limits: { ...standard.limits, ...limits } })));
  writeConfig(document);
  const settings = readSettings({
    PORT: String(await freePort()),
    ADMIN_PORT: '0',
    DATA_DIR: dataDir,
    GATEWAY_CONFIG: configFile,
    ...env,
  });
  async function clear(): Promise<void> {
    await upstream.close();
    rmSync(configDir, { recursive: true, force: true });
    // A connection that closes late takes its WAL away under the removal, which then ends half done and says nothing.
    for (let tries = 0; given === undefined && existsSync(dataDir) && tries < 10; tries++) {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }

  const gateway = await startGateway(settings, {
    fetch: globalThis.fetch,
    demoPaceMs: 0,
    patienceMs: PATIENT_MS,
    ...gatewayOptions,
    writeLog: log.write,
  }).catch(async (error: unknown) => {
    await clear();
    throw error;
  });
  const { url } = gateway;

  const call: TestGateway['call'] = (path, { key, body, headers, method, signal } = {}) =>
    fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isPlain(body) ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      redirect: 'manual',
    });

  return {
    url,
    port: gateway.port,
    dataDir,
    databaseFile,
    upstream,
    log,
    gateway,
    call,
    chat: (key, body, rest) =>
      call('/v1/chat/completions', { key, body: { messages: [{ role: 'user', content: 'Hi' }], ...body }, ...rest }),
    async register() {
      const response = await call('/api/agent/register', { body: {} });
      if (response.status !== 201) throw new Error(`registration failed: ${await response.text()}`);
      const answer: Answer = await response.json();
      return { key: answer.api_key, accountId: answer.account_id, keyId: answer.key_id };
    },
    get: async (path, key) => (await call(path, { key })).json(),
    sql(query, ...values) {
      if (!/^\s*(insert|update|delete)/i.test(query)) {
        return withOwnTables(databaseFile, (db) => db.query(query).all(...values)) as never;
      }
      const db = openPosted(databaseFile);
      try {
        return db.query(query).all(...values) as never;
      } finally {
        db.close();
      }
    },
    async apply(edit) {
      writeConfig(edit);
      await gateway.reload();
    },
    audit: () => withOwnTables(databaseFile, auditLedger),
    async stop() {
      await gateway.drain(0);
      await clear();
    },
  };
}

function isPlain(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array;
}
