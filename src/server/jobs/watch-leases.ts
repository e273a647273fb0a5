// Detects dead nodes by this node's monotonic time. Wall clocks of several machines differ, and one that jumps must not
// declare other nodes dead: a stream would then be served and never billed.

import type { Clock } from '../../kit/clock.ts';
import type { Lease } from '../../store/rows.ts';
import { ENDED } from './keep-lease.ts';

export interface LeaseWatch {
  /** Nodes whose lease was returned or has not changed for too long. `askedAt`: monotonic time before the read. */
  findDead(leases: readonly Lease[], askedAt: number): string[];
  /** Starts over: while the store was unreachable, no node could renew. */
  forget(): void;
}

interface Seen {
  expiresAt: number;
  since: number;
}

export function watchLeases(clock: Clock, goneMs: number): LeaseWatch {
  let seen = new Map<string, Seen>();

  return {
    findDead(leases, askedAt) {
      const since = clock.monotonic();
      const before = seen;
      seen = new Map(
        leases.map(({ nodeId, expiresAt }) => {
          const known = before.get(nodeId);
          return [nodeId, known?.expiresAt === expiresAt ? known : { expiresAt, since }];
        }),
      );
      const isGone = ({ expiresAt, since: from }: Seen) => expiresAt === ENDED || askedAt - from >= goneMs;
      return [...seen].filter(([, lease]) => isGone(lease)).map(([nodeId]) => nodeId);
    },
    forget() {
      seen = new Map();
    },
  };
}
