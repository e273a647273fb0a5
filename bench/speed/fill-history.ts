// Adds a history to the accounts of a stopped gateway: admitted and settled requests, through the store's own operations, so
// that the ledger balances.

import { DAY_MS, systemClock } from '../../src/kit/clock.ts';
import type { AdmitInput, SettleInput } from '../../src/store/operations.ts';
import { NO_BUCKETS } from '../../src/store/rows.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const DAYS = 30;
const NODE = 'node_history';
const MANY = 1_000_000_000;

interface Owner {
  accountId: string;
  keyId: string;
}

export async function fillHistory(file: string, records: number): Promise<void> {
  const owners = ownersIn(file);
  const store = await openSqliteStore({ file, clock: systemClock, unsafeNoSync: true });
  const now = Date.now();
  await store.commit('lease', { nodeId: NODE, host: 'bench', pid: 1, expiresAt: now + DAY_MS });
  const atOf = (index: number) => now - DAYS * DAY_MS + Math.floor((index / records) * (DAYS - 1) * DAY_MS);
  for (let first = 0; first < records; first += owners.length) {
    const requests = owners
      .slice(0, records - first)
      .map((owner, index) => requestOf(owner, first + index, atOf(first + index)));
    await Promise.all(requests.map((request) => store.commit('admit', request)));
    await Promise.all(requests.map((request) => store.commit('settle', settlementOf(request))));
  }
  await store.close();
}

function ownersIn(file: string): Owner[] {
  const db = openDatabase(file);
  const owners = db.query<Owner, []>('SELECT account_id AS accountId, key_id AS keyId FROM keys').all();
  db.close();
  return owners;
}

function requestOf(owner: Owner, index: number, at: number): AdmitInput {
  return {
    ...owner,
    requestId: `req_${String(index).padStart(26, '0')}`,
    nodeId: NODE,
    at,
    model: 'bench-json',
    endpoint: '/v1/chat/completions',
    stream: false,
    revision: 1,
    charge: {
      free: false,
      hold: { base: 1_000n, unit: 10n, wanted: 100, least: 16 },
      limits: { perMinute: MANY, inFlight: MANY },
    },
  };
}

function settlementOf({ requestId, accountId, keyId, at }: AdmitInput): SettleInput {
  return {
    requestId,
    accountId,
    keyId,
    cost: 1_000n,
    outcome: {
      at: at + 900,
      status: 'ok',
      channel: 'up',
      buckets: { ...NO_BUCKETS, input: 25, output: 180 },
      reasoning: 0,
      estimated: false,
      firstTokenMs: 120,
      totalMs: 900,
      attempts: [{ channel: 'up', outcome: 'ok', ms: 880 }],
    },
  };
}
