// Moves a gateway's clock far, and its life with it: a node that slept through its lease admits nothing until the renewal
// of the lease is on disk.

import { Database } from 'bun:sqlite';
import { eventually, eventuallyInSteps } from './eventually.ts';
import type { TestGateway } from './gateway.ts';
import type { ManualClock } from './manual-clock.ts';

/** Within this time the lease is renewed at least once. */
const RENEWAL_MS = 3_000;
const STEP_MS = 50;
const ANSWERED_STEP_MS = 100;

/** Time goes by until it is done. */
export async function whilePassing<Value>(clock: ManualClock, work: Promise<Value>): Promise<Value> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  await eventuallyInSteps('the end', async () => {
    if (!isDone) await clock.advance(STEP_MS);
    return isDone;
  });
  return done;
}

export async function passTime(gateway: TestGateway, clock: ManualClock, ms: number): Promise<void> {
  if (ms < RENEWAL_MS) return clock.advance(ms);
  clock.step(ms - RENEWAL_MS);
  await clock.advance(RENEWAL_MS);
  const db = new Database(gateway.databaseFile, { readonly: true });
  try {
    const newest = db.query<{ until: number | null }, []>('SELECT max(expires_at) AS until FROM leases');
    await eventually('a renewed lease', () => Number(newest.get()?.until) > clock.now());
  } finally {
    db.close();
  }
}

/** In steps in which the database can answer: what it leaves unanswered for a second of this clock counts as away. */
export async function passAnswered({ gateway }: TestGateway, clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += ANSWERED_STEP_MS) {
    await clock.advance(ANSWERED_STEP_MS);
    await eventually('an answer of the database', () => isAnswered(gateway, clock));
  }
}

/** On a busy machine another question may have waited that long; then time passes until the database is asked again. */
async function isAnswered({ store }: TestGateway['gateway'], clock: ManualClock): Promise<boolean> {
  try {
    await store.read.pulse();
    return true;
  } catch {
    await clock.advance(ANSWERED_STEP_MS);
    return false;
  }
}
