// What must be true of the tables: at any moment, and when everything has come to rest.

import type { Database } from 'bun:sqlite';
import { auditLedger } from '../support/audit-ledger.ts';
import { findWrong } from '../torture/verify.ts';
import { findRepeated, findUndelivered } from './check-webhooks.ts';
import { type Clients, SECRET } from './clients.ts';
import type { Cluster } from './cluster.ts';
import { COSTS, LIMITS, PRICES } from './document.ts';
import { isOutside, type Mishap } from './misfortune.ts';
import { INPUT_TOKENS, type Run } from './vendors.ts';

interface Rule {
  holds: string;
  broken: string;
}

const ALWAYS: readonly Rule[] = [
  {
    holds: 'no wallet is below zero, or below what is held of it',
    broken: 'SELECT account_id FROM wallets WHERE balance_nano < held_nano OR held_nano < 0',
  },
  {
    holds: 'what is held are the open holds',
    broken: `SELECT account_id FROM wallets w WHERE held_nano <>
      (SELECT coalesce(sum(amount_nano), 0) FROM holds h WHERE h.account_id = w.account_id)`,
  },
  {
    holds: 'a request is charged once',
    broken: `SELECT reference FROM entries WHERE kind = 'usage' GROUP BY reference HAVING count(*) > 1`,
  },
  {
    holds: 'no account has more paid calls in flight than it may',
    broken: `SELECT account_id FROM wallets WHERE in_flight > ${LIMITS.in_flight}`,
  },
];

function broken(db: Database, rules: readonly Rule[]): string[] {
  return rules.flatMap((rule) =>
    db
      .query<Record<string, unknown>, []>(rule.broken)
      .all()
      .map((row) => `${rule.holds}: ${Object.values(row).join()}`),
  );
}

export function checkMeanwhile(cluster: Cluster, mishaps: readonly Mishap[]): string[] {
  cluster.database.post();
  return [...broken(cluster.database.tables, ALWAYS), ...findRepeated(cluster, mishaps)];
}

/** Nothing runs, and everything works. */
export function checkAtRest(cluster: Cluster, clients: Clients, mishaps: readonly Mishap[]): string[] {
  const wasOutside = mishaps.every(isOutside);
  const { database, vendors } = cluster;
  database.post();
  const db = database.tables;
  const begun = new Map(
    [...clients.promptsOf].map(([account, prompts]) => [
      account,
      prompts.reduce((sum, number) => sum + (vendors.runs.get(number)?.length ?? 0), 0),
    ]),
  );
  return [
    ...broken(db, ALWAYS),
    ...auditLedger(db),
    ...findWrong(db, clients.facts, begun),
    ...brokenBudgets(db, clients.budgets),
    ...freeBeyondLimit(db),
    ...database.minuteLimits.exceeded,
    ...(mishaps.some(({ what }) => what === 'clock') ? [] : database.minuteLimits.refusedEarly),
    ...wrongCosts(cluster, clients),
    ...missingLosses(db, cluster, clients),
    ...findUndelivered(cluster),
    ...findRepeated(cluster, mishaps),
    ...found(db, cluster),
    ...(wasOutside ? clients.servedRetired.map((number) => `${number}: a retired model is served`) : []),
    ...alarmed(cluster.log, wasOutside ? [...NEVER, ...ONLY_IN_TROUBLE] : NEVER),
    ...(wasOutside ? broken(db, ALL_LIVED) : []),
  ];
}

/** Alarms that say that the service itself is wrong. */
const NEVER = ['ledger_unbalanced', 'close_failed', 'wallet_frozen'];
/** Alarms that need a node or a database that was away. */
const ONLY_IN_TROUBLE = ['settle_after_release', 'settle_retrying', 'store_failed'];

const ALL_LIVED: readonly Rule[] = [
  {
    holds: 'no request counts as abandoned while every node lives',
    broken: `SELECT request_id FROM usage_records WHERE status = 'gateway_died'`,
  },
];

function alarmed(log: readonly string[], names: readonly string[]): string[] {
  const lines = log.filter((line) => line.includes('"alarm"')).map((line) => JSON.parse(line));
  return lines
    .filter(({ level, event }) => level === 'alarm' && names.includes(event))
    .map((line) => JSON.stringify(line));
}

function brokenBudgets(db: Database, budgets: ReadonlyMap<string, bigint>): string[] {
  const spent = db.query<{ key_id: string; n: bigint }, []>(
    'SELECT key_id, sum(cost_nano) AS n FROM usage_records GROUP BY key_id',
  );
  return spent
    .all()
    .filter(({ key_id: key, n }) => n > (budgets.get(key) ?? n))
    .map(({ key_id: key, n }) => `the key ${key} has spent ${n} of ${budgets.get(key)}`);
}

const TAIPEI_MS = 8 * 3_600_000;

function freeBeyondLimit(db: Database): string[] {
  const most = Math.max(LIMITS.free_per_day_zero, LIMITS.free_per_day_positive);
  return db
    .query<{ account_id: string; n: bigint }, []>(
      `SELECT account_id, count(*) AS n FROM usage_records WHERE model = 'auto:free' AND status = 'ok'
       GROUP BY account_id, (at + ${TAIPEI_MS}) / 86400000 HAVING count(*) > ${most}`,
    )
    .all()
    .map(({ account_id: account, n }) => `${account} had ${n} free calls on one day, of ${most}`);
}

/** Where one run of one vendor was the whole story, the charge is what its usage costs. */
function wrongCosts({ vendors }: Cluster, { paid }: Clients): string[] {
  return paid.flatMap(({ requestId, number, cost }) => {
    const [run, ...others] = vendors.runs.get(number) ?? [];
    if (!run?.isWhole || !run.hasUsage || others.length > 0) return [];
    const due = BigInt(INPUT_TOKENS) * PRICES.input + BigInt(run.words) * PRICES.output;
    return cost === due ? [] : [`${requestId} was charged ${cost}, and costs ${due}`];
  });
}

/** Vendors bill a call, and all calls of an account, no more than what is recorded as their cost and as losses. */
function missingLosses(db: Database, { vendors }: Cluster, { promptsOf, requestOf }: Clients): string[] {
  const billed = (prompts: readonly string[]) =>
    prompts.flatMap((number) => vendors.runs.get(number) ?? []).reduce((sum, run) => sum + billOf(run), 0n);
  const exceeded = (column: string, id: string, bill: bigint) => {
    const booked = recordedFor(db, column, id);
    return booked >= bill ? [] : [`vendors bill ${bill} for ${id}, and ${booked} is recorded`];
  };
  return [
    ...[...promptsOf].flatMap(([account, prompts]) => exceeded('account_id', account, billed(prompts))),
    ...[...requestOf].flatMap(([number, request]) => exceeded('request_id', request, billed([number]))),
  ];
}

function recordedFor(db: Database, column: string, id: string): bigint {
  const recorded = db.query<{ n: bigint }, [string]>(
    `SELECT (SELECT coalesce(sum(upstream_nano), 0) FROM usage_records WHERE ${column} = ?1)
       + (SELECT coalesce(sum(amount_nano), 0) FROM losses WHERE ${column} = ?1 AND model <> 'auto:free') AS n`,
  );
  return recorded.get(id)?.n ?? 0n;
}

/** At least: the output of a run whose end did not arrive is known to the vendor alone. */
function billOf({ words, isHeard }: Run): bigint {
  return BigInt(INPUT_TOKENS) * COSTS.input + (isHeard ? BigInt(words) * COSTS.output : 0n);
}

/** No prompt and no answer is in the database, in a log or in a message of a webhook. */
function found(db: Database, { log, receivers }: Cluster): string[] {
  const places: [string, Buffer][] = [
    ['the database', Buffer.from(db.serialize())],
    ['a log', Buffer.from(log.join(''))],
    ['a webhook', Buffer.from(receivers.bodies.join(''))],
  ];
  return places.flatMap(([place, bytes]) =>
    [SECRET, 'reply-p'].filter((text) => bytes.includes(text)).map((text) => `${place} has "${text}"`),
  );
}
