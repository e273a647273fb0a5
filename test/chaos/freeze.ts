// A node is frozen for longer than its lease, with calls under way. Another node releases its holds; when it goes on, its
// late settlements must be refused, and change no wallet.

import { eventually } from '../support/eventually.ts';
import type { Load } from './load.ts';
import type { Rig } from './rig.ts';

/** Of a lease of 15 s and a minute after it, on a busy machine. */
const RELEASED_MS = 180_000;
/** Until the other nodes have renewed theirs. */
const RENEWED_MS = 60_000;
/** Each question opens a connection. */
const ASK_EVERY_MS = 250;
/** Between the calls of each worker on the other nodes in the meantime. */
const WAITING_REST_MS = 200;

export interface Frozen {
  /** The holds that were open, and that another node released. */
  released: number;
  /** Settlements of them that the node tried when it went on, and that were refused. */
  refused: number;
  frozenMs: number;
  recoveredMs: number;
  problems: string[];
}

export async function freezeBeyondLease(rig: Rig, load: Load, attempts = 5): Promise<Frozen> {
  const [first] = rig.nodes;
  if (!first) throw new Error('there is no node');
  const leasesBefore = (await askDatabase(rig, 'SELECT node_id, expires_at::text FROM leases')) as Lease[];
  const since = performance.now();
  first.freeze();
  try {
    const frozen = await eventually(
      'its lease is not renewed',
      async () => {
        const leases = (await askDatabase(rig, 'SELECT node_id, expires_at::text FROM leases')) as Lease[];
        const isRenewed = ({ node_id, expires_at }: Lease) =>
          leasesBefore.some((lease) => lease.node_id === node_id && lease.expires_at !== expires_at);
        const still = leases.filter((lease) => !isRenewed(lease));
        return leases.length > 1 && still.length === 1 && performance.now() - since > 5_000 && still[0];
      },
      RENEWED_MS,
      ASK_EVERY_MS,
    );
    const holds = () => askDatabase(rig, `SELECT request_id FROM holds WHERE node_id = '${frozen.node_id}'`);
    const open = (await holds()) as { request_id: string }[];
    if (open.length === 0 && attempts > 1) {
      first.resume();
      await load.untilServed();
      return await freezeBeyondLease(rig, load, attempts - 1);
    }
    // More than a minute, in which nothing but the lease of the frozen node matters.
    load.rest(WAITING_REST_MS);
    await eventually('its holds are released', async () => (await holds()).length === 0, RELEASED_MS, ASK_EVERY_MS);
    load.rest(0);
    first.resume();
    const resumedAt = performance.now();
    await load.untilServed();
    const recoveredMs = performance.now() - resumedAt;
    const ids = open.map(({ request_id: id }) => `'${id}'`).join() || 'NULL';
    const charged = await askDatabase(
      rig,
      `SELECT reference FROM entries WHERE kind = 'usage' AND reference IN (${ids})
         UNION ALL SELECT request_id FROM usage_records WHERE cost_nano > 0 AND request_id IN (${ids})`,
    );
    const late = `SELECT 1 FROM alarms WHERE name = 'settle_after_release'
      AND CAST(fields AS json) ->> 'request_id' IN (${ids})`;
    const refused = (await askDatabase(rig, late)).length;
    const problems = charged.map((row) => `charged after the release of its hold: ${JSON.stringify(row)}`);
    return { released: open.length, refused, frozenMs: resumedAt - since, recoveredMs, problems };
  } finally {
    load.rest(0);
    first.resume();
  }
}

interface Lease {
  node_id: string;
  expires_at: string;
}

function askDatabase({ postgres }: Rig, statement: string): Promise<unknown[]> {
  return postgres.run(statement, 'test_1');
}
