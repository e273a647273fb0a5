// The health of every channel and model, from real traffic: a breaker that opens when calls keep failing, tries again
// with one probe after a while, and closes on success.

import type { Clock } from '../kit/clock.ts';
import { createRecentEvents, type RecentEvents } from '../kit/recent-events.ts';

export interface Health {
  /** May a call go there now? An open breaker that is due lets one probe through: whoever is told yes must report. */
  admits(channel: string, model: string): boolean;
  success(channel: string, model: string): void;
  failure(channel: string, model: string, options?: { opensAtOnce: boolean }): void;
  /** The call ended for a reason that says nothing of the channel. */
  forget(channel: string, model: string): void;
  states(): BreakerState[];
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
const WINDOW_MS = 10_000;
const WINDOW_LEAST = 20;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

interface Breaker {
  consecutive: number;
  /** The failed ones are marked. */
  recent: RecentEvents;
  pauseMs: number;
  openUntil: number | undefined;
  opened: { at: number; by: OpenedBy } | undefined;
  probing: boolean;
}

export function createHealth(clock: Clock): Health {
  const breakers = new Map<string, Breaker>();

  function breakerOf(channel: string, model: string): Breaker {
    const id = `${channel}\n${model}`;
    const known = breakers.get(id);
    if (known) return known;
    const breaker: Breaker = {
      consecutive: 0,
      recent: createRecentEvents(WINDOW_MS),
      pauseMs: FIRST_PAUSE_MS,
      openUntil: undefined,
      opened: undefined,
      probing: false,
    };
    breakers.set(id, breaker);
    return breaker;
  }

  function isFailing({ consecutive, recent }: Breaker): OpenedBy | undefined {
    if (consecutive >= CONSECUTIVE_FAILURES) return 'consecutive_failures';
    const now = clock.monotonic();
    const calls = recent.count(now);
    return calls >= WINDOW_LEAST && recent.marked(now) * 2 >= calls ? 'failure_rate' : undefined;
  }

  function open(breaker: Breaker, by: OpenedBy): void {
    // A probe that failed leaves it open since the same time.
    breaker.opened = { at: breaker.opened?.at ?? clock.now(), by };
    breaker.openUntil = clock.monotonic() + breaker.pauseMs;
    breaker.pauseMs = Math.min(breaker.pauseMs * 2, LONGEST_PAUSE_MS);
    breaker.probing = false;
  }

  return {
    admits(channel, model) {
      const breaker = breakerOf(channel, model);
      if (breaker.openUntil === undefined) return true;
      if (breaker.probing || clock.monotonic() < breaker.openUntil) return false;
      breaker.probing = true;
      return true;
    },
    success(channel, model) {
      const breaker = breakerOf(channel, model);
      breaker.recent.add(clock.monotonic());
      breaker.consecutive = 0;
      if (breaker.openUntil === undefined) return;
      Object.assign(breaker, { openUntil: undefined, opened: undefined, probing: false, pauseMs: FIRST_PAUSE_MS });
      breaker.recent.clear();
    },
    failure(channel, model, { opensAtOnce } = { opensAtOnce: false }) {
      const breaker = breakerOf(channel, model);
      breaker.recent.add(clock.monotonic(), true);
      breaker.consecutive++;
      if (breaker.probing) return open(breaker, 'probe_failed');
      if (breaker.openUntil !== undefined) return;
      const by = opensAtOnce ? 'key_refused' : isFailing(breaker);
      if (by) open(breaker, by);
    },
    forget(channel, model) {
      breakerOf(channel, model).probing = false;
    },
    states: () =>
      [...breakers].map(([id, { consecutive, openUntil, opened, probing }]) => {
        const [channel = '', model = ''] = id.split('\n');
        const state = openUntil === undefined ? 'closed' : probing ? 'probing' : 'open';
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
