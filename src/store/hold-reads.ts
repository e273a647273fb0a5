// Reads of open holds, and of the leases of the nodes that opened them.

import { all, ask, many, QUICK, QUICK_JOURNALED, type Row, read } from './read.ts';
import { type KeyChain, LEASES } from './rows.ts';
import { count, decoder, json, money, number, sum, text } from './table.ts';

const OPEN_HOLDS = 'SELECT request_id, account_id, key_id, node_id, model, amount_nano, chain FROM holds';
const ORPHANED = `${OPEN_HOLDS} WHERE node_id NOT IN (SELECT node_id FROM leases) OR node_id = ANY(?) LIMIT ?`;
const SUMS = 'SELECT count(*) AS open, coalesce(sum(amount_nano), 0) AS amount, min(opened_at) AS oldest_at FROM holds';

const decodeHold = decoder({
  requestId: text('request_id'),
  accountId: text('account_id'),
  keyId: text('key_id'),
  nodeId: text('node_id'),
  model: text('model'),
  amount: money('amount_nano'),
  chain: json<KeyChain | null>('chain'),
});
export type OpenHold = ReturnType<typeof decodeOpenHold>;
const decodeOpenHold = (row: Row) => {
  const hold = decodeHold(row);
  return { ...hold, chain: hold.chain ?? undefined };
};

/** All open holds together, of every node. */
const decodeHoldSums = decoder({
  open: count('open'),
  amount: sum('amount'),
  oldestAt: number<number | null>('oldest_at'),
});
export interface HoldSums extends ReturnType<typeof decodeHoldSums> {}

export const HOLD_READS = {
  openHolds: read(
    QUICK_JOURNALED,
    (accountId: string) => ask(`${OPEN_HOLDS} WHERE account_id = ? ORDER BY opened_at`, accountId),
    all(decodeOpenHold),
  ),
  holdSums: read(
    QUICK_JOURNALED,
    () => ask(SUMS),
    ([row]) => decodeHoldSums(row),
  ),
  /** Open holds whose node is named in `deadNodes`, or has no lease at all. */
  orphanedHolds: read(
    QUICK_JOURNALED,
    ({ deadNodes, limit }: { deadNodes: readonly string[]; limit: number }) => ask(ORPHANED, deadNodes, limit),
    all(decodeOpenHold),
  ),
  /** Leases of all nodes, expired or not. */
  leases: many(QUICK, LEASES, '', () => []),
};
