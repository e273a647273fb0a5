// What must be true of the tables: at any moment, and when everything has come to rest.

import type { Database } from 'bun:sqlite';
import { auditLedger } from '../support/audit-ledger.ts';
import { findWrong } from '../torture/verify.ts';
import { findForeign, findRepeated, findUndelivered } from './check-webhooks.ts';
import { type Clients, lineOf, type OwnKey, SECRET } from './clients.ts';
import type { Cluster } from './cluster.ts';
import { COSTS, PRICES } from './document.ts';
import { type InjectedFailure, isOutside } from './failure-kinds.ts';
import { INPUT_TOKENS, type Run } from './vendors.ts';
import { type Violation, violations } from './violation.ts';

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
];

function broken(db: Database, rules: readonly Rule[]): Violation[] {
  return rules.flatMap((rule) => {
    const rows = db.query<Record<string, unknown>, []>(rule.broken).all();
    return violations(
      rule.holds,
      rows.map((row) => Object.values(row).join()),
    );
  });
}

export function checkMeanwhile(cluster: Cluster, failures: readonly InjectedFailure[]): Violation[] {
  cluster.database.check();
  return [
    ...broken(cluster.database.tables, ALWAYS),
    ...cluster.database.miscounted,
    ...miscounted(cluster),
    ...violations('an event is sent again only if its sender could not know', findRepeated(cluster, failures)),
  ];
}

/** Slots that the tables count and no call has, or the reverse. */
function miscounted({ database: { tables, freeDays, minuteLimits } }: Cluster): Violation[] {
  return [
    ...violations('the free calls of a day are counted', freeDays.findMiscounted(tables)),
    ...violations('the calls of a minute are counted', minuteLimits.findMiscounted(tables)),
  ];
}

/** The service has failed: that is no invariant, and a planted bug that only does this is not found. */
export function findCrashes(cluster: Cluster): string[] {
  return alarmed(cluster, ['close_failed']);
}

/** Nothing runs, and everything works. */
export function checkAtRest(cluster: Cluster, clients: Clients, failures: readonly InjectedFailure[]): Violation[] {
  const wasOutside = failures.every(isOutside);
  const wasClockSet = failures.some(({ what }) => what === 'clock');
  const { database, vendors } = cluster;
  database.check();
  const db = database.tables;
  const begun = new Map(
    [...clients.promptsOf].map(([account, prompts]) => [
      account,
      prompts.reduce((sum, number) => sum + (vendors.runs.get(number)?.length ?? 0), 0),
    ]),
  );
  const checks: Record<string, string[]> = {
    'the ledger agrees with its rows': auditLedger(db),
    'what was acknowledged is there once, and no hold is left': findWrong(db, clients.facts, begun),
    'no key spends more than its budget': brokenBudgets(db, clients.ownKeys),
    'no call is refused while its minute has room': wasClockSet ? [] : database.minuteLimits.refusedEarly,
    'a charge is what the usage costs': wrongCosts(db, cluster, clients),
    'what vendors bill is recorded': missingLosses(db, cluster, clients),
    'no more is recorded than vendors bill': excessLosses(db, cluster, clients),
    'each event reaches each webhook': findUndelivered(cluster),
    'only events of its account reach a webhook': findForeign(cluster),
    'each message is signed with the secret of its webhook': cluster.receivers.unsigned,
    'an event is sent again only if its sender could not know': findRepeated(cluster, failures),
    'no prompt and no answer is stored': found(db, cluster),
    'a retired model is not served': wasOutside ? clients.servedRetired : [],
    'the service finds nothing wrong with itself': alarmed(cluster, NEVER),
    'no alarm without a fault of a node or the database': wasOutside ? alarmed(cluster, ONLY_IN_FAILURE) : [],
  };
  return [
    ...broken(db, ALWAYS),
    ...database.miscounted,
    ...miscounted(cluster),
    ...database.openHolds.findCharged(db),
    ...database.openHolds.findUnbooked(cluster.crashed),
    ...Object.entries(checks).flatMap(([invariant, details]) => violations(invariant, details)),
    ...(wasOutside ? broken(db, ALL_LIVED) : []),
  ];
}

/** Alarms that say that the service itself is wrong. */
const NEVER = ['ledger_unbalanced', 'wallet_frozen'];
/** Alarms that need a node or a database that was away. */
const ONLY_IN_FAILURE = ['settle_after_release', 'settle_retrying', 'store_failed'];

const ALL_LIVED: readonly Rule[] = [
  {
    holds: 'no request counts as abandoned while every node lives',
    broken: `SELECT request_id FROM usage_records WHERE status = 'gateway_died'`,
  },
];

/** Lines of these alarms. */
function alarmed({ alarms }: Cluster, names: readonly string[]): string[] {
  return alarms.filter((line) => names.includes(JSON.parse(line).event));
}

/** Total budgets as they were acknowledged: of a key, and of all keys below it. */
function brokenBudgets(db: Database, keys: readonly OwnKey[]): string[] {
  const rows = db.query<{ key_id: string; n: bigint }, []>(
    'SELECT key_id, sum(cost_nano) AS n FROM usage_records GROUP BY key_id',
  );
  const spent = new Map(rows.all().map(({ key_id: keyId, n }) => [keyId, n]));
  return keys.flatMap(({ keyId, total }) => {
    const below = keys.filter((key) => lineOf(key).some((above) => above.keyId === keyId));
    const sum = below.reduce((all, key) => all + (spent.get(key.keyId) ?? 0n), 0n);
    return total === undefined || sum <= total ? [] : [`the key ${keyId} has spent ${sum} of ${total}`];
  });
}

/** The run of one vendor that is the whole story of a prompt, and was reported. */
function onlyRun({ vendors }: Cluster, number: string): Run | undefined {
  const [run, ...others] = vendors.runs.get(number) ?? [];
  return run?.isWhole && run.hasUsage && others.length === 0 ? run : undefined;
}

interface Closed {
  held: bigint;
  /** JSON; none of a swept call. */
  attempts: string;
}

function closedIn(db: Database, requestId: string): Closed | undefined {
  const record = db.query<Closed, [string]>(
    'SELECT held_nano AS held, attempts FROM usage_records WHERE request_id = ?',
  );
  return record.get(requestId) ?? undefined;
}

/** The charge is what the usage costs, or the hold if that is less. */
function wrongCosts(db: Database, cluster: Cluster, { paid }: Clients): string[] {
  return paid.flatMap(({ requestId, number, cost }) => {
    const run = onlyRun(cluster, number);
    const held = closedIn(db, requestId)?.held;
    if (!run || held === undefined) return [];
    const due = billAt(PRICES, run.input, run);
    const charge = due < held ? due : held;
    return cost === charge ? [] : [`${requestId} was charged ${cost}, and costs ${charge}`];
  });
}

/** Where the client has the whole answer of the only attempt, the gateway has read its report. */
function excessLosses(db: Database, cluster: Cluster, { requestOf, whole }: Clients): string[] {
  return [...requestOf].flatMap(([number, requestId]) => {
    const run = onlyRun(cluster, number);
    const attempts = closedIn(db, requestId)?.attempts ?? '[]';
    if (!run || !whole.has(number) || JSON.parse(attempts).length !== 1) return [];
    const bill = billAt(COSTS, run.input, run);
    const booked = recordedFor(db, 'request_id', requestId);
    return booked <= bill ? [] : [`vendors bill ${bill} for ${requestId}, and ${booked} is recorded`];
  });
}

/** Vendors bill a call, and all calls of an account, no more than what is recorded as their cost and as losses. */
function missingLosses(db: Database, cluster: Cluster, { promptsOf, requestOf, whole }: Clients): string[] {
  const { vendors, database } = cluster;
  // A node that died before it could book what it had read has told nobody.
  const hasCrashed = (request: string) => database.openHolds.isOn(request, cluster.crashed);
  const billed = (prompts: readonly string[]) =>
    prompts.flatMap((number) => vendors.runs.get(number) ?? []).reduce((sum, run) => sum + billOf(run), 0n);
  const exceeded = (column: string, id: string, bill: bigint) => {
    const booked = recordedFor(db, column, id);
    return booked >= bill ? [] : [`vendors bill ${bill} for ${id}, and ${booked} is recorded`];
  };
  return [
    ...[...promptsOf].flatMap(([account, prompts]) => exceeded('account_id', account, billed(prompts))),
    ...[...requestOf].flatMap(([number, request]) => {
      const run = whole.has(number) && !hasCrashed(request) ? onlyRun(cluster, number) : undefined;
      return exceeded('request_id', request, run ? billAt(COSTS, run.input, run) : billed([number]));
    }),
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
function billOf(run: Run): bigint {
  return billAt(COSTS, INPUT_TOKENS, run.isHeard ? run : { words: 0 });
}

function billAt({ input, output }: typeof COSTS, tokens: number, { words }: Pick<Run, 'words'>): bigint {
  return BigInt(tokens) * input + BigInt(words) * output;
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
