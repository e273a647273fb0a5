// Processes that cause events, killed again and again, while another process follows the events: none is lost, none has no
// cause, none is there twice, and who follows them by their numbers misses none.

import { expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../src/store/store.ts';
import { testProgram } from '../../support/bundled-program.ts';
import { type Account, createAccount, createKey, issueCards, renewLease } from '../suite/samples.ts';
import type { StoreSubject } from '../suite/subject.ts';
import { type HammerPlan, SESSION_BUDGET } from './kill-plan.ts';

const EVENTS = 10_000;
const ROUNDS = 4;
const CARDS = 3_000;
const AMPLE = 1_000_000_000_000n;
const PAGE = 500;
/** Events are followed all the time, and every so many times all are compared with their causes. */
const LOOKS = 200;

const KEY_DATA = `'{"key_id":"' || key_id || '","parent_id":null}'`;
const CREATED = `type = 'key.created' AND events.account_id = keys.account_id AND data = ${KEY_DATA}`;
const REDEEMED = `type = 'card.redeemed' AND data LIKE '{"card_serial":"' || serial || '"%'`;
/** Each of these finds nothing, at any moment. */
export const WRONG: Record<string, string> = {
  'a key without its event': `SELECT key_id AS id FROM keys WHERE NOT EXISTS (SELECT 1 FROM events WHERE ${CREATED})`,
  'an event without its key': `SELECT data AS id FROM events WHERE type = 'key.created'
    AND NOT EXISTS (SELECT 1 FROM keys WHERE ${CREATED})`,
  'an event twice': `SELECT data AS id FROM events WHERE type IN ('key.created', 'card.redeemed')
    GROUP BY data HAVING count(*) > 1`,
  'cards and their events': `SELECT 1 AS id WHERE
    (SELECT count(*) FROM cards WHERE state = 'redeemed') <> (SELECT count(*) FROM events WHERE type = 'card.redeemed')`,
  'sessions and their events': `SELECT 1 AS id WHERE
    (SELECT count(*) FROM session_budgets WHERE spent_nano = ${SESSION_BUDGET})
      <> (SELECT count(*) FROM events WHERE type = 'key.budget_reached')`,
};
export const LAST = {
  'a card without its event': `SELECT serial AS id FROM cards WHERE state = 'redeemed'
  AND NOT EXISTS (SELECT 1 FROM events WHERE ${REDEEMED})`,
};

/** `databases`: one for each process of a round, which may be the same. */
export async function checkKills(
  { store, sql }: Pick<StoreSubject, 'store' | 'sql'>,
  databases: readonly string[],
  /** Resolves when the killed processes write no more. */
  untilQuiet: () => Promise<unknown>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-events-'));
  await renewLease(store);
  const accounts: Account[] = [];
  // Each process has its own: transactions of one wallet wait for each other anyway.
  for (const _ of databases) {
    const { accountId } = await createAccount(store, AMPLE);
    accounts.push(await createKey(store, accountId, { limits: { sessionBudget: SESSION_BUDGET } }));
  }
  const { cards } = await issueCards(store, CARDS);
  const acknowledged = new Set<string>();
  const follower = follow(store);
  const problems: string[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const target = acknowledged.size + EVENTS / ROUNDS;
      const starting = databases.map((database, number) => {
        const file = join(folder, `plan-${number}.json`);
        const plan: HammerPlan = {
          account: accounts[number] as Account,
          cards: cards.splice(0, CARDS / ROUNDS / databases.length).map(({ hash }) => hash),
        };
        writeFileSync(file, JSON.stringify(plan));
        return startHammer(database, file, acknowledged);
      });
      const children = await Promise.all(starting);
      for (let look = 0; acknowledged.size < target; look++) {
        if (look % LOOKS === 0) problems.push(...(await findWrong(sql, WRONG)));
        await follower.next();
      }
      for (const { kill } of children) kill();
      await Promise.all(children.map(({ gone }) => gone));
    }
    await untilQuiet();
    // Brings what the last process left in its journal into the tables.
    await store.read.eventsOf({ accountId: '', after: 0, limit: 1 });
    expect([...problems, ...(await findWrong(sql, { ...WRONG, ...LAST }))]).toEqual([]);
    expect(await lostOf(sql, acknowledged)).toEqual([]);
    await follower.next();
    const all = (await sql('SELECT event_id FROM events ORDER BY event_id')).map((row) => Number(row.event_id));
    expect(all.length).toBeGreaterThanOrEqual(EVENTS);
    const seen = new Set(follower.seen);
    expect(all.filter((eventId) => !seen.has(eventId))).toEqual([]);
    expect((await store.read.audit({})).differences).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads on from the last number, as webhooks and streams do. */
function follow(store: Store) {
  const seen: number[] = [];
  return {
    seen,
    async next(): Promise<void> {
      for (;;) {
        const page = await store.read.eventsSince(seen.at(-1) ?? 0, PAGE);
        seen.push(...page.map(({ eventId }) => eventId));
        if (page.length < PAGE) return;
      }
    },
  };
}

/** `killAt`: the kill point at which it ends itself. */
export async function startHammer(database: string, file: string, acknowledged: Set<string>, killAt = '') {
  const program = await testProgram(join(import.meta.dir, 'hammer.ts'));
  const child = Bun.spawn([process.execPath, program, database, file, killAt], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const read = async () => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of child.stdout) {
      text += decoder.decode(bytes, { stream: true });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) acknowledged.add(line);
    }
  };
  const gone = Promise.all([child.exited, read()]).then(() => ({ signal: child.signalCode }));
  return { gone, kill: () => child.kill('SIGKILL') };
}

type Sql = StoreSubject['sql'];

export async function findWrong(sql: Sql, questions: Record<string, string>): Promise<string[]> {
  const problems: string[] = [];
  for (const [what, question] of Object.entries(questions)) {
    const [row] = await sql(question);
    if (row) problems.push(`${what}: ${row.id}`);
  }
  return problems;
}

/** What was acknowledged and is not there. */
export async function lostOf(sql: Sql, acknowledged: ReadonlySet<string>): Promise<string[]> {
  const rows =
    await sql(`SELECT account_id AS id FROM accounts UNION ALL SELECT hash FROM cards WHERE state = 'redeemed'
    UNION ALL SELECT session_id FROM session_budgets WHERE spent_nano = ${SESSION_BUDGET}`);
  const there = new Set(rows.map(({ id }) => String(id)));
  return [...acknowledged].filter((id) => !there.has(id));
}
