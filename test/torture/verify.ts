// Compares what was acknowledged with what the database holds, and audits the ledger, once a killed server is back.

import type { Database } from 'bun:sqlite';
import { AUDIT } from '../../src/store/audit-read.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { eventually } from '../support/eventually.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { withTables } from '../support/with-tables.ts';
import { keyWorks } from './calls.ts';
import { withLedgerCopy, withSnapshot } from './copy-ledger.ts';
import type { Facts } from './facts.ts';

const TRIAL = 1_000_000_000n;
/** Keys asked over HTTP in one check; the newest are the ones at risk. */
const KEYS_ASKED = 12;
const KEY_WORKS_MS = 20_000;
/** More ids than this are not named: all rows of the kind are read. */
const NAMED_IDS = 1_000;

type Rows = Record<string, unknown>[];

/** A database under torture, read beside the server. */
export interface Tables {
  kind: 'sqlite' | 'postgres';
  /** The rows of each question, with integers as bigint. */
  ask(questions: readonly string[]): Promise<Rows[]>;
  /** By the tests' own audit, which is slow on a large ledger. */
  auditThoroughly(): Promise<string[]>;
}

export function tablesOfFile(file: string): Tables {
  return {
    kind: 'sqlite',
    ask: async (questions) => withTables(file, (db) => askFile(db, questions)),
    auditThoroughly: async () => withTables(file, auditLedger),
  };
}

export function tablesOfPostgres({ url }: Pick<TestDatabase, 'url'>): Tables {
  return {
    kind: 'postgres',
    ask: (questions) =>
      withSnapshot(url, async (client) => {
        const answers: Rows[] = [];
        for (const question of questions) answers.push([...(await client.unsafe(question))]);
        return answers;
      }),
    auditThoroughly: () => withLedgerCopy(url, auditLedger),
  };
}

export interface Verified {
  problems: string[];
  /** Requests that were charged, ever. */
  billed: number;
  entries: number;
}

/** `eventsSince`: what an older version made before had no events. */
export async function verify(
  tables: Tables,
  url: string,
  facts: Facts,
  upstreamBegun: ReadonlyMap<string, number>,
  isThorough = false,
  eventsSince = 0,
): Promise<Verified> {
  const counts = ['SELECT count(*) AS n FROM usage_records WHERE cost_nano > 0', 'SELECT count(*) AS n FROM entries'];
  const [billed = [], entries = [], ...answers] = await tables.ask([
    ...counts,
    ...questionsAbout(facts, tables.kind, eventsSince),
  ]);
  const problems = compare(answers, facts, upstreamBegun);
  if (isThorough) problems.push(...(await tables.auditThoroughly()));
  for (const key of facts.keys.slice(-KEYS_ASKED)) {
    // The audit may have kept a proxy in this process busy: the server notices only now that its database is back.
    const works = () => keyWorks(url, key);
    await eventually(`the acknowledged key …${key.slice(-4)} works`, works, KEY_WORKS_MS).catch((error: Error) =>
      problems.push(error.message),
    );
  }
  return { problems, billed: Number(billed[0]?.n ?? 0), entries: Number(entries[0]?.n ?? 0) };
}

/** What was acknowledged and is not there, or was charged too often. Also for the schema of an older version. */
export async function findLost(
  tables: Tables,
  facts: Facts,
  upstreamBegun: ReadonlyMap<string, number>,
): Promise<string[]> {
  return compareFacts(await tables.ask(questionsAboutFacts(facts)), facts, upstreamBegun);
}

/** What in the tables contradicts what was acknowledged, or the ledger itself. */
export function findWrong(db: Database, facts: Facts, upstreamBegun: ReadonlyMap<string, number>): string[] {
  return compare(askFile(db, questionsAbout(facts, 'sqlite')), facts, upstreamBegun);
}

function askFile(db: Database, questions: readonly string[]): Rows[] {
  return questions.map((sql) => db.query<Record<string, unknown>, []>(sql).all());
}

/** In the order in which `compare` takes their answers. */
function questionsAbout(facts: Facts, kind: Tables['kind'], eventsSince = 0): string[] {
  const redeemed = `SELECT serial AS id FROM cards WHERE redeemed_at >= ${eventsSince}`;
  return [
    ...questionsAboutFacts(facts),
    unmatchedEvents(`SELECT key_id AS id FROM keys WHERE created_at >= ${eventsSince}`, 'key.created', 'key_id', kind),
    unmatchedEvents(redeemed, 'card.redeemed', 'card_serial', kind),
    ...AUDIT.ask({}).map(({ sql }) => sql),
  ];
}

function questionsAboutFacts(facts: Facts): string[] {
  const accounts = facts.accounts.map(({ accountId }) => accountId);
  const serials = facts.redeems.map(({ serial }) => serial);
  const requests = facts.requests.map(({ requestId }) => requestId);
  return [
    `SELECT account_id AS id, count(*) AS n, CAST(sum(amount_nano) AS bigint) AS total FROM entries
       WHERE kind = 'trial' AND account_id IN (SELECT account_id FROM accounts) AND ${isOneOf('account_id', accounts)}
       GROUP BY account_id`,
    `SELECT reference AS id, account_id, amount_nano FROM entries
       WHERE kind = 'card' AND ${isOneOf('reference', serials)}`,
    `SELECT request_id AS id, cost_nano, count(entry_id) AS n, CAST(coalesce(sum(amount_nano), 0) AS bigint) AS total
       FROM usage_records LEFT JOIN entries ON kind = 'usage' AND reference = request_id
       WHERE ${isOneOf('request_id', requests)} GROUP BY request_id, cost_nano`,
    'SELECT count(*) AS n FROM holds',
    `SELECT account_id AS id, count(*) AS n FROM entries WHERE kind = 'usage' GROUP BY account_id`,
  ];
}

/** Ids of the service have no quotes in them. */
function isOneOf(column: string, ids: readonly string[]): string {
  return ids.length > NAMED_IDS ? '1 = 1' : `${column} IN (${ids.map((id) => `'${id}'`).join() || 'NULL'})`;
}

/** Every key and every redeemed card has its event, and no event is without one of them. */
function unmatchedEvents(causes: string, type: string, member: string, kind: Tables['kind']): string {
  const data = kind === 'sqlite' ? 'data' : 'CAST(data AS json)';
  const events = `SELECT ${data} ->> '${member}' AS id FROM events WHERE type = '${type}'`;
  return `SELECT id, '${type}' AS type FROM (${causes} UNION ALL ${events}) AS both_sides
    GROUP BY id HAVING count(*) <> 2 LIMIT 1`;
}

function compare(
  [trials = [], cards = [], settled = [], holds = [], charges = [], keyEvents = [], cardEvents = [], ...audit]: Rows[],
  facts: Facts,
  begun: ReadonlyMap<string, number>,
): string[] {
  return [
    ...compareFacts([trials, cards, settled, holds, charges], facts, begun),
    ...[...keyEvents, ...cardEvents].map(({ id, type }) => `${id} and the events ${type} do not agree`),
    ...AUDIT.decode(audit, {}).differences.map((difference) => `audit: ${JSON.stringify(difference)}`),
  ];
}

function compareFacts(
  [trials = [], cards = [], settled = [], holds = [], charges = []]: Rows[],
  facts: Facts,
  begun: ReadonlyMap<string, number>,
): string[] {
  return [
    ...missingAccounts(trials, facts),
    ...wrongRedeems(cards, facts),
    ...wrongSettlements(settled, facts),
    ...openHolds(holds),
    ...chargedTwice(charges, begun),
  ];
}

function missingAccounts(trials: Rows, { accounts }: Facts): string[] {
  const byId = new Map(trials.map((row) => [row.id, row]));
  return accounts
    .filter(({ accountId }) => byId.get(accountId)?.n !== 1n || byId.get(accountId)?.total !== TRIAL)
    .map(({ accountId }) => `an acknowledged account is not there: ${accountId}`);
}

function wrongRedeems(cards: Rows, { redeems }: Facts): string[] {
  const bySerial = Map.groupBy(cards, ({ id }) => id);
  return redeems.flatMap(({ serial, accountId, amount }) => {
    const credits = bySerial.get(serial) ?? [];
    const isRight = credits.length === 1 && credits[0]?.account_id === accountId && credits[0].amount_nano === amount;
    return isRight ? [] : [`card ${serial} was acknowledged to ${accountId}, and credited ${credits.length} times`];
  });
}

function wrongSettlements(settled: Rows, { requests }: Facts): string[] {
  const byId = new Map(settled.map((row) => [row.id, row]));
  return requests.flatMap(({ requestId, cost }) => {
    const row = byId.get(requestId);
    const isRight = row?.cost_nano === cost && row.total === cost && row.n === (cost > 0n ? 1n : 0n);
    if (isRight) return [];
    return [`${requestId} was acknowledged at ${cost}; the ledger has ${row?.total} in ${row?.n} entries`];
  });
}

/** Nobody has called yet: whatever is open was left by the dead. */
function openHolds([row]: Rows): string[] {
  return row?.n === 0n ? [] : [`${row?.n} holds are left open`];
}

/** An account is never charged more often than the upstream began to work for it. */
function chargedTwice(charges: Rows, begun: ReadonlyMap<string, number>): string[] {
  return charges
    .map(({ id, n }) => ({ account: String(id), charged: Number(n), served: begun.get(String(id)) ?? 0 }))
    .filter(({ charged, served }) => charged > served)
    .map(({ account, charged, served }) => `${account} was charged ${charged} times, served ${served} times`);
}
