// `npm run bench:ledger`: hold + settle pairs per second, every commit on disk. In batches of n: n holds in one commit, then
// their n settles in the next, all of different accounts. Rounds of all sizes alternate, so that a slow moment of the
// machine affects all of them. Options: --rounds N, --seconds N (of each measurement), --only NAME.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/kit/clock.ts';
import type { Decided } from '../src/store/book/decide.ts';
import type { Input, Operation, OperationName, Result } from '../src/store/operations.ts';
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts';
import { prepareCommits } from '../src/store/sqlite/commit-batch.ts';
import { migrate } from '../src/store/sqlite/migrate.ts';
import { openDatabase } from '../src/store/sqlite/open-database.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { ACCOUNTS, accountOf, COST, newRequest, registration, settlement, TRIAL } from './ledger/pairs.ts';

const SIZES = [1, 10, 50, 200];
const NODE = 'node_bench';

interface Contender {
  name: string;
  /** Commits these together, as far as possible. */
  commit(operations: readonly Operation[]): Promise<Result<OperationName>[]>;
  balance(accountId: string): Promise<bigint>;
  close(): Promise<void>;
}

async function inThread(): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const db = openDatabase(join(folder, 'ledger.sqlite'));
  migrate(db);
  const { commitBatch } = prepareCommits(db);
  const balance = db.query<{ balance_nano: bigint }, [string]>('SELECT balance_nano FROM wallets WHERE account_id = ?');
  return {
    name: 'SQLite, in thread',
    commit: async (operations) => commitBatch(operations).map(resultOf),
    balance: async (accountId) => balance.get(accountId)?.balance_nano ?? 0n,
    async close() {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function throughStore(name: string, store: Store, close: () => Promise<void>): Contender {
  return {
    name,
    commit: (operations) =>
      Promise.all(operations.map(({ name: operation, input }) => store.commit(operation, input as Input<'admit'>))),
    balance: async (accountId) => (await store.read.wallet(accountId))?.balance ?? 0n,
    close,
  };
}

async function sqliteStore(): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const store = await openSqliteStore({ file: join(folder, 'ledger.sqlite'), clock: systemClock });
  return throughStore('SQLite, store', store, async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

async function postgresStore(): Promise<Contender> {
  const postgres = await startPostgres();
  const { url } = await postgres.createDatabase();
  const store = await openPostgresStore({ url, clock: systemClock });
  return throughStore('PostgreSQL, store', store, async () => {
    await store.close();
    await postgres.stop();
  });
}

const CONTENDERS = { inThread, sqliteStore, postgresStore };

/** Pairs per second. */
async function measure({ commit }: Contender, size: number, forMs: number, pairsOf: Map<string, number>) {
  const until = performance.now() + forMs;
  const startedAt = performance.now();
  let pairs = 0;
  for (let first = 0; performance.now() < until; first = (first + size) % ACCOUNTS) {
    const requests = Array.from({ length: size }, (_, index) => newRequest(NODE, (first + index) % ACCOUNTS));
    const admitted = await commit(requests.map((input) => ({ name: 'admit', input })));
    for (const result of admitted) if (!(result && 'ok' in result && result.ok)) throw new Error('a hold was refused');
    const settled = await commit(requests.map((input) => ({ name: 'settle', input: settlement(input) })));
    for (const result of settled) if (!(result && 'state' in result)) throw new Error('a settlement was refused');
    for (const { accountId } of requests) pairsOf.set(accountId, (pairsOf.get(accountId) ?? 0) + 1);
    pairs += size;
  }
  return (pairs * 1000) / (performance.now() - startedAt);
}

async function prepare({ commit }: Contender): Promise<void> {
  const at = Date.now();
  await commit([{ name: 'lease', input: { nodeId: NODE, host: 'bench', pid: 1, expiresAt: at + 86_400_000 } }]);
  for (let first = 0; first < ACCOUNTS; first += 100) {
    await commit(
      Array.from({ length: 100 }, (_, index) => ({
        name: 'register',
        input: registration(accountOf(first + index), at),
      })),
    );
  }
}

/** Every pair costs its account the same, whatever the size of its batch. */
async function checkSums({ name, balance }: Contender, pairsOf: ReadonlyMap<string, number>): Promise<void> {
  for (const [accountId, pairs] of pairsOf) {
    const expected = TRIAL - COST * BigInt(pairs);
    const found = await balance(accountId);
    if (found !== expected) throw new Error(`${name}: ${accountId} has ${found}, expected ${expected}`);
  }
}

function resultOf(decided: Decided): Result<OperationName> {
  if (!decided.ok) throw new Error(decided.error);
  return decided.result;
}

function describe(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const round = (value: number | undefined) => Math.round(value ?? 0).toLocaleString('en');
  return `${round(sorted[Math.floor(sorted.length / 2)])} (${round(sorted[0])}–${round(sorted.at(-1))})`;
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const chosen = Object.entries(CONTENDERS).filter(([name]) => options.only === undefined || options.only === name);
const contenders: Contender[] = [];
try {
  for (const [, open] of chosen) contenders.push(await open());
  for (const contender of contenders) await prepare(contender);
  const figures = new Map<string, number[]>();
  const pairs = new Map(contenders.map((contender) => [contender, new Map<string, number>()]));
  for (let round = -1; round < Number(options.rounds); round++) {
    for (const size of SIZES) {
      for (const contender of contenders) {
        const pairsOf = pairs.get(contender) ?? new Map();
        const figure = await measure(contender, size, Number(options.seconds) * 1000, pairsOf);
        const key = `${contender.name}/${size}`;
        // The first round only warms up.
        if (round >= 0) figures.set(key, [...(figures.get(key) ?? []), figure]);
      }
    }
  }
  for (const [contender, pairsOf] of pairs) await checkSums(contender, pairsOf);
  console.log(
    `hold + settle pairs per second, median of ${options.rounds} rounds (slowest–fastest); every sum is right`,
  );
  console.log(['batch of'.padEnd(10), ...contenders.map(({ name }) => name.padStart(28))].join(''));
  for (const size of SIZES) {
    const cells = contenders.map(({ name }) => describe(figures.get(`${name}/${size}`) ?? []).padStart(28));
    console.log([String(size).padEnd(10), ...cells].join(''));
  }
} finally {
  for (const contender of contenders) await contender.close();
}
