// Finds accounts by whole id, the last four characters of a key, card, login name or request, each by an index of its own,
// and by a part of the nickname.

import { foldName } from './book/account-notes.ts';
import type { Question } from './question.ts';
import type { AccountQuery } from './reads.ts';

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

/** Rows of `account_id` and `found_by`; of a card that nobody redeemed, and of an unknown account, without an account. */
export function foundAccounts(wanted: AccountQuery): Question {
  if ('cardHash' in wanted) return { sql: BY_CARD_CODE, values: [wanted.cardHash] };
  const { text } = wanted;
  const part = `%${foldName(text).replaceAll(/[\\%_]/g, '\\$&')}%`;
  const values = [text, text, text, text.toUpperCase(), text.toLowerCase(), text, text, text, text, part];
  return { sql: BY_TEXT, values };
}
