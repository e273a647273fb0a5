// Refused requests: how many there were of each account, key and code on a day, and the newest ones of each account.
// They are written in small transactions between those of money: on PostgreSQL by another connection, on SQLite by the same
// thread, where an admission waits for at most one of them.

import { all, ask, given, QUICK, read, SLOW, type SqlQuery, where } from './read.ts';
import { columnsOf, decoder, json, number, text } from './table.ts';

/** `accountId` and `keyId` are empty if the key of the request is unknown. */
const COUNT_FIELDS = {
  accountId: text('account_id'),
  /** Taipei's. */
  day: number('day'),
  keyId: text('key_id'),
  code: text('code'),
  refused: number('refused'),
};
export const COUNT_COLUMNS = columnsOf(COUNT_FIELDS);
export const decodeCount = decoder(COUNT_FIELDS);
export interface RefusalCount extends ReturnType<typeof decodeCount> {}

/** Ids, times and figures of the gateway: nothing that a client wrote. */
const REQUEST_FIELDS = {
  requestId: text('request_id'),
  accountId: text('account_id'),
  keyId: text('key_id'),
  at: number('at'),
  /** Method and path of the route, empty if there is none. */
  endpoint: text('endpoint'),
  /** As the catalog spells it; null for one that it does not have. */
  model: text<string | null>('model'),
  status: number('status'),
  code: text('code'),
  figures: json<Readonly<Record<string, string | number>>>('figures'),
};
export const REQUEST_COLUMNS = columnsOf(REQUEST_FIELDS);
export const decodeRefused = decoder(REQUEST_FIELDS);
export interface RefusedRequest extends ReturnType<typeof decodeRefused> {}

/** A batch whose answer was lost is written again with the same number, and is counted once. */
export interface RefusalBatch {
  /** The node that numbers them. */
  source: string;
  /** Increases with each batch of a source. */
  number: number;
  counts: readonly RefusalCount[];
  requests: readonly RefusedRequest[];
}

export const REFUSED_DAYS = 7;
/** The newest requests that are kept of each account. */
export const KEPT_PER_ACCOUNT = 100;
/** The same for each code where the account is unknown, so that many unknown paths do not evict an invalid key. */
export const KEPT_PER_CODE = 250;

/** In one order for all nodes, so that none waits for another in a circle. */
export function inOneOrder(counts: readonly RefusalCount[]): RefusalCount[] {
  const place = ({ accountId, day, keyId, code }: RefusalCount) => [accountId, day, keyId, code].join();
  return counts.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

const namesOf = (columns: typeof COUNT_COLUMNS) => columns.map(({ name }) => name).join(', ');

/** `rows`: what follows the columns, a list of values or a query. */
export const addCounts = (rows: string) => `INSERT INTO refusal_days (${namesOf(COUNT_COLUMNS)}) ${rows}
  ON CONFLICT (account_id, day, key_id, code) DO UPDATE SET refused = refusal_days.refused + excluded.refused`;

/** A batch that is repeated after a lost answer is stored already. */
export const addRequests = (rows: string) => `INSERT INTO refused_requests (${namesOf(REQUEST_COLUMNS)}) ${rows}
  ON CONFLICT (request_id) DO NOTHING`;

/** Ids sort by age. `accounts`: a query of the accounts that may have too many. */
export const trimRequests = (accounts: string) => `DELETE FROM refused_requests WHERE request_id IN (
    SELECT request_id FROM (
      SELECT request_id, account_id, row_number() OVER (
        PARTITION BY account_id, CASE account_id WHEN '' THEN code ELSE '' END ORDER BY request_id DESC
      ) AS nth
      FROM refused_requests WHERE account_id IN (${accounts})
    ) AS ranked
    WHERE nth > CASE account_id WHEN '' THEN ${KEPT_PER_CODE} ELSE ${KEPT_PER_ACCOUNT} END
  )`;

export function accountsOf(requests: readonly RefusedRequest[]): string[] {
  return [...new Set(requests.map(({ accountId }) => accountId))];
}

const MAX_LISTED = 1_000;

export interface RefusalQuery {
  /** Empty: those whose account is unknown. */
  accountId?: string | undefined;
  requestId?: string | undefined;
}

export const REFUSAL_READS = {
  /** Newest first, at most 1,000. */
  refusedRequests: read(QUICK, refusedQuery, all(decodeRefused)),
  /** By day, key and code, the newest day first. */
  refusalCounts: read(
    SLOW,
    (accountId: string, fromDay: number) =>
      ask(
        `SELECT * FROM refusal_days WHERE account_id = ? AND day >= ? ORDER BY day DESC, refused DESC, key_id, code
         LIMIT 1000`,
        accountId,
        fromDay,
      ),
    all(decodeCount),
  ),
};

function refusedQuery({ accountId, requestId }: RefusalQuery): SqlQuery {
  const { sql, values } = where([given('account_id = ?', accountId), given('request_id = ?', requestId)]);
  return ask(`SELECT * FROM refused_requests ${sql} ORDER BY request_id DESC LIMIT ?`, ...values, MAX_LISTED);
}
