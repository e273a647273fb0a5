// A circuit breaker. health.ts decides which failures it counts.
//
//   closed  → open     5 failures in a row; half of at least 20 calls within 10 s; a refused key; a probe's stream broke
//   open    → probing  the pause is over, and a call arrives
//   probing → probing  the probe has no result after 14 s, and a call arrives
//   probing → closed   a probe succeeded, or its stream brought the first token
//   probing → open     a probe failed
//
// A breaker for all accounts opens only on failures of at least two accounts while no other account was served, or on
// failures that concern all accounts. A probe that failed for one account alone does not count: the breaker stays open,
// and the next call probes.

import type { Clock } from '../kit/clock.ts';
import { LastAccounts } from './recent-accounts.ts';
import { createRecentEvents } from './recent-events.ts';

type OpenedBy = 'consecutive_failures' | 'failure_rate' | 'key_refused' | 'probe_failed';

export interface FailureKind {
  opensAtOnce?: boolean;
  /** 429: the channel responds, so it does not count as a failure in a row. */
  isRateLimit?: boolean;
  /** No request can cause it: one affected account is enough. */
  concernsAll?: boolean;
}

/** One attempt that a breaker let through. */
export interface Entry {
  readonly breaker: Breaker;
  /** By the monotonic clock. */
  readonly at: number;
  readonly isProbe: boolean;
  /** For a running stream: the streak that its first token interrupted. */
  interrupted?: Streak;
}

/** Failures in a row. Simultaneous ones count once. */
interface Streak {
  count: number;
  /** Time of the first. */
  since: number;
}

/** For a breaker shared by all accounts. */
interface ForAll {
  /** Whether accounts without failures were just served. */
  servesOthers(): boolean;
}

const CONSECUTIVE_FAILURES = 5;
/** An event that breaks many calls, such as a restart, breaks them all within this time. */
const SAME_MOMENT_MS = 1_000;
const WINDOW_MS = 10_000;
const WINDOW_MIN_CALLS = 20;
const FIRST_PAUSE_MS = 5_000;
/**
 * Between two probes, also while one is running. Below 15 s, so that at one call per second a recovered channel is used
 * within 15 s.
 */
const LONGEST_PAUSE_MS = 14_000;
const NO_STREAK: Streak = { count: 0, since: Number.POSITIVE_INFINITY };

export class Breaker {
  readonly #clock: Clock;
  readonly #forAll: ForAll | undefined;
  /** Accounts with failures since it last opened. */
  readonly #met = new LastAccounts();
  /** Failures are marked. */
  readonly #recent = createRecentEvents(WINDOW_MS);
  #streak = NO_STREAK;
  /** When a failure was last added to the streak. */
  #countedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;
  #openUntil: number | undefined;
  /** `at` by the wall clock, `tick` by the monotonic clock. */
  #opened: { at: number; tick: number; by: OpenedBy } | undefined;
  /** The newest running probe. Its first token closes the breaker, but it can still fail. */
  #probe: Entry | undefined;

  /** `forAll`: undefined for the breaker of a single account. */
  constructor(clock: Clock, forAll?: ForAll) {
    this.#clock = clock;
    this.#forAll = forAll;
  }

  get isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** Whether calls are refused now. `repeats`: the attempt that this one retries. */
  isBlocked(now: number, repeats?: Entry): boolean {
    if (this.#openUntil === undefined || this.#failedTogether(repeats)) return false;
    return now < this.#probeAt(this.#openUntil);
  }

  /** Admits a call; if the breaker is open, as a probe. */
  acquire(now: number, repeats?: Entry): Entry {
    const isProbe = this.#openUntil !== undefined && !this.#failedTogether(repeats);
    const entry: Entry = { breaker: this, at: now, isProbe };
    if (isProbe) this.#probe = entry;
    return entry;
  }

  /** Admits a call in any state. */
  forceAcquire(at: number): Entry {
    return { breaker: this, at, isProbe: false };
  }

  /** How long it stays open. While a probe runs, its result is unknown: at most the first pause. */
  blockedForMs(now: number): number {
    if (this.#openUntil === undefined) return 0;
    const leftMs = Math.max(this.#probeAt(this.#openUntil) - now, 0);
    return this.#probe ? Math.min(leftMs, FIRST_PAUSE_MS) : leftMs;
  }

  /** A stream brought its first token. */
  firstToken(entry: Entry): void {
    this.#recent.add(this.#clock.monotonic());
    entry.interrupted = this.#streak;
    // A slow probe counts even if a newer one was started.
    if (!entry.isProbe || !this.#opened || entry.at < this.#opened.tick) this.#streak = NO_STREAK;
    else {
      this.#openUntil = undefined;
      this.#opened = undefined;
      this.#probe = entry;
    }
  }

  success(entry: Entry): void {
    if (!entry.interrupted) this.#recent.add(this.#clock.monotonic());
    // A call from before the breaker opened does not show that the channel has recovered.
    if (this.#opened && entry.at < this.#opened.tick) return;
    this.#streak = NO_STREAK;
    // A longer pause means that it was open and closed at the first token of its probe.
    if (this.#openUntil !== undefined || this.#pauseMs !== FIRST_PAUSE_MS) this.reset();
  }

  failure(entry: Entry, kind: FailureKind, account: string): void {
    const now = this.#clock.monotonic();
    this.#recent.add(now, true);
    this.#met.note(account, now);
    if (kind.concernsAll) this.#met.noteAll(now);
    const isInStreak = !kind.isRateLimit && this.#countInStreak(entry, now);
    if (this.#probe === entry) {
      if (this.#mayOpen(Number.NEGATIVE_INFINITY)) this.open('probe_failed');
      else this.#probe = undefined;
    } else if (this.#openUntil !== undefined) return;
    else if (kind.opensAtOnce) this.open('key_refused');
    else if (isInStreak && this.#mayOpen(this.#streak.since)) this.open('consecutive_failures');
    else if (this.#isFailing(now) && this.#mayOpen(now - WINDOW_MS)) this.open('failure_rate');
  }

  /** The channel served an account at that time: earlier failures no longer count in a row. */
  endStreak(servedAt: number): void {
    if (servedAt > this.#countedAt) this.#streak = NO_STREAK;
  }

  /** The call ended for a reason unrelated to the channel. */
  forget(entry: Entry): void {
    if (this.#probe === entry) this.#probe = undefined;
  }

  open(by: OpenedBy): void {
    const tick = this.#clock.monotonic();
    const nextProbeAt = this.#probe ? this.#probe.at + LONGEST_PAUSE_MS : Number.POSITIVE_INFINITY;
    this.#openUntil = Math.min(tick + this.#pauseMs, nextProbeAt);
    // After a failed probe it counts as open since the first time.
    this.#opened = { at: this.#opened?.at ?? this.#clock.now(), tick, by };
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    this.#probe = undefined;
    this.#met.clear();
  }

  /** Closes it and clears its history. */
  reset(): void {
    this.#streak = NO_STREAK;
    this.#openUntil = undefined;
    this.#opened = undefined;
    this.#probe = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#recent.clear();
  }

  state() {
    const state: 'closed' | 'open' | 'probing' = !this.isOpen ? 'closed' : this.#probe ? 'probing' : 'open';
    return {
      state,
      failures: this.#streak.count,
      /** Monotonic time. */
      retryAt: this.#openUntil ?? null,
      /** When and why it opened; null while it is closed. */
      since: this.#opened?.at ?? null,
      why: this.#opened?.by ?? null,
    };
  }

  /** When the next probe is allowed. */
  #probeAt(openUntil: number): number {
    return this.#probe ? this.#probe.at + LONGEST_PAUSE_MS : openUntil;
  }

  #mayOpen(since: number): boolean {
    if (!this.#forAll || this.#met.concernsAllSince(since)) return true;
    return this.#met.areSeveralSince(since) && !this.#forAll.servesOthers();
  }

  /** Whether the streak is long enough to open. Concurrent attempts that fail together count once. */
  #countInStreak(entry: Entry, now: number): boolean {
    if (entry.interrupted && entry.interrupted.count > this.#streak.count) this.#streak = entry.interrupted;
    if (entry.at < this.#countedAt && now - this.#countedAt < SAME_MOMENT_MS) return false;
    this.#streak = { count: this.#streak.count + 1, since: Math.min(this.#streak.since, now) };
    this.#countedAt = now;
    return this.#streak.count >= CONSECUTIVE_FAILURES;
  }

  #isFailing(now: number): boolean {
    const calls = this.#recent.count(now);
    return calls >= WINDOW_MIN_CALLS && this.#recent.marked(now) * 2 >= calls;
  }

  /** Many calls failed at once, and this is the retry of one of them: each keeps its retry. */
  #failedTogether(repeats: Entry | undefined): boolean {
    return repeats !== undefined && this.#opened?.by === 'failure_rate' && repeats.at < this.#opened.tick;
  }
}
