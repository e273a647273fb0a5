// The health of every channel and model, from real traffic. A route has one breaker for all accounts, and one for each
// account with a failure that its own request may have caused: an error status, silence, a broken stream. Such a failure
// counts in both. The account's breaker opens on its own failures, so that a single account is protected, too; the shared
// one opens only on failures of at least two accounts while no other account was just served, so that a few accounts cannot
// block a model for others. A failed connection and a refused key are not caused by requests: they count for all accounts.
// A success of any account ends a streak of failures, also of another account.
//
// A probe of the shared breaker that fails this way opens the account's breaker, so that another account sends the next
// probe. When the shared breaker closes, all others close with it.

import { type Clock, HOUR_MS } from '../kit/clock.ts';
import { Breaker, type Entry, type FailureKind } from './breaker.ts';
import { PairMap } from './pair-map.ts';
import { LastAccounts, RecentAccounts } from './recent-accounts.ts';

/** One attempt on a channel, with which its result is reported. */
export interface Permit {
  readonly health: RouteHealth;
  readonly account: string;
  readonly shared: Entry;
  /** In the account's breaker, if it has one. */
  accountEntry: Entry | undefined;
}

/** Longer than any call. */
const FORGOTTEN_AFTER_MS = HOUR_MS;
/** An account served this recently shows that the channel works, unless it had a failure itself. */
const SERVED_MS = 3_000;
const FAILED_MS = 10_000;
/** Account breakers of one route; above this the oldest is dropped. */
const MAX_ACCOUNT_BREAKERS = 1_000;

interface RouteHealth {
  readonly channel: string;
  readonly model: string;
  /** When it last served an account, or began to. */
  servedAt: number;
  /** When the route was last used, and by which accounts. */
  usedAt: number;
  readonly callers: LastAccounts;
  /** Accounts just served, and accounts with recent failures that a request can cause. */
  readonly served: RecentAccounts;
  readonly failed: RecentAccounts;
  readonly shared: Breaker;
  /** By account id. */
  readonly byAccount: Map<string, Breaker>;
}

function isOpenForAny({ shared, byAccount }: RouteHealth): boolean {
  return shared.isOpen || byAccount.values().some(({ isOpen }) => isOpen);
}

export type Health = ReturnType<typeof createHealth>;
export type BreakerState = ReturnType<Health['states']>[number];

export function createHealth(clock: Clock) {
  const routes = new PairMap<RouteHealth>();

  function healthOf(channel: string, model: string): RouteHealth {
    const known = routes.get(channel, model);
    if (known) return known;
    const usedAt = clock.monotonic();
    forgetUnused(usedAt);
    const served = new RecentAccounts(SERVED_MS);
    const failed = new RecentAccounts(FAILED_MS);
    const shared = new Breaker(clock, { servesOthers: () => served.hasOtherThan(failed, clock.monotonic()) });
    const servedAt = Number.NEGATIVE_INFINITY;
    const callers = new LastAccounts();
    const health = { channel, model, servedAt, usedAt, callers, served, failed, shared, byAccount: new Map() };
    routes.set(channel, model, health);
    return health;
  }

  /** Drops routes that documents no longer have. An open one is kept until it is used. */
  function forgetUnused(now: number): void {
    routes.deleteWhere((health) => now - health.usedAt >= FORGOTTEN_AFTER_MS && !isOpenForAny(health));
  }

  /**
   * Returns a permit if a call of this account may use the route now. An open breaker that is due admits one probe. The
   * holder reports the result. `repeats`: the permit of the attempt that this one retries.
   */
  function tryAcquire(channel: string, model: string, account: string, repeats?: Permit): Permit | undefined {
    const health = healthOf(channel, model);
    const now = clock.monotonic();
    health.usedAt = now;
    health.callers.note(account, now);
    const breaker = health.byAccount.get(account);
    if (health.shared.isBlocked(now, repeats?.shared) || breaker?.isBlocked(now, repeats?.accountEntry))
      return undefined;
    const shared = health.shared.acquire(now, repeats?.shared);
    return { health, account, shared, accountEntry: breaker?.acquire(now, repeats?.accountEntry) };
  }

  /** For a call that was admitted before and retries after a wait: bypasses the breaker. */
  function forceAcquire(channel: string, model: string, account: string): Permit {
    const admitted = tryAcquire(channel, model, account);
    if (admitted) return admitted;
    const health = healthOf(channel, model);
    return { health, account, shared: health.shared.forceAcquire(clock.monotonic()), accountEntry: undefined };
  }

  /** The entry in the account's breaker, which another call may have created meanwhile. */
  function accountEntryOf(permit: Permit): Entry | undefined {
    permit.accountEntry ??= permit.health.byAccount.get(permit.account)?.forceAcquire(permit.shared.at);
    return permit.accountEntry;
  }

  function makeAccountEntry(permit: Permit): Entry {
    const known = accountEntryOf(permit);
    if (known) return known;
    const { byAccount } = permit.health;
    const [oldest] = byAccount.size >= MAX_ACCOUNT_BREAKERS ? byAccount.keys() : [];
    if (oldest !== undefined) byAccount.delete(oldest);
    const breaker = new Breaker(clock);
    byAccount.set(permit.account, breaker);
    permit.accountEntry = breaker.forceAcquire(permit.shared.at);
    return permit.accountEntry;
  }

  function noteServed({ health, account }: Permit): void {
    health.servedAt = clock.monotonic();
    health.served.note(account, health.servedAt);
  }

  /** The report may close the shared breaker. */
  function reportToAll({ health, shared }: Permit, event: 'firstToken' | 'success'): void {
    const wasOpen = health.shared.isOpen;
    shared.breaker[event](shared);
    if (wasOpen && !health.shared.isOpen) for (const breaker of health.byAccount.values()) breaker.reset();
  }

  /** The state of the shared breaker, or of the account's if only one account uses the route. */
  function stateOf({ channel, model, shared, byAccount, callers }: RouteHealth) {
    const account = shared.isOpen ? undefined : callers.onlySince(clock.monotonic() - FORGOTTEN_AFTER_MS);
    const breaker = (account === undefined ? undefined : byAccount.get(account)) ?? shared;
    return { channel, model, ...breaker.state() };
  }

  return {
    tryAcquire,
    forceAcquire,
    /** How long an open breaker stays open. */
    blockedForMs(channel: string, model: string, account: string): number {
      const { shared, byAccount } = healthOf(channel, model);
      const now = clock.monotonic();
      return Math.max(shared.blockedForMs(now), byAccount.get(account)?.blockedForMs(now) ?? 0);
    },
    /** A stream brought its first token. It admits others and ends the streak of failures, unless it fails later. */
    firstToken(permit: Permit): void {
      const entry = accountEntryOf(permit);
      entry?.breaker.firstToken(entry);
      // The first token of a probe admits others, but is not a success yet.
      if (!permit.shared.isProbe && !entry?.isProbe) noteServed(permit);
      reportToAll(permit, 'firstToken');
    },
    success(permit: Permit): void {
      const entry = accountEntryOf(permit);
      entry?.breaker.success(entry);
      noteServed(permit);
      reportToAll(permit, 'success');
    },
    failure(permit: Permit, kind: FailureKind = {}): void {
      const { shared, account, health } = permit;
      if (!kind.concernsAll) health.failed.note(account, clock.monotonic());
      shared.breaker.failure(shared, kind, account);
      if (kind.concernsAll) {
        permit.accountEntry?.breaker.forget(permit.accountEntry);
        return;
      }
      const entry = makeAccountEntry(permit);
      entry.breaker.endStreak(permit.health.servedAt);
      entry.breaker.failure(entry, kind, account);
      if (shared.isProbe && !entry.breaker.isOpen) entry.breaker.open('probe_failed');
    },
    /** The call ended for a reason unrelated to the channel. */
    forget({ shared, accountEntry }: Permit): void {
      shared.breaker.forget(shared);
      accountEntry?.breaker.forget(accountEntry);
    },
    states: () => Array.from(routes.values(), stateOf),
  };
}
