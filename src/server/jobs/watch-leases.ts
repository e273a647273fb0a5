// Which nodes are gone, by what this node has seen in its own monotonic time. The wall clocks of several machines differ,
// and one that leaps must not make the others look dead: a stream would then be served and never billed.

import type { Clock } from '../../kit/clock.ts';
import type { Lease } from '../../store/rows.ts';
import { ENDED } from './keep-lease.ts';

export interface LeaseWatch {
  /** The nodes whose lease was given back, or has not changed for so long. `askedAt`: monotonic time, before they were read. */
  look(leases: readonly Lease[], askedAt: number): string[];
  /** Begins anew: when the store was away, nobody could renew. */
  forget(): void;
}

interface Seen {
  expiresAt: number;
  since: number;
}

export function watchLeases(clock: Clock, goneMs: number): LeaseWatch {
  let seen = new Map<string, Seen>();

  return {
    look(leases, askedAt) {
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
