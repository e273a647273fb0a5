// Reads about one account: its keys, wallet, limits and login.

import { KEPT_AT } from './kept-usage.ts';
import { ask, first, many, one, QUICK, QUICK_JOURNALED, REPORT, read } from './read.ts';
import { BILLING, KEY_BUDGETS, KEYS, LOGINS, WALLETS, WINDOWS } from './rows.ts';

const UNUSED = `WHERE revoked_at IS NULL AND created_at < ? AND ? >= ${KEPT_AT}
  AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.account_id = keys.account_id AND kind IN ('card', 'topup', 'credit'))
  AND NOT EXISTS (SELECT 1 FROM usage_records AS used WHERE used.account_id = keys.account_id
                    AND used.key_id = keys.key_id AND used.at >= ?)
  AND key_id NOT IN (SELECT key_id FROM holds)
  AND key_id NOT IN (SELECT parent_id FROM keys AS child WHERE child.parent_id IS NOT NULL AND child.revoked_at IS NULL)
  ORDER BY key_id LIMIT ?`;

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
};
