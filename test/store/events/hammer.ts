// A process whose every operation has an event, until it is killed. Its arguments: a database, a file with a key that has a
// session budget and hashes of cards, and a kill point or nothing. It prints the id of what was acknowledged: accounts, sessions, cards.

import { readFileSync } from 'node:fs';
import { systemClock } from '../../../src/kit/clock.ts';
import { armFailpoint, parseKillOrder } from '../../../src/kit/failpoint.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { paid, redeeming, registration, sampleKey, settling } from '../suite/samples.ts';
import { type HammerPlan, SESSION_BUDGET } from './kill-plan.ts';

const [, , database = '', file = '', killAt = ''] = process.argv;
const WORKERS = 64;
/** One of so many operations is a registration, and one a card. */
const TURNS = 10;

const killOrder = parseKillOrder(killAt);
armFailpoint(killOrder);
let store: Store;
const { account, cards } = JSON.parse(readFileSync(file, 'utf8')) as HammerPlan;
let count = 0;

async function register(name: string): Promise<string> {
  const accountId = `acc_${name}`;
  const key = { ...sampleKey(accountId), keyId: `key_${name}`, hash: `hash of ${name}` };
  await store.commit('register', registration({ accountId, key, address: name }));
  return accountId;
}

async function redeem(hash: string): Promise<string | undefined> {
  const result = await store.commit('redeem', redeeming(account.accountId, hash, { address: hash }));
  return result.ok ? hash : undefined;
}

/** The session spends its whole budget at once. */
async function spend(name: string): Promise<string | undefined> {
  const session = `${account.keyId}:${name}`;
  const chain = { ancestors: [], sessions: [session], rated: [] };
  const input = {
    ...paid(account, { chain, hold: { base: SESSION_BUDGET, unit: 0n } }),
    requestId: `req_${name}`,
  };
  const charge = { ...input.charge, limits: { perMinute: 1e9, inFlight: 1e9 } } as typeof input.charge;
  const admitted = await store.commit('admit', { ...input, charge });
  if (!admitted.ok) return undefined;
  await store.commit('settle', settling(input, SESSION_BUDGET));
  return session;
}

async function work(): Promise<never> {
  for (;;) {
    const number = count++;
    const name = `${process.pid}_${number}`;
    const card = number % TURNS === 1 ? cards.pop() : undefined;
    const done = number % TURNS === 0 ? register(name) : card === undefined ? spend(name) : redeem(card);
    // Admissions that wait too long are refused: nothing was written.
    const id = await done.catch(() => undefined);
    if (id !== undefined) process.stdout.write(`${id}\n`);
  }
}

/** A bundle with bytecode has no `await` outside functions. */
async function start(): Promise<void> {
  store = database.startsWith('postgres:')
    ? await openPostgresStore({ url: database, clock: systemClock })
    : await openSqliteStore({ file: database, clock: systemClock, killOrder });
  for (let worker = 0; worker < WORKERS; worker++) void work();
}

void start();
