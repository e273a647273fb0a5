// The list of accounts in pages, sorted by one of their figures. Figures of usage are sums of days, never of records. Only the
// figure that a list is sorted by is looked up for all accounts; the others for those of the page.

import { foldName } from './book/account-notes.ts';
import { REFUNDS } from './profit-reads.ts';
import { all, ask, REPORT, type Row, read, SLOW, type SqlQuery } from './read.ts';
import { IS_FAILED } from './rows.ts';
import { count, decoder, flag, money, number, sum, text } from './table.ts';

/** An id that a customer can name, or the hash of a card's code. The code itself is never sent. */
export type AccountQuery = { text: string } | { cardHash: string };

/** The field of an account that matched a search. */
export type FoundBy = 'account' | 'key' | 'last4' | 'card' | 'card_code' | 'login' | 'nickname' | 'request' | 'refused';

export const ACCOUNT_SORTS = [
  'created',
  'nickname',
  'balance',
  'spend',
  'profit',
  'last_seen',
  'failure_rate',
] as const;

export type AccountSort = (typeof ACCOUNT_SORTS)[number];

export interface AccountListQuery {
  sort: AccountSort;
  isAscending: boolean;
  /** All accounts without it. */
  wanted?: AccountQuery | undefined;
  /** The last account of the page before. */
  after?: AccountPlace | undefined;
  /** Usage counts from this Taipei day on. */
  sinceDay: number;
  limit: number;
}

/** Where an account is in a sorted list. */
export interface AccountPlace {
  /** As text, whatever the list is sorted by. */
  value: string;
  accountId: string;
}

const SUMS = `SELECT account_id, CAST(sum(cost_nano) AS BIGINT) AS spend, CAST(sum(requests) AS BIGINT) AS requests,
    CAST(sum(CASE WHEN ${IS_FAILED} THEN requests ELSE 0 END) AS BIGINT) AS failed,
    CAST(sum(known_requests) AS BIGINT) AS known, CAST(sum(known_revenue_nano - upstream_nano) AS BIGINT) AS gained
  FROM usage_days WHERE day >= ?`;
const LOST = 'SELECT account_id, CAST(sum(amount_nano) AS BIGINT) AS lost FROM loss_sums WHERE day >= ?';
const REFUNDED = `SELECT account_id, CAST(sum(amount_nano) AS BIGINT) AS refunded FROM ${REFUNDS} WHERE is_known AND day >= ?`;
const LAST_SEEN = 'SELECT max(at) FROM usage_records WHERE usage_records.account_id = accounts.account_id';
const ofAll = (value: string) => `SELECT accounts.account_id, ${value} AS value FROM accounts
  LEFT JOIN (${SUMS} GROUP BY account_id) AS sums ON sums.account_id = accounts.account_id`;

interface Sorted {
  sql: string;
  /** The number of parameters for the first day. */
  days?: number;
  isText?: true;
}

/** Beyond every amount: an unknown profit goes last in either order. */
const LAST = 9_223_372_036_854_775_807n;

/** `value` is compared; it is never NULL. Those without a call are below those of which none failed. */
const SORTED: Readonly<Record<AccountSort, Sorted>> = {
  created: { sql: 'SELECT account_id, created_at AS value FROM accounts' },
  balance: { sql: 'SELECT account_id, balance_nano AS value FROM wallets' },
  // Those without a nickname go last: no name begins with this character.
  nickname: {
    sql: `SELECT accounts.account_id, coalesce(nullif(search, ''), '\u{10fffd}') AS value FROM accounts
      LEFT JOIN account_notes ON account_notes.account_id = accounts.account_id`,
    isText: true,
  },
  profit: {
    sql: `SELECT accounts.account_id, CASE WHEN requests > 0 AND known = 0 THEN LAST
        ELSE coalesce(gained, 0) - coalesce(lost, 0) - coalesce(refunded, 0) END AS value
      FROM accounts
      LEFT JOIN (${SUMS} GROUP BY account_id) AS sums ON sums.account_id = accounts.account_id
      LEFT JOIN (${LOST} GROUP BY account_id) AS lost_sums ON lost_sums.account_id = accounts.account_id
      LEFT JOIN (${REFUNDED} GROUP BY account_id) AS refund_sums ON refund_sums.account_id = accounts.account_id`,
    days: 3,
  },
  spend: { sql: ofAll('coalesce(spend, 0)'), days: 1 },
  failure_rate: { sql: ofAll('coalesce(failed * 1000000 / requests, -1)'), days: 1 },
  last_seen: { sql: `SELECT account_id, coalesce((${LAST_SEEN}), 0) AS value FROM accounts` },
};

export const ACCOUNT_LIST_READS = {
  /** At most one more than the limit, so that the caller knows whether there is a next page. */
  accountList: read(REPORT, listQuery, all(decodeListed)),
  accountCount: read(
    REPORT,
    () => ask('SELECT count(*) AS accounts FROM accounts'),
    ([row]) => Number(row?.accounts ?? 0),
  ),
  /** Both null if the operator wrote nothing. */
  accountNote: read(
    SLOW,
    (accountId: string) => ask('SELECT nickname, note FROM account_notes WHERE account_id = ?', accountId),
    ([row]) => decodeNote(row),
  ),
};

function listQuery({ sort, isAscending, wanted, after, sinceDay, limit }: AccountListQuery): SqlQuery {
  const { sql, days = 0, isText } = SORTED[sort];
  const order = isAscending ? 'ASC' : 'DESC';
  const found = wanted ? foundAccounts(wanted) : { sql: `SELECT NULL AS account_id, NULL AS found_by`, values: [] };
  const value = isText ? '?' : 'CAST(? AS BIGINT)';
  const conditions = [
    ...(wanted ? ['account_id IN (SELECT account_id FROM found)'] : []),
    ...(after ? [`(value, account_id) ${isAscending ? '>' : '<'} (${value}, ?)`] : []),
  ];
  return ask(
    `WITH found AS MATERIALIZED (SELECT account_id, min(found_by) AS found_by FROM (${found.sql}) AS ways GROUP BY account_id),
    page AS MATERIALIZED (
      SELECT account_id, value FROM (${sql.replace('LAST', String(isAscending ? LAST : -LAST))}) AS sorted ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
      ORDER BY value ${order}, account_id ${order} LIMIT ?
    )
    SELECT page.account_id, value, created_at, balance_nano, frozen, nickname, note, spend, requests, failed, known, gained,
      lost, refunded, found_by, (${LAST_SEEN}) AS last_seen
    FROM page
    JOIN accounts ON accounts.account_id = page.account_id
    JOIN wallets ON wallets.account_id = page.account_id
    LEFT JOIN account_notes ON account_notes.account_id = page.account_id
    LEFT JOIN found ON found.account_id = page.account_id
    LEFT JOIN (${SUMS} AND account_id IN (SELECT account_id FROM page) GROUP BY account_id) AS used
      ON used.account_id = page.account_id
    LEFT JOIN (${LOST} AND account_id IN (SELECT account_id FROM page) GROUP BY account_id) AS losing
      ON losing.account_id = page.account_id
    LEFT JOIN (${REFUNDED} AND account_id IN (SELECT account_id FROM page) GROUP BY account_id) AS refunding
      ON refunding.account_id = page.account_id
    ORDER BY value ${order}, page.account_id ${order}`,
    ...found.values,
    ...Array.from({ length: days }, () => sinceDay),
    ...(after ? [after.value, after.accountId] : []),
    limit + 1,
    sinceDay,
    sinceDay,
    sinceDay,
  );
}

const NOTE = { nickname: text<string | null>('nickname'), note: text<string | null>('note') };
const decodeNote = decoder(NOTE);

const decodeAccount = decoder({
  accountId: text('account_id'),
  createdAt: number('created_at'),
  ...NOTE,
  balance: money('balance_nano'),
  frozen: flag('frozen'),
  spend: sum('spend'),
  /** Calls that were admitted, and those of them that failed. */
  requests: count('requests'),
  failed: count('failed'),
  /** When its last admitted call began; null if there was none. */
  lastSeenAt: number<number | null>('last_seen'),
  /** Null unless it was searched for. */
  by: text<FoundBy | null>('found_by'),
});
const decodeGains = decoder({
  known: count('known'),
  gained: sum('gained'),
  lost: sum('lost'),
  refunded: sum('refunded'),
});

export interface ListedAccount extends ReturnType<typeof decodeAccount> {
  /** Profit of the calls with a known upstream cost, minus losses and refunds; null if no call has a known cost. */
  profit: bigint | null;
  place: AccountPlace;
}

function decodeListed(row: Row): ListedAccount {
  const account = decodeAccount(row);
  const { known, gained, lost, refunded } = decodeGains(row);
  return {
    ...account,
    profit: account.requests > 0 && known === 0 ? null : gained - lost - refunded,
    place: { value: String(row.value), accountId: account.accountId },
  };
}

/**
 * Accounts are found by whole id, the last four characters of a key, card, login name or request, each by an index of
 * its own, and by a part of the nickname.
 */
const BY_CARD_CODE = `SELECT redeemed_by AS account_id, 'card_code' AS found_by FROM cards WHERE hash = ?`;

/** The ledger entry of a request outlives its usage record. */
const BY_TEXT = `SELECT account_id, 'account' AS found_by FROM accounts WHERE account_id = ?
  UNION ALL SELECT account_id, 'key' FROM keys WHERE key_id = ?
  UNION ALL SELECT account_id, 'last4' FROM keys WHERE last4 = ?
  UNION ALL SELECT redeemed_by, 'card' FROM cards WHERE serial = ?
  UNION ALL SELECT account_id, 'login' FROM login_names WHERE name = ?
  UNION ALL SELECT account_id, 'request' FROM usage_records WHERE request_id = ?
  UNION ALL SELECT account_id, 'request' FROM holds WHERE request_id = ?
  UNION ALL SELECT account_id, 'request' FROM entries WHERE kind = 'usage' AND reference = ?
  UNION ALL SELECT account_id, 'refused' FROM refused_requests WHERE request_id = ?
  UNION ALL SELECT account_id, 'nickname' FROM account_notes WHERE search LIKE ? ESCAPE '\\'`;

/** Rows of `account_id` and `found_by`. A card that is not redeemed and an unknown account have no account id. */
function foundAccounts(wanted: AccountQuery): SqlQuery {
  if ('cardHash' in wanted) return { sql: BY_CARD_CODE, values: [wanted.cardHash] };
  const { text } = wanted;
  const part = `%${foldName(text).replaceAll(/[\\%_]/g, '\\$&')}%`;
  const values = [text, text, text, text.toUpperCase(), text.toLowerCase(), text, text, text, text, part];
  return { sql: BY_TEXT, values };
}
