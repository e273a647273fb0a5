// The health of every channel and model, from real traffic: a breaker that opens when calls keep failing, tries again
// with one probe after a while, and closes on success.

import { type Clock, HOUR_MS } from '../kit/clock.ts';
import { PairMap } from '../kit/pair-map.ts';
import { createRecentEvents, type RecentEvents } from '../kit/recent-events.ts';

export interface Health {
  /**
   * May a call go there now? An open breaker that is due lets one probe through: whoever gets a pass reports what came of it.
   * `repeats`: the pass of the try that this one repeats.
   */
  admits(channel: string, model: string, repeats?: Pass): Pass | undefined;
  /** How long a breaker that admits nobody stays as it is. */
  shutForMs(channel: string, model: string): number;
  /** For a call that was let in before and was only told to come again: the breaker is not asked. */
  readmits(channel: string, model: string): Pass;
  /** A stream has brought its first word. It lets others in and interrupts failures in a row, unless it fails itself. */
  begun(pass: Pass): void;
  success(pass: Pass): void;
  failure(pass: Pass, options?: FailureOptions): void;
  /** The call ended for a reason that says nothing of the channel. */
  forget(pass: Pass): void;
  states(): BreakerState[];
}

/** One try on a channel; what came of it is told with it. */
export interface Pass {
  readonly breaker: Breaker;
  /** When it was given, by the monotonic clock. */
  readonly at: number;
}

export interface FailureOptions {
  opensAtOnce?: boolean;
  /** 429: the channel answers, so it is none of the failures in a row. */
  isRateLimit?: boolean;
}

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

export type OpenedBy = 'consecutive_failures' | 'failure_rate' | 'key_refused' | 'probe_failed';

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
/** Longer than calls take. */
const FORGOTTEN_AFTER_MS = HOUR_MS;

interface Breaker {
  readonly channel: string;
  readonly model: string;
  /** When somebody last asked to go there. */
  askedAt: number;
  /** Failures in a row. Those of one moment are one. */
  consecutive: number;
  /** When the last of them was counted. */
  countedAt: number;
  /** The failed ones are marked. */
  recent: RecentEvents;
  pauseMs: number;
  openUntil: number | undefined;
  /** `at` by the wall clock, `tick` by the monotonic one. */
  opened: { at: number; tick: number; by: OpenedBy } | undefined;
  /** The newest on its way; after the first word of its stream the breaker is closed, and it can still fail. */
  probe: Pass | undefined;
}

export function createHealth(clock: Clock): Health {
  const breakers = new PairMap<Breaker>();
  /** Streams on their way, with the failures in a row that they interrupted. */
  const streams = new WeakMap<Pass, number>();
  /** A slow one may be overtaken by a newer one, and says as much of the channel. */
  const probes = new WeakSet<Pass>();

  function breakerOf(channel: string, model: string): Breaker {
    const known = breakers.get(channel, model);
    if (known) return known;
    const askedAt = clock.monotonic();
    forgetUnasked(askedAt);
    const breaker: Breaker = {
      channel,
      model,
      askedAt,
      consecutive: 0,
      countedAt: Number.NEGATIVE_INFINITY,
      recent: createRecentEvents(WINDOW_MS),
      pauseMs: FIRST_PAUSE_MS,
      openUntil: undefined,
      opened: undefined,
      probe: undefined,
    };
    breakers.set(channel, model, breaker);
    return breaker;
  }

  /** Documents change, and take routes away. One that is open stays so until it is tried. */
  function forgetUnasked(now: number): void {
    breakers.deleteWhere(({ openUntil, askedAt }) => openUntil === undefined && now - askedAt >= FORGOTTEN_AFTER_MS);
  }

  /** Whether they are too many in a row now. Tries that were under way together and fail together count as one. */
  function count(breaker: Breaker, pass: Pass, now: number): boolean {
    breaker.consecutive = Math.max(breaker.consecutive, streams.get(pass) ?? 0);
    if (pass.at < breaker.countedAt && now - breaker.countedAt < ONE_MOMENT_MS) return false;
    breaker.consecutive++;
    breaker.countedAt = now;
    return breaker.consecutive >= CONSECUTIVE_FAILURES;
  }

  function isFailing(recent: RecentEvents, now: number): OpenedBy | undefined {
    const calls = recent.count(now);
    return calls >= WINDOW_LEAST && recent.marked(now) * 2 >= calls ? 'failure_rate' : undefined;
  }

  function open(breaker: Breaker, by: OpenedBy): void {
    // A probe that failed leaves it open since the same time.
    const tick = clock.monotonic();
    breaker.opened = { at: breaker.opened?.at ?? clock.now(), tick, by };
    const nextProbeAt = breaker.probe ? breaker.probe.at + LONGEST_PAUSE_MS : Number.POSITIVE_INFINITY;
    breaker.openUntil = Math.min(tick + breaker.pauseMs, nextProbeAt);
    breaker.pauseMs = Math.min(breaker.pauseMs * 2, LONGEST_PAUSE_MS);
    breaker.probe = undefined;
  }

  /** Many calls failed at one moment, this one among them: each keeps its second try. */
  function fellTogether({ opened }: Breaker, repeats: Pass | undefined): boolean {
    return repeats !== undefined && opened?.by === 'failure_rate' && repeats.at < opened.tick;
  }

  /** When the next probe may go out. */
  function probeAt({ probe }: Breaker, openUntil: number): number {
    return probe ? probe.at + LONGEST_PAUSE_MS : openUntil;
  }

  function admits(channel: string, model: string, repeats?: Pass): Pass | undefined {
    const breaker = breakerOf(channel, model);
    const pass = { breaker, at: clock.monotonic() };
    breaker.askedAt = pass.at;
    if (breaker.openUntil === undefined || fellTogether(breaker, repeats)) return pass;
    if (pass.at < probeAt(breaker, breaker.openUntil)) return undefined;
    breaker.probe = pass;
    probes.add(pass);
    return pass;
  }

  /** The result of a probe on its way is unknown: it is given the first pause. */
  function shutForMs(channel: string, model: string): number {
    const breaker = breakerOf(channel, model);
    if (breaker.openUntil === undefined) return 0;
    const leftMs = Math.max(probeAt(breaker, breaker.openUntil) - clock.monotonic(), 0);
    return breaker.probe ? Math.min(leftMs, FIRST_PAUSE_MS) : leftMs;
  }

  /** Of the time since it opened. */
  function isProbe(pass: Pass): boolean {
    const { opened } = pass.breaker;
    return probes.has(pass) && opened !== undefined && pass.at >= opened.tick;
  }

  return {
    admits,
    shutForMs,
    readmits: (channel, model) =>
      admits(channel, model) ?? { breaker: breakerOf(channel, model), at: clock.monotonic() },
    begun(pass) {
      const { breaker } = pass;
      breaker.recent.add(clock.monotonic());
      streams.set(pass, breaker.consecutive);
      if (!isProbe(pass)) breaker.consecutive = 0;
      else Object.assign(breaker, { openUntil: undefined, opened: undefined, probe: pass });
    },
    success(pass) {
      const { breaker } = pass;
      if (!streams.has(pass)) breaker.recent.add(clock.monotonic());
      // What began before it opened says nothing of the channel as it is now.
      if (breaker.opened && pass.at < breaker.opened.tick) return;
      breaker.consecutive = 0;
      // A longer pause: it was open, and let others in at the first word of its probe.
      if (breaker.openUntil === undefined && breaker.pauseMs === FIRST_PAUSE_MS) return;
      Object.assign(breaker, { openUntil: undefined, opened: undefined, probe: undefined, pauseMs: FIRST_PAUSE_MS });
      breaker.recent.clear();
    },
    failure(pass, { opensAtOnce = false, isRateLimit = false } = {}) {
      const { breaker } = pass;
      const now = clock.monotonic();
      breaker.recent.add(now, true);
      const isInARow = !isRateLimit && count(breaker, pass, now);
      if (breaker.probe === pass) return open(breaker, 'probe_failed');
      if (breaker.openUntil !== undefined) return;
      if (opensAtOnce) return open(breaker, 'key_refused');
      const by = isInARow ? 'consecutive_failures' : isFailing(breaker.recent, now);
      if (by) open(breaker, by);
    },
    forget(pass) {
      const { breaker } = pass;
      if (breaker.probe === pass) breaker.probe = undefined;
    },
    states: () =>
      Array.from(breakers.values(), ({ channel, model, consecutive, openUntil, opened, probe }) => {
        const state = openUntil === undefined ? 'closed' : probe ? 'probing' : 'open';
        return {
          channel,
          model,
          state,
          failures: consecutive,
          retryAt: openUntil ?? null,
          since: opened?.at ?? null,
          why: opened?.by ?? null,
        };
      }),
  };
}
