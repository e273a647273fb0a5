// Reads of open holds, and of the leases of the nodes that opened them.

import { all, ask, many, QUICK, QUICK_JOURNALED, type Row, read } from './read.ts';
import type { HoldSums, OpenHold } from './reads.ts';
import { type KeyChain, LEASES } from './rows.ts';

const OPEN_HOLDS = 'SELECT request_id, account_id, key_id, node_id, model, amount_nano, chain FROM holds';
const ORPHANED = `${OPEN_HOLDS} WHERE node_id NOT IN (SELECT node_id FROM leases) OR node_id = ANY(?) LIMIT ?`;
const SUMS = 'SELECT count(*) AS open, coalesce(sum(amount_nano), 0) AS amount, min(opened_at) AS oldest_at FROM holds';

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

function decodeOpenHold(row: Row): OpenHold {
  return {
    requestId: String(row.request_id),
    accountId: String(row.account_id),
    keyId: String(row.key_id),
    nodeId: String(row.node_id),
    model: String(row.model),
    amount: BigInt(String(row.amount_nano)),
    chain: row.chain === null ? undefined : (JSON.parse(String(row.chain)) as KeyChain),
  };
}

function decodeHoldSums({ open = 0, amount = 0, oldest_at: oldestAt = null }: Row = {}): HoldSums {
  return { open: Number(open), amount: BigInt(String(amount)), oldestAt: oldestAt === null ? null : Number(oldestAt) };
}
