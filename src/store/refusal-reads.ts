// Reads of refused requests, for the operator.

import { all, ask, QUICK, read, SLOW } from './read.ts';
import { decodeCount, decodeRefused } from './refusals.ts';
import { given, type SqlQuery, where } from './sql-query.ts';

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
