// Refusals that still stand. Whoever keeps calling over a limit is told so from memory for a moment, with the same figures:
// the books need not be asked a thousand times what they have just said. Only refusals are remembered, never room.

import type { AdmitResult } from '../store/operations.ts';

export type Refused = Exclude<AdmitResult, { ok: true }>;

/** Whose limit it is, and under which document. */
export interface RefusedCall {
  accountId: string;
  isFree: boolean;
  revision: number;
  at: number;
}

export interface RecentRefusals {
  find(call: RefusedCall): Refused | undefined;
  note(call: RefusedCall, refused: Refused): void;
  /** A slot was given back: what was refused may be admitted now. */
  forget(accountId: string): void;
}

/** Other nodes may give slots back without a word. */
const STANDS_FOR_MS = 250;
const MOST_ACCOUNTS = 10_000;

interface Standing {
  refused: Refused;
  revision: number;
  since: number;
  until: number;
}

export function createRecentRefusals(): RecentRefusals {
  const standing = { free: new Map<string, Standing>(), paid: new Map<string, Standing>() };
  const of = (isFree: boolean) => (isFree ? standing.free : standing.paid);
  return {
    find({ accountId, isFree, revision, at }) {
      const known = of(isFree).get(accountId);
      if (!known) return undefined;
      if (known.revision === revision && at >= known.since && at < known.until) return known.refused;
      of(isFree).delete(accountId);
      return undefined;
    },
    note({ accountId, isFree, revision, at }, refused) {
      // These end with time alone; money and calls under way may change at any moment.
      if (refused.reason !== 'rate_limited' && refused.reason !== 'free_minute_limit') return;
      // What was told from memory does not stand longer for that.
      if (of(isFree).get(accountId)?.refused === refused) return;
      const { limit, resetsAt } = refused.allowance;
      // A limit that admits nothing does not end with time.
      const until = limit === 0 ? at + STANDS_FOR_MS : Math.min(at + STANDS_FOR_MS, resetsAt);
      if (of(isFree).size >= MOST_ACCOUNTS) of(isFree).clear();
      of(isFree).set(accountId, { refused, revision, since: at, until });
    },
    forget(accountId) {
      standing.free.delete(accountId);
      standing.paid.delete(accountId);
    },
  };
}
