// The health of every channel and model, from real traffic. A route has one breaker for all accounts, and one for each
// account that met a failure which its own request may have provoked: an error status, silence, a broken stream. Such a
// failure counts in both. The account's own breaker opens by its failures alone, so that a single account is protected,
// too; the one for all opens only when at least two accounts met them and no other account was served just now, so that a few
// accounts cannot shut a model for others. A
// connection that fails and a refused key are nobody's doing: they count for all, whoever met them. A success of any account
// ends failures in a row, also those of another account.
//
// A probe of the breaker for all that fails by such a failure opens the account's own breaker, so that the next probe is
// another account's. When the one for all closes, the others close with it.

import { type Clock, HOUR_MS } from '../kit/clock.ts';
import { Breaker, type Entry, type FailureKind, type OpenedBy } from './breaker.ts';
import { LastAccounts } from './last-accounts.ts';
import { PairMap } from './pair-map.ts';
import { RecentAccounts } from './recent-accounts.ts';

export interface Health {
  /**
   * May a call of this account go there now? An open breaker that is due lets one probe through: whoever gets a pass reports
   * what came of it. `repeats`: the pass of the try that this one repeats.
   */
  admits(channel: string, model: string, account: string, repeats?: Pass): Pass | undefined;
  /** How long a breaker that admits nobody stays as it is. */
  shutForMs(channel: string, model: string, account: string): number;
  /** For a call that was let in before and was only told to come again: the breaker is not asked. */
  readmits(channel: string, model: string, account: string): Pass;
  /** A stream has brought its first word. It lets others in and interrupts failures in a row, unless it fails itself. */
  begun(pass: Pass): void;
  success(pass: Pass): void;
  failure(pass: Pass, kind?: FailureKind): void;
  /** The call ended for a reason that says nothing of the channel. */
  forget(pass: Pass): void;
  states(): BreakerState[];
}

/** One try on a channel; what came of it is reported with it. */
export interface Pass {
  readonly health: RouteHealth;
  readonly account: string;
  readonly shared: Entry;
  /** In the account's own breaker, if it has one. */
  own: Entry | undefined;
}

/** Of the breaker for all; where one account alone asks, of its own one. */
export interface BreakerState {
  channel: string;
  model: string;
  state: 'closed' | 'open' | 'probing';
  failures: number;
  /** By the monotonic clock. */
  retryAt: number | null;
  /** When and why it opened; null while it is closed. */
  since: number | null;
  why: OpenedBy | null;
}

/** Longer than calls take. */
const FORGOTTEN_AFTER_MS = HOUR_MS;
/** Whoever was served so lately shows that the channel works, unless it met a failure itself. */
const SERVED_MS = 3_000;
const FAILED_MS = 10_000;
/** Breakers of single accounts on one route; beyond that the oldest is forgotten. */
const MOST_OWN = 1_000;

interface RouteHealth {
  readonly channel: string;
  readonly model: string;
  /** When it last served anybody, or began to. */
  servedAt: number;
  /** When somebody last asked to go there, and who. */
  askedAt: number;
  readonly askers: LastAccounts;
  /** Who was served, and who met failures that a request can provoke, a moment ago. */
  readonly served: RecentAccounts;
  readonly failed: RecentAccounts;
  readonly shared: Breaker;
  /** By the account's id. */
  readonly own: Map<string, Breaker>;
}

function isOpenForAny({ shared, own }: RouteHealth): boolean {
  return shared.isOpen || own.values().some(({ isOpen }) => isOpen);
}

export function createHealth(clock: Clock): Health {
  const routes = new PairMap<RouteHealth>();

  function healthOf(channel: string, model: string): RouteHealth {
    const known = routes.get(channel, model);
    if (known) return known;
    const askedAt = clock.monotonic();
    forgetUnasked(askedAt);
    const served = new RecentAccounts(SERVED_MS);
    const failed = new RecentAccounts(FAILED_MS);
    const shared = new Breaker(clock, { servesOthers: () => served.hasOtherThan(failed, clock.monotonic()) });
    const servedAt = Number.NEGATIVE_INFINITY;
    const askers = new LastAccounts();
    const health = { channel, model, servedAt, askedAt, askers, served, failed, shared, own: new Map() };
    routes.set(channel, model, health);
    return health;
  }

  /** Documents change, and take routes away. One that is open stays so until it is tried. */
  function forgetUnasked(now: number): void {
    routes.deleteWhere((health) => now - health.askedAt >= FORGOTTEN_AFTER_MS && !isOpenForAny(health));
  }

  function admits(channel: string, model: string, account: string, repeats?: Pass): Pass | undefined {
    const health = healthOf(channel, model);
    const now = clock.monotonic();
    health.askedAt = now;
    health.askers.note(account, now);
    const own = health.own.get(account);
    if (health.shared.isShut(now, repeats?.shared) || own?.isShut(now, repeats?.own)) return undefined;
    const shared = health.shared.enter(now, repeats?.shared);
    return { health, account, shared, own: own?.enter(now, repeats?.own) };
  }

  function readmits(channel: string, model: string, account: string): Pass {
    const admitted = admits(channel, model, account);
    if (admitted) return admitted;
    const health = healthOf(channel, model);
    return { health, account, shared: health.shared.enterAnyway(clock.monotonic()), own: undefined };
  }

  /** Its entry in the account's breaker, which another call of the account may have made meanwhile. */
  function ownEntry(pass: Pass): Entry | undefined {
    pass.own ??= pass.health.own.get(pass.account)?.enterAnyway(pass.shared.at);
    return pass.own;
  }

  function makeOwnEntry(pass: Pass): Entry {
    const known = ownEntry(pass);
    if (known) return known;
    const { own } = pass.health;
    const [oldest] = own.size >= MOST_OWN ? own.keys() : [];
    if (oldest !== undefined) own.delete(oldest);
    const breaker = new Breaker(clock);
    own.set(pass.account, breaker);
    pass.own = breaker.enterAnyway(pass.shared.at);
    return pass.own;
  }

  function noteServed({ health, account }: Pass): void {
    health.servedAt = clock.monotonic();
    health.served.note(account, health.servedAt);
  }

  /** What is reported to the breaker for all may close it. */
  function reportToAll({ health, shared }: Pass, came: 'begun' | 'success'): void {
    const wasOpen = health.shared.isOpen;
    shared.breaker[came](shared);
    if (wasOpen && !health.shared.isOpen) for (const own of health.own.values()) own.reset();
  }

  function stateOf({ channel, model, shared, own, askers }: RouteHealth): BreakerState {
    const account = shared.isOpen ? undefined : askers.onlySince(clock.monotonic() - FORGOTTEN_AFTER_MS);
    const breaker = (account === undefined ? undefined : own.get(account)) ?? shared;
    return { channel, model, ...breaker.state() };
  }

  return {
    admits,
    readmits,
    shutForMs(channel, model, account) {
      const { shared, own } = healthOf(channel, model);
      const now = clock.monotonic();
      return Math.max(shared.shutForMs(now), own.get(account)?.shutForMs(now) ?? 0);
    },
    begun(pass) {
      const own = ownEntry(pass);
      own?.breaker.begun(own);
      // The first word of a probe lets others in, and is no success yet.
      if (!pass.shared.isProbe && !own?.isProbe) noteServed(pass);
      reportToAll(pass, 'begun');
    },
    success(pass) {
      const own = ownEntry(pass);
      own?.breaker.success(own);
      noteServed(pass);
      reportToAll(pass, 'success');
    },
    failure(pass, kind = {}) {
      const { shared, account, health } = pass;
      if (!kind.concernsAll) health.failed.note(account, clock.monotonic());
      shared.breaker.failure(shared, kind, account);
      if (kind.concernsAll) {
        pass.own?.breaker.forget(pass.own);
        return;
      }
      const own = makeOwnEntry(pass);
      own.breaker.endRow(pass.health.servedAt);
      own.breaker.failure(own, kind, account);
      if (shared.isProbe && !own.breaker.isOpen) own.breaker.open('probe_failed');
    },
    forget({ shared, own }) {
      shared.breaker.forget(shared);
      own?.breaker.forget(own);
    },
    states: () => Array.from(routes.values(), stateOf),
  };
}
