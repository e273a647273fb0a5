// What is not kept for long: hashed addresses, leases of nodes that hold nothing, answers kept for a repeated call.

import { REPLAYED_MS } from './book/replays.ts';

/** Each with the time as its only value, before which everything is forgotten. Answers count from when they were given. */
export const forgetOld = (before: string) => [
  `DELETE FROM windows WHERE window_id LIKE '%:address:%' AND touched_at < ${before}`,
  `DELETE FROM leases WHERE expires_at < ${before}
    AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.node_id = leases.node_id)`,
  `DELETE FROM replays WHERE expires_at < CAST(${before} AS BIGINT) + ${REPLAYED_MS}`,
];
