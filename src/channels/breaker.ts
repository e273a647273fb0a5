// One breaker: when it opens, who probes it, when it closes. health.ts says which failures it hears of.
//
//   closed  → open     5 failures in a row; half of at least 20 calls within 10 s; a refused key; a probe's stream broke
//   open    → probing  the pause is over, and a call comes
//   probing → probing  the probe has no result yet after 14 s, and a call comes
//   probing → closed   a probe succeeded, or its stream brought the first word
//   probing → open     a probe failed
//
// One for all accounts opens only on failures that at least two accounts met while no other account was served, or that concern
// all accounts. A probe that
// failed for one account alone is given back: the breaker stays open, and the next call probes.

import type { Clock } from '../kit/clock.ts';
import { LastAccounts } from './last-accounts.ts';
import { createRecentEvents, type RecentEvents } from './recent-events.ts';

export type OpenedBy = 'consecutive_failures' | 'failure_rate' | 'key_refused' | 'probe_failed';

export interface FailureKind {
  opensAtOnce?: boolean;
  /** 429: the channel answers, so it is none of the failures in a row. */
  isRateLimit?: boolean;
  /** No request can provoke it: one account that met it is enough. */
  concernsAll?: boolean;
}

/** One try that a breaker let through. */
export interface Entry {
  readonly breaker: Breaker;
  /** By the monotonic clock. */
  readonly at: number;
  readonly isProbe: boolean;
  /** Of a stream on its way: the failures in a row that its first word interrupted. */
  interrupted?: Row;
}

/** Failures in a row. Those of one moment are one. */
interface Row {
  count: number;
  /** When the first of them was noted. */
  since: number;
}

/** Of a breaker for all accounts. */
export interface ForAll {
  /** Whether accounts that met no failure were served just now. */
  servesOthers(): boolean;
}

const CONSECUTIVE_FAILURES = 5;
/** What breaks many calls at once, such as a restart, has broken them all within this time. */
const ONE_MOMENT_MS = 1_000;
const WINDOW_MS = 10_000;
const WINDOW_LEAST = 20;
const FIRST_PAUSE_MS = 5_000;
/**
 * From one probe to the next, also while one is on its way. Less than 15 s, so that at one call a second a channel that
 * works again is asked within 15 s.
 */
const LONGEST_PAUSE_MS = 14_000;
const NO_ROW: Row = { count: 0, since: Number.POSITIVE_INFINITY };

export class Breaker {
  readonly #clock: Clock;
  readonly #forAll: ForAll | undefined;
  /** Who met failures since it last opened. */
  readonly #met = new LastAccounts();
  /** The failed ones are marked. */
  readonly #recent: RecentEvents = createRecentEvents(WINDOW_MS);
  #row = NO_ROW;
  /** When a failure was last counted in a row. */
  #countedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;
  #openUntil: number | undefined;
  /** `at` by the wall clock, `tick` by the monotonic one. */
  #opened: { at: number; tick: number; by: OpenedBy } | undefined;
  /** The newest on its way; after the first word of its stream the breaker is closed, and it can still fail. */
  #probe: Entry | undefined;

  /** `forAll`: undefined for the breaker of a single account. */
  constructor(clock: Clock, forAll?: ForAll) {
    this.#clock = clock;
    this.#forAll = forAll;
  }

  get isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  /** Whether a call must stay away now. `repeats`: the try that it repeats. */
  isShut(now: number, repeats?: Entry): boolean {
    if (this.#openUntil === undefined || this.#fellTogether(repeats)) return false;
    return now < this.#probeAt(this.#openUntil);
  }

  /** For a call that may enter: as a probe, if it is open. */
  enter(now: number, repeats?: Entry): Entry {
    const isProbe = this.#openUntil !== undefined && !this.#fellTogether(repeats);
    const entry: Entry = { breaker: this, at: now, isProbe };
    if (isProbe) this.#probe = entry;
    return entry;
  }

  /** For a call that enters without being asked. */
  enterAnyway(at: number): Entry {
    return { breaker: this, at, isProbe: false };
  }

  /** How long it stays shut. The result of a probe on its way is unknown: it is given the first pause. */
  shutForMs(now: number): number {
    if (this.#openUntil === undefined) return 0;
    const leftMs = Math.max(this.#probeAt(this.#openUntil) - now, 0);
    return this.#probe ? Math.min(leftMs, FIRST_PAUSE_MS) : leftMs;
  }

  /** A stream has brought its first word. */
  begun(entry: Entry): void {
    this.#recent.add(this.#clock.monotonic());
    entry.interrupted = this.#row;
    // A slow probe may be overtaken by a newer one, and says as much of the channel.
    if (!entry.isProbe || !this.#opened || entry.at < this.#opened.tick) this.#row = NO_ROW;
    else {
      this.#openUntil = undefined;
      this.#opened = undefined;
      this.#probe = entry;
    }
  }

  success(entry: Entry): void {
    if (!entry.interrupted) this.#recent.add(this.#clock.monotonic());
    // What began before it opened says nothing of the channel as it is now.
    if (this.#opened && entry.at < this.#opened.tick) return;
    this.#row = NO_ROW;
    // A longer pause: it was open, and let others in at the first word of its probe.
    if (this.#openUntil !== undefined || this.#pauseMs !== FIRST_PAUSE_MS) this.reset();
  }

  failure(entry: Entry, kind: FailureKind, account: string): void {
    const now = this.#clock.monotonic();
    this.#recent.add(now, true);
    this.#met.note(account, now);
    if (kind.concernsAll) this.#met.noteAll(now);
    const isInARow = !kind.isRateLimit && this.#countInRow(entry, now);
    if (this.#probe === entry) {
      if (this.#mayOpen(Number.NEGATIVE_INFINITY)) this.open('probe_failed');
      else this.#probe = undefined;
    } else if (this.#openUntil !== undefined) return;
    else if (kind.opensAtOnce) this.open('key_refused');
    else if (isInARow && this.#mayOpen(this.#row.since)) this.open('consecutive_failures');
    else if (this.#isFailing(now) && this.#mayOpen(now - WINDOW_MS)) this.open('failure_rate');
  }

  /** The channel served somebody then: failures in a row before it have ended. */
  endRow(servedAt: number): void {
    if (servedAt > this.#countedAt) this.#row = NO_ROW;
  }

  /** The call ended for a reason that says nothing of the channel. */
  forget(entry: Entry): void {
    if (this.#probe === entry) this.#probe = undefined;
  }

  open(by: OpenedBy): void {
    const tick = this.#clock.monotonic();
    const nextProbeAt = this.#probe ? this.#probe.at + LONGEST_PAUSE_MS : Number.POSITIVE_INFINITY;
    this.#openUntil = Math.min(tick + this.#pauseMs, nextProbeAt);
    // A probe that failed leaves it open since the same time.
    this.#opened = { at: this.#opened?.at ?? this.#clock.now(), tick, by };
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    this.#probe = undefined;
    this.#met.clear();
  }

  /** Closed, as if nothing had failed. */
  reset(): void {
    this.#row = NO_ROW;
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
      failures: this.#row.count,
      retryAt: this.#openUntil ?? null,
      since: this.#opened?.at ?? null,
      why: this.#opened?.by ?? null,
    };
  }

  /** When the next probe may go out. */
  #probeAt(openUntil: number): number {
    return this.#probe ? this.#probe.at + LONGEST_PAUSE_MS : openUntil;
  }

  #mayOpen(since: number): boolean {
    if (!this.#forAll || this.#met.concernsAllSince(since)) return true;
    return this.#met.areSeveralSince(since) && !this.#forAll.servesOthers();
  }

  /** Whether they are too many in a row now. Tries that were under way together and fail together count as one. */
  #countInRow(entry: Entry, now: number): boolean {
    if (entry.interrupted && entry.interrupted.count > this.#row.count) this.#row = entry.interrupted;
    if (entry.at < this.#countedAt && now - this.#countedAt < ONE_MOMENT_MS) return false;
    this.#row = { count: this.#row.count + 1, since: Math.min(this.#row.since, now) };
    this.#countedAt = now;
    return this.#row.count >= CONSECUTIVE_FAILURES;
  }

  #isFailing(now: number): boolean {
    const calls = this.#recent.count(now);
    return calls >= WINDOW_LEAST && this.#recent.marked(now) * 2 >= calls;
  }

  /** Many calls failed at one moment, this one among them: each keeps its second try. */
  #fellTogether(repeats: Entry | undefined): boolean {
    return repeats !== undefined && this.#opened?.by === 'failure_rate' && repeats.at < this.#opened.tick;
  }
}
