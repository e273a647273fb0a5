// Compares what was acknowledged with what the database holds, and audits the ledger, once a killed server is back.

import type { Database } from 'bun:sqlite';
import { audit } from '../../src/store/sqlite/audit.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { withTables } from '../support/with-tables.ts';
import { keyWorks } from './calls.ts';
import type { Facts } from './facts.ts';

const TRIAL = 1_000_000_000n;
/** Keys asked over HTTP in one check; the newest are the ones at risk. */
const KEYS_ASKED = 12;

export interface Verified {
  problems: string[];
  /** Requests that were charged, ever. */
  billed: number;
  entries: number;
}

export async function verify(
  databaseFile: string,
  url: string,
  facts: Facts,
  upstreamBegun: ReadonlyMap<string, number>,
  /** Also by the tests' own audit, which is slow on a large ledger. */
  isThorough = false,
): Promise<Verified> {
  const verified = withTables(databaseFile, (db) => ({
    problems: [...findWrong(db, facts, upstreamBegun), ...(isThorough ? auditLedger(db) : [])],
    billed: count(db, BILLED),
    entries: count(db, 'SELECT count(*) AS n FROM entries'),
  }));
  for (const key of facts.keys.slice(-KEYS_ASKED)) {
    if (!(await keyWorks(url, key))) verified.problems.push(`an acknowledged key does not work: …${key.slice(-4)}`);
  }
  return verified;
}

/** What in the tables contradicts what was acknowledged, or the ledger itself. */
export function findWrong(db: Database, facts: Facts, upstreamBegun: ReadonlyMap<string, number>): string[] {
  return [
    ...facts.accounts.flatMap((account) => missingAccount(db, account.accountId)),
    ...facts.redeems.flatMap((redeem) => wrongRedeem(db, redeem)),
    ...facts.requests.flatMap((request) => wrongSettlement(db, request)),
    ...openHolds(db),
    ...chargedTwice(db, upstreamBegun),
    ...wrongEvents(db),
    ...audit(db, {}).differences.map((difference) => `audit: ${JSON.stringify(difference)}`),
  ];
}

const BILLED = 'SELECT count(*) AS n FROM usage_records WHERE cost_nano > 0';

function count(db: Database, sql: string): number {
  return Number(db.query<{ n: bigint }, []>(sql).get()?.n ?? 0);
}

function missingAccount(db: Database, accountId: string): string[] {
  const trial = db
    .query<{ n: bigint; total: bigint | null }, [string]>(
      `SELECT count(*) AS n, sum(amount_nano) AS total FROM entries
       WHERE kind = 'trial' AND account_id = ?1 AND EXISTS (SELECT 1 FROM accounts WHERE account_id = ?1)`,
    )
    .get(accountId);
  return trial?.n === 1n && trial.total === TRIAL ? [] : [`an acknowledged account is not there: ${accountId}`];
}

function wrongRedeem(db: Database, { serial, accountId, amount }: Facts['redeems'][number]): string[] {
  const credits = db
    .query<{ account_id: string; amount_nano: bigint }, [string]>(
      `SELECT account_id, amount_nano FROM entries WHERE kind = 'card' AND reference = ?`,
    )
    .all(serial);
  const isRight = credits.length === 1 && credits[0]?.account_id === accountId && credits[0].amount_nano === amount;
  return isRight ? [] : [`card ${serial} was acknowledged to ${accountId}, and credited ${credits.length} times`];
}

function wrongSettlement(db: Database, { requestId, cost }: Facts['requests'][number]): string[] {
  const row = db
    .query<{ cost_nano: bigint; n: bigint; total: bigint }, [string]>(
      `SELECT cost_nano, count(entry_id) AS n, coalesce(sum(amount_nano), 0) AS total
       FROM usage_records LEFT JOIN entries ON kind = 'usage' AND reference = request_id
       WHERE request_id = ? GROUP BY request_id`,
    )
    .get(requestId);
  const isRight = row?.cost_nano === cost && row.total === cost && row.n === (cost > 0n ? 1n : 0n);
  return isRight ? [] : [`${requestId} was acknowledged at ${cost}; the ledger has ${row?.total} in ${row?.n} entries`];
}

/** Nobody has called yet: whatever is open was left by the dead. */
function openHolds(db: Database): string[] {
  const open = count(db, 'SELECT count(*) AS n FROM holds');
  return open === 0 ? [] : [`${open} holds are left open`];
}

/** Every key and every redeemed card has its event, and no event is without one of them. */
function wrongEvents(db: Database): string[] {
  const pairs: [causes: string, type: string, member: string][] = [
    ['SELECT key_id AS id FROM keys', 'key.created', 'key_id'],
    [`SELECT serial AS id FROM cards WHERE state = 'redeemed'`, 'card.redeemed', 'card_serial'],
  ];
  return pairs.flatMap(([causes, type, member]) => {
    const events = `SELECT data ->> '${member}' AS id FROM events WHERE type = '${type}'`;
    const wrong = db.query<{ id: string }, []>(
      `SELECT id FROM (${causes} UNION ALL ${events}) GROUP BY id HAVING count(*) <> 2 LIMIT 1`,
    );
    return wrong.all().map(({ id }) => `${id} and the events ${type} do not agree`);
  });
}

/** An account is never charged more often than the upstream began to work for it. */
function chargedTwice(db: Database, begun: ReadonlyMap<string, number>): string[] {
  return db
    .query<{ account_id: string; n: bigint }, []>(
      `SELECT account_id, count(*) AS n FROM entries WHERE kind = 'usage' GROUP BY account_id`,
    )
    .all()
    .filter(({ account_id: account, n }) => Number(n) > (begun.get(account) ?? 0))
    .map(({ account_id: account, n }) => `${account} was charged ${n} times, served ${begun.get(account) ?? 0} times`);
}
