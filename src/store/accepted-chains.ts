// Entries are never changed, not even one that was written while the balance of its wallet was wrong. When the account is
// unfrozen, its chain is accepted up to the last wrong entry: later balances are compared with the sum of the entries up to it.

import type { Nano } from '../kit/money.ts';

export interface AcceptedChain {
  /** The last entry whose balance is not the sum of the entries up to it. */
  entryId: number;
  /** That sum; below 0 if more was spent than there was. */
  balance: Nano;
}

const NAME = 'chain_accepted:';
/** Digits of the largest entry number. */
const DIGITS = 16;

export function acceptedName(accountId: string): string {
  return NAME + accountId;
}

export function acceptedValue({ entryId, balance }: AcceptedChain): string {
  return `${String(entryId).padStart(DIGITS, '0')} ${balance}`;
}

/** Joins the accepted chain of the account in a column; the two values below are null if there is none. */
export const joinAccepted = (account: string) =>
  `LEFT JOIN settings accepted ON accepted.name = '${NAME}' || ${account}`;
export const ACCEPTED_ENTRY = `CAST(substr(accepted.value, 1, ${DIGITS}) AS BIGINT)`;
const ACCEPTED_BALANCE = `CAST(substr(accepted.value, ${DIGITS + 2}) AS BIGINT)`;

/** The wallet's balance after an entry. */
export const balanceAfter = (entry: string) =>
  `CASE WHEN ${entry}.entry_id <= ${ACCEPTED_ENTRY} THEN ${ACCEPTED_BALANCE} ELSE ${entry}.balance_after_nano END`;

/** Entries whose balance is not the sum of the entries up to them, of all accounts or of one. */
export const wrongEntries = (which: string) => `SELECT entry_id, subject, expected, found FROM (
    SELECT entry_id, account_id AS subject, balance_after_nano AS found,
      sum(CASE WHEN credit = account_id THEN amount_nano ELSE -amount_nano END)
        OVER (PARTITION BY account_id ORDER BY entry_id) AS expected
    FROM entries WHERE ${which}
  ) chained ${joinAccepted('subject')}
  WHERE expected <> found AND entry_id > coalesce(${ACCEPTED_ENTRY}, 0)`;

/** With the account as its only value. */
export const LAST_WRONG_ENTRY = `${wrongEntries('account_id = ?')} ORDER BY entry_id DESC LIMIT 1`;

export function decodeWrongEntry(row: Readonly<Record<string, unknown>>): AcceptedChain {
  return { entryId: Number(row.entry_id), balance: BigInt(String(row.expected)) };
}
