// Usage records are deleted after some time, entries never. The first day with complete records is stored before older ones
// are deleted, so that the audit does not report them as missing.

import { DAY_MS } from '../kit/clock.ts';
import { firstIdAt } from '../kit/ids.ts';
import { OFFSET_MS, taipeiDayStart } from '../kit/taipei.ts';
import type { Forgotten, OldUsage } from './store.ts';

const FIRST_DAY = 'usage_from_day';

/** The first day of which all records are kept; 0 if none was ever deleted. */
export const KEPT_DAY = `(SELECT coalesce(max(CAST(value AS BIGINT)), 0) FROM settings WHERE name = '${FIRST_DAY}')`;

export const USAGE_KEPT_FROM = `SELECT ${KEPT_DAY} AS day`;

/** When that day began: older records may be gone. */
export const KEPT_AT = `(SELECT coalesce(max(CAST(value AS BIGINT)) * ${DAY_MS} - ${OFFSET_MS}, 0)
  FROM settings WHERE name = '${FIRST_DAY}')`;

/** Everything settled since then has its record. The call may have begun on the day before. */
export const KEPT_SETTLED_AT = `(SELECT coalesce((max(CAST(value AS BIGINT)) + 1) * ${DAY_MS} - ${OFFSET_MS}, 0)
  FROM settings WHERE name = '${FIRST_DAY}')`;

const KEEP_FROM_DAY = `INSERT INTO settings (name, value) VALUES ('${FIRST_DAY}', ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value
  WHERE CAST(settings.value AS BIGINT) < CAST(excluded.value AS BIGINT)`;

const FORGET_RECORDS = `DELETE FROM usage_records WHERE request_id IN (
    SELECT request_id FROM usage_records WHERE request_id < ? AND at < ? ORDER BY request_id LIMIT ?
  )`;

const FORGET_SUMS = `DELETE FROM usage_days
  WHERE (account_id, day, key_id, model, channel, status) IN (
    SELECT account_id, day, key_id, model, channel, status FROM usage_days WHERE day < ? ORDER BY day LIMIT ?
  )`;

/** A loss is booked when its request ends, on the day of its record or later. */
const FORGET_LOSSES = `DELETE FROM losses
  WHERE loss_id IN (SELECT loss_id FROM losses WHERE day < ? ORDER BY day LIMIT ?)`;

const FORGET_LOSS_SUMS = `DELETE FROM loss_sums
  WHERE (account_id, day, model, channel, reason) IN (
    SELECT account_id, day, model, channel, reason FROM loss_sums WHERE day < ? ORDER BY day LIMIT ?
  )`;

interface Deletion {
  sql: string;
  values: (string | number)[];
}

/** The statements that delete usage before a day; each is answered with the number of rows that it changed. */
export function* deleteUsage({ day, limit }: OldUsage): Generator<Deletion, Forgotten, number> {
  const before = taipeiDayStart(day);
  yield { sql: KEEP_FROM_DAY, values: [String(day)] };
  // Ids sort by age, so that none but old records are looked at.
  const records = yield { sql: FORGET_RECORDS, values: [firstIdAt('req', before), before, limit] };
  if (records > 0) return { records, sums: 0, losses: 0 };
  const sums = yield { sql: FORGET_SUMS, values: [day, limit] };
  const losses = yield { sql: FORGET_LOSSES, values: [day, limit] };
  if (losses > 0) return { records, sums, losses };
  const lossSums = yield { sql: FORGET_LOSS_SUMS, values: [day, limit] };
  return { records, sums: sums + lossSums, losses };
}
