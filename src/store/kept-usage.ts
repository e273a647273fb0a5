// Usage records are deleted after some time, entries never. The first day with complete records is stored before older ones
// are deleted, so that the audit does not report them as missing.

import { DAY_MS } from '../kit/clock.ts';
import { firstIdAt } from '../kit/ids.ts';
import { OFFSET_MS, taipeiDayStart } from '../kit/taipei.ts';

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

/** Its only value is the day, as text. */
export const keepFromDay = (mark: string) => `INSERT INTO settings (name, value) VALUES ('${FIRST_DAY}', ${mark})
  ON CONFLICT (name) DO UPDATE SET value = excluded.value
  WHERE CAST(settings.value AS BIGINT) < CAST(excluded.value AS BIGINT)`;

export const forgetRecords = (idBefore: string, before: string, limit: string) => `DELETE FROM usage_records
  WHERE request_id IN (
    SELECT request_id FROM usage_records WHERE request_id < ${idBefore} AND at < ${before} ORDER BY request_id LIMIT ${limit}
  )`;

export const forgetSums = (day: string, limit: string) => `DELETE FROM usage_days
  WHERE (account_id, day, key_id, model, channel, status) IN (
    SELECT account_id, day, key_id, model, channel, status FROM usage_days WHERE day < ${day} ORDER BY day LIMIT ${limit}
  )`;

/** A loss is booked when its request ends, on the day of its record or later. */
export const forgetLosses = (day: string, limit: string) => `DELETE FROM losses
  WHERE loss_id IN (SELECT loss_id FROM losses WHERE day < ${day} ORDER BY day LIMIT ${limit})`;

export const forgetLossSums = (day: string, limit: string) => `DELETE FROM loss_sums
  WHERE (account_id, day, model, channel, reason) IN (
    SELECT account_id, day, model, channel, reason FROM loss_sums WHERE day < ${day} ORDER BY day LIMIT ${limit}
  )`;

/** Records before a day: ids sort by age, so that none but old ones are looked at. */
export function oldRecords(day: number): { idBefore: string; before: number } {
  const before = taipeiDayStart(day);
  return { idBefore: firstIdAt('req', before), before };
}
