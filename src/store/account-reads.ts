// Reads about one account: its keys, wallet, limits and login; and of open holds, with the leases of the nodes that opened them.

import { KEPT_AT } from './kept-usage.ts';
import { all, ask, first, many, one, QUICK, QUICK_JOURNALED, REPORT, type Row, read } from './read.ts';
import { BILLING, KEY_BUDGETS, KEYS, type KeyChain, LEASES, LOGINS, WALLETS, WINDOWS } from './rows.ts';
import { count, decoder, json, money, number, sum, text } from './table.ts';

const UNUSED = `WHERE revoked_at IS NULL AND created_at < ? AND ? >= ${KEPT_AT}
  AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.account_id = keys.account_id AND kind IN ('card', 'topup', 'credit'))
  AND NOT EXISTS (SELECT 1 FROM usage_records AS used WHERE used.account_id = keys.account_id
                    AND used.key_id = keys.key_id AND used.at >= ?)
  AND key_id NOT IN (SELECT key_id FROM holds)
  AND key_id NOT IN (SELECT parent_id FROM keys AS child WHERE child.parent_id IS NOT NULL AND child.revoked_at IS NULL)
  ORDER BY key_id LIMIT ?`;

const OPEN_HOLDS = 'SELECT request_id, account_id, key_id, node_id, model, amount_nano, chain FROM holds';
const ORPHANED = `${OPEN_HOLDS} WHERE node_id NOT IN (SELECT node_id FROM leases) OR node_id = ANY(?) LIMIT ?`;
const SUMS = 'SELECT count(*) AS open, coalesce(sum(amount_nano), 0) AS amount, min(opened_at) AS oldest_at FROM holds';

const decodeHold = decoder({
  requestId: text('request_id'),
  accountId: text('account_id'),
  keyId: text('key_id'),
  nodeId: text('node_id'),
  model: text('model'),
  amount: money('amount_nano'),
  chain: json<KeyChain | null>('chain'),
});
export type OpenHold = ReturnType<typeof decodeOpenHold>;
const decodeOpenHold = (row: Row) => {
  const hold = decodeHold(row);
  return { ...hold, chain: hold.chain ?? undefined };
};

/** All open holds together, of every node. */
const decodeHoldSums = decoder({
  open: count('open'),
  amount: sum('amount'),
  oldestAt: number<number | null>('oldest_at'),
});
export interface HoldSums extends ReturnType<typeof decodeHoldSums> {}

export const ACCOUNT_READS = {
  /** By its current hash, or by the one before a rotation, whose time the caller checks. The current hash comes first. */
  keyByHash: one(QUICK, KEYS, 'WHERE hash = ? OR old_hash = ? ORDER BY hash = ? DESC LIMIT 1', (hash: string) => [
    hash,
    hash,
    hash,
  ]),
  /** Revoked ones too, which may be many. */
  keysOf: many(QUICK, KEYS, 'WHERE account_id = ? ORDER BY created_at, key_id', (accountId: string) => [accountId]),
  unrevokedKeysOf: many(
    QUICK,
    KEYS,
    'WHERE account_id = ? AND revoked_at IS NULL ORDER BY created_at, key_id',
    (accountId: string) => [accountId],
  ),
  keyById: one(QUICK, KEYS, 'WHERE key_id = ?', (keyId: string) => [keyId]),
  /** Valid keys older than `since` and unused from then on, of accounts that no card and no credit ever reached and with no
   * valid key below them; none if usage of that time was deleted, because their use is then unknown. */
  unusedKeys: many(REPORT, KEYS, UNUSED, (since: number, limit: number) => [since, since, since, limit]),
  /** When an account was created. */
  accountSince: read(
    QUICK,
    (accountId: string) => ask('SELECT created_at FROM accounts WHERE account_id = ?', accountId),
    first((row) => Number(row.created_at)),
  ),
  wallet: one(QUICK_JOURNALED, WALLETS, 'WHERE account_id = ?', (accountId: string) => [accountId]),
  window: one({ ...QUICK_JOURNALED, emptyIfAbsent: true }, WINDOWS, 'WHERE window_id = ?', (windowId: string) => [
    windowId,
  ]),
  /** Keys that never paid are left out. */
  budgetsOf: many(QUICK_JOURNALED, KEY_BUDGETS, 'WHERE key_id = ANY(?)', (keyIds: readonly string[]) => [keyIds]),
  billing: one(QUICK, BILLING, 'WHERE account_id = ?', (accountId: string) => [accountId]),
  login: one(QUICK, LOGINS, 'WHERE account_id = ?', (accountId: string) => [accountId]),
  /** The login name in lower case. */
  accountByLogin: read(
    QUICK,
    (name: string) => ask('SELECT account_id FROM login_names WHERE name = ?', name),
    first((row) => String(row.account_id)),
  ),
  openHolds: read(
    QUICK_JOURNALED,
    (accountId: string) => ask(`${OPEN_HOLDS} WHERE account_id = ? ORDER BY opened_at`, accountId),
    all(decodeOpenHold),
  ),
  holdSums: read(
    QUICK_JOURNALED,
    () => ask(SUMS),
    ([row]) => decodeHoldSums(row),
  ),
  /** Open holds whose node is named in `deadNodes`, or has no lease at all. */
  orphanedHolds: read(
    QUICK_JOURNALED,
    ({ deadNodes, limit }: { deadNodes: readonly string[]; limit: number }) => ask(ORPHANED, deadNodes, limit),
    all(decodeOpenHold),
  ),
  /** Leases of all nodes, expired or not. */
  leases: many(QUICK, LEASES, '', () => []),
};
