// A node is frozen for longer than its lease, with calls under way. Another node releases its holds; when it goes on, its
// late settlements must change no wallet.

import { eventually } from '../support/eventually.ts';
import type { Load } from './load.ts';
import type { Rig } from './rig.ts';

/** Of a lease of 15 s and a minute after it, on a busy machine. */
const RELEASED_MS = 180_000;

export interface Frozen {
  /** The holds that were open, and that another node released. */
  released: number;
  frozenMs: number;
  recoveredMs: number;
}

export async function freezeBeyondLease(rig: Rig, load: Load): Promise<Frozen> {
  const [first] = rig.nodes;
  if (!first) throw new Error('there is no node');
  const leasesBefore = (await askDatabase(rig, 'SELECT node_id, expires_at::text FROM leases')) as Lease[];
  const since = performance.now();
  first.freeze();
  try {
    const frozen = await eventually('its lease is not renewed', async () => {
      const leases = (await askDatabase(rig, 'SELECT node_id, expires_at::text FROM leases')) as Lease[];
      const isRenewed = ({ node_id, expires_at }: Lease) =>
        leasesBefore.some((lease) => lease.node_id === node_id && lease.expires_at !== expires_at);
      const still = leases.filter((lease) => !isRenewed(lease));
      return leases.length > 1 && still.length === 1 && performance.now() - since > 5_000 && still[0];
    });
    const holds = () => askDatabase(rig, `SELECT 1 FROM holds WHERE node_id = '${frozen.node_id}'`);
    const released = (await holds()).length;
    await eventually('its holds are released', async () => (await holds()).length === 0, RELEASED_MS);
    first.resume();
    const resumedAt = performance.now();
    await load.untilServed();
    return { released, frozenMs: resumedAt - since, recoveredMs: performance.now() - resumedAt };
  } finally {
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
