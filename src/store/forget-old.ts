// Deletes old rows: hashed addresses, leases of nodes without holds, answers for repeated calls, spending of sessions not
// used for 30 days, events older than 30 days with their deliveries, refused requests after 7 days and their counts after 30
// days.

import { DAY_MS } from '../kit/clock.ts';
import { OFFSET_MS } from '../kit/taipei.ts';
import { REPLAYED_MS } from './book/replays.ts';
import { ADDRESS_WINDOWS, addressWindow } from './book/windows.ts';
import { REFUSED_DAYS } from './refusals.ts';

const OF_ADDRESSES = [`window_id LIKE '%:address:%'`];

/** The same for databases that order texts by bytes: a range scan that reads only these windows. */
export const OF_ADDRESSES_BY_BYTES = ADDRESS_WINDOWS.map((limits) => addressWindow(limits, '')).map(
  (prefix) => `window_id >= '${prefix}' AND window_id < '${prefix.slice(0, -1)};'`,
);

/** Beyond the two days that everything here is kept. */
const KEPT_LONGER_MS = 28 * DAY_MS;
const REFUSED_LONGER_MS = (REFUSED_DAYS - 2) * DAY_MS;

/** Each has one value: the time before which rows are deleted. Answers are dated by when they were given. */
export const forgetOld = (before: string, ofAddresses: readonly string[] = OF_ADDRESSES) => [
  ...ofAddresses.map((meant) => `DELETE FROM windows WHERE ${meant} AND touched_at < ${before}`),
  `DELETE FROM leases WHERE expires_at < ${before}
    AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.node_id = leases.node_id)`,
  `DELETE FROM session_budgets WHERE touched_at < CAST(${before} AS BIGINT) - ${KEPT_LONGER_MS} AND held_nano = 0`,
  `DELETE FROM events WHERE at < CAST(${before} AS BIGINT) - ${KEPT_LONGER_MS}`,
  `DELETE FROM refused_requests WHERE at < CAST(${before} AS BIGINT) - ${REFUSED_LONGER_MS}`,
  `DELETE FROM refusal_days
    WHERE day < (CAST(${before} AS BIGINT) - ${KEPT_LONGER_MS} + ${OFFSET_MS}) / ${DAY_MS}`,
  `DELETE FROM webhook_deliveries WHERE last_at < ${before}
    AND event_id < coalesce((SELECT min(event_id) FROM events), ${Number.MAX_SAFE_INTEGER})`,
  `DELETE FROM replays WHERE expires_at < CAST(${before} AS BIGINT) + ${REPLAYED_MS}`,
];
