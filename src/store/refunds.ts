// Refunds with what is known of their requests. They are few: each is found by its kind, its request by its id.

import { DAY_MS } from '../kit/clock.ts';
import { OFFSET_MS } from '../kit/taipei.ts';

/** A table of a statement. `is_known`: it reduces a profit, as the cost of its request is known, or it is for none. */
export const REFUNDS = `(
    SELECT e.at, (e.at + ${OFFSET_MS}) / ${DAY_MS} AS day, e.account_id, e.amount_nano, coalesce(u.model, '') AS model,
      coalesce(u.channel, '') AS channel, u.request_id IS NULL OR u.upstream_nano IS NOT NULL AS is_known
    FROM entries e LEFT JOIN usage_records u ON u.request_id = e.refund_of WHERE e.kind = 'refund'
  ) AS refunds`;
