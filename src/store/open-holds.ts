// Open holds, each and all together, in words that both databases know.

import type { HoldSums, OpenHold } from './reads.ts';

export const OPEN_HOLDS = 'SELECT request_id, account_id, key_id, node_id, model, amount_nano FROM holds';

export function decodeOpenHold(row: Readonly<Record<string, unknown>>): OpenHold {
  return {
    requestId: String(row.request_id),
    accountId: String(row.account_id),
    keyId: String(row.key_id),
    nodeId: String(row.node_id),
    model: String(row.model),
    amount: BigInt(String(row.amount_nano)),
  };
}

export const HOLD_SUMS =
  'SELECT count(*) AS open, coalesce(sum(amount_nano), 0) AS amount, min(opened_at) AS oldest_at FROM holds';

export function decodeHoldSums(row: Record<string, unknown> | null | undefined): HoldSums {
  const { open = 0, amount = 0, oldest_at: oldestAt = null } = row ?? {};
  return { open: Number(open), amount: BigInt(String(amount)), oldestAt: oldestAt === null ? null : Number(oldestAt) };
}
