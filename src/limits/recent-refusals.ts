// A short cache of refusals: an account that keeps calling over a limit gets the same refusal from memory instead of
// from the store. Only refusals are cached, never admissions.

import type { AdmitResult } from '../store/operations.ts';

export type Refused = Exclude<AdmitResult, { ok: true }>;

/** The account whose limit it is, and the catalog revision. */
export interface RefusedCall {
  accountId: string;
  isFree: boolean;
  revision: number;
  at: number;
}

export type RecentRefusals = ReturnType<typeof createRecentRefusals>;

/** Short, because a slot given back on another node is not reported to this one. */
const CACHED_FOR_MS = 250;
const MAX_ACCOUNTS = 10_000;

interface CachedRefusal {
  refused: Refused;
  revision: number;
  since: number;
  until: number;
}

export function createRecentRefusals() {
  const cache = { free: new Map<string, CachedRefusal>(), paid: new Map<string, CachedRefusal>() };
  const of = (isFree: boolean) => (isFree ? cache.free : cache.paid);
  return {
    find({ accountId, isFree, revision, at }: RefusedCall): Refused | undefined {
      const known = of(isFree).get(accountId);
      if (!known) return undefined;
      if (known.revision === revision && at >= known.since && at < known.until) return known.refused;
      of(isFree).delete(accountId);
      return undefined;
    },
    note({ accountId, isFree, revision, at }: RefusedCall, refused: Refused): void {
      // Only these end by time alone; money and running calls may change at any moment.
      if (refused.reason !== 'rate_limited' && refused.reason !== 'free_minute_limit') return;
      // Another key of the account may have a slot.
      if (refused.ofKey) return;
      // A refusal from the cache does not extend its own life.
      if (of(isFree).get(accountId)?.refused === refused) return;
      const { limit, resetsAt } = refused.allowance;
      // A limit of 0 does not end by time.
      const until = limit === 0 ? at + CACHED_FOR_MS : Math.min(at + CACHED_FOR_MS, resetsAt);
      if (of(isFree).size >= MAX_ACCOUNTS) of(isFree).clear();
      of(isFree).set(accountId, { refused, revision, since: at, until });
    },
    /** A slot was given back: the next call may be admitted. */
    forget(accountId: string): void {
      cache.free.delete(accountId);
      cache.paid.delete(accountId);
    },
  };
}
