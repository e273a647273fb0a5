// Kills in number: a process that only has the store, registers, redeems and charges, and is killed at a kill point or when
// it has acknowledged enough. It starts in a fraction of the time that a server takes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../src/store/store.ts';
import { findWrong, LAST, lostOf, startHammer, WRONG } from '../store/events/check-kills.ts';
import { type HammerPlan, SESSION_BUDGET } from '../store/events/kill-plan.ts';
import { createAccount, createKey, issueCards, renewLease } from '../store/suite/samples.ts';
import type { StoreSubject } from '../store/suite/subject.ts';
import { eventually } from '../support/eventually.ts';

const AMPLE = 1_000_000_000_000n;
const CARDS_EACH = 20;
const MAX_ACKNOWLEDGED = 60;
/** Registrations and cards are each a tenth of the operations. */
const POINTS = ['inside-admit:40', 'inside-settle:40', 'inside-redeem:4', 'inside-register:4'];

export interface KillWritersOptions {
  /** A URL, or a file. */
  database: string;
  kills: number;
  open(): Promise<Store>;
  sql: StoreSubject['sql'];
  /** Resolves when the killed processes write no more. */
  untilQuiet(): Promise<unknown>;
}

export interface KilledWriters {
  /** Processes that ended by SIGKILL. */
  kills: number;
  acknowledged: number;
  problems: string[];
}

export async function killWriters(options: KillWritersOptions): Promise<KilledWriters> {
  const { database, open, sql } = options;
  const folder = mkdtempSync(join(tmpdir(), 'gateway-writers-'));
  const acknowledged = new Set<string>();
  let kills = 0;
  try {
    const plans = await prepare(await open(), options.kills);
    for (const [number, plan] of plans.entries()) {
      const file = join(folder, `plan-${number}.json`);
      writeFileSync(file, JSON.stringify(plan));
      const killAt = number % 2 === 0 ? POINTS[(number / 2) % POINTS.length] : undefined;
      if ((await killOne(database, file, acknowledged, killAt)) === 'SIGKILL') kills++;
    }
    await options.untilQuiet();
    // It posts what the last process left in its journal.
    const store = await open();
    const { differences } = await store.read.audit({});
    await store.close();
    const problems = [
      ...(await findWrong(sql, { ...WRONG, ...LAST })),
      ...(await lostOf(sql, acknowledged)).map((id) => `acknowledged and not there: ${id}`),
      ...differences.map((difference) => `audit: ${JSON.stringify(difference)}`),
    ];
    return { kills, acknowledged: acknowledged.size, problems };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function killOne(
  database: string,
  file: string,
  acknowledged: Set<string>,
  killAt: string | undefined,
): Promise<unknown> {
  const before = acknowledged.size;
  const hammer = await startHammer(database, file, acknowledged, killAt);
  if (killAt === undefined) {
    const enough = before + 1 + Math.floor(Math.random() * MAX_ACKNOWLEDGED);
    await eventually('the process has acknowledged enough', () => acknowledged.size >= enough);
    hammer.kill();
  }
  return (await hammer.gone).signal;
}

/** One account with a session budget for each process, and its cards. */
async function prepare(store: Store, count: number): Promise<HammerPlan[]> {
  await renewLease(store);
  const { cards } = await issueCards(store, count * CARDS_EACH);
  const plans: HammerPlan[] = [];
  for (let number = 0; number < count; number++) {
    const { accountId } = await createAccount(store, AMPLE);
    const account = await createKey(store, accountId, { limits: { sessionBudget: SESSION_BUDGET } });
    plans.push({ account, cards: cards.splice(0, CARDS_EACH).map(({ hash }) => hash) });
  }
  await store.close();
  return plans;
}
