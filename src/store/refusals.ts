// Refused requests: how many there were of each account, key and code on a day, and the newest ones of each account.
// They are written in small transactions between those of money: on PostgreSQL by another connection, on SQLite by the same
// thread, where an admission waits for at most one of them.

/** `accountId` and `keyId` are empty if the key of the request is unknown. */
export interface RefusalCount {
  accountId: string;
  /** Taipei's. */
  day: number;
  keyId: string;
  code: string;
  refused: number;
}

type RefusalFigures = Readonly<Record<string, string | number>>;

/** Ids, times and figures of the gateway: nothing that a client wrote. */
export interface RefusedRequest {
  requestId: string;
  accountId: string;
  keyId: string;
  at: number;
  /** Method and path of the route, empty if there is none. */
  endpoint: string;
  /** As the catalog spells it; null for one that it does not have. */
  model: string | null;
  status: number;
  code: string;
  figures: RefusalFigures;
}

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

export const COUNT_COLUMNS = ['account_id', 'day', 'key_id', 'code', 'refused'] as const;
export const REQUEST_COLUMNS = [
  ...(['request_id', 'account_id', 'key_id', 'at', 'endpoint', 'model', 'status', 'code', 'figures'] as const),
];

/** In one order for all nodes, so that none waits for another in a circle. */
export function countRows(counts: readonly RefusalCount[]): [string, number, string, string, number][] {
  return counts
    .map(({ accountId, day, keyId, code, refused }): [string, number, string, string, number] => [
      ...([accountId, day, keyId, code] as const),
      refused,
    ])
    .sort((a, b) => (a.slice(0, 4).join() < b.slice(0, 4).join() ? -1 : 1));
}

export function requestRows(requests: readonly RefusedRequest[]): (string | number | null)[][] {
  return requests.map(({ requestId, accountId, keyId, at, endpoint, model, status, code, figures }) => [
    ...[requestId, accountId, keyId, at, endpoint, model, status, code],
    JSON.stringify(figures),
  ]);
}

/** `rows`: what follows the columns, a list of values or a query. */
export const addCounts = (rows: string) => `INSERT INTO refusal_days (${COUNT_COLUMNS.join(', ')}) ${rows}
  ON CONFLICT (account_id, day, key_id, code) DO UPDATE SET refused = refusal_days.refused + excluded.refused`;

/** A batch that is repeated after a lost answer is stored already. */
export const addRequests = (rows: string) => `INSERT INTO refused_requests (${REQUEST_COLUMNS.join(', ')}) ${rows}
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
