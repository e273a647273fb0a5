// All open holds together, in words that both databases know.

import type { HoldSums } from './reads.ts';

export const HOLD_SUMS =
  'SELECT count(*) AS open, coalesce(sum(amount_nano), 0) AS amount, min(opened_at) AS oldest_at FROM holds';

export function decodeHoldSums(row: Record<string, unknown> | null | undefined): HoldSums {
  const { open = 0, amount = 0, oldest_at: oldestAt = null } = row ?? {};
  return { open: Number(open), amount: BigInt(String(amount)), oldestAt: oldestAt === null ? null : Number(oldestAt) };
}
