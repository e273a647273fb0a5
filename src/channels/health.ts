// The health of every channel and model, from real traffic: a breaker that opens when calls keep failing, tries again
// with one probe after a while, and closes on success.

import type { Clock } from '../kit/clock.ts';

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
  recent: { at: number; failed: boolean }[];
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
      recent: [],
      pauseMs: FIRST_PAUSE_MS,
      openUntil: undefined,
      opened: undefined,
      probing: false,
    };
    breakers.set(id, breaker);
    return breaker;
  }

  function note(breaker: Breaker, failed: boolean): void {
    const now = clock.monotonic();
    breaker.recent = breaker.recent.filter(({ at }) => at > now - WINDOW_MS);
    breaker.recent.push({ at: now, failed });
  }

  function isFailing({ consecutive, recent }: Breaker): OpenedBy | undefined {
    if (consecutive >= CONSECUTIVE_FAILURES) return 'consecutive_failures';
    const isMostly = recent.filter(({ failed }) => failed).length * 2 >= recent.length;
    return recent.length >= WINDOW_LEAST && isMostly ? 'failure_rate' : undefined;
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
      note(breaker, false);
      breaker.consecutive = 0;
      if (breaker.openUntil === undefined) return;
      Object.assign(breaker, {
        openUntil: undefined,
        opened: undefined,
        probing: false,
        pauseMs: FIRST_PAUSE_MS,
        recent: [],
      });
    },
    failure(channel, model, { opensAtOnce } = { opensAtOnce: false }) {
      const breaker = breakerOf(channel, model);
      note(breaker, true);
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
