// Recent failures per channel for the operator: time, model and kind, without content.

import type { Clock } from '../kit/clock.ts';

export interface RecentError {
  at: number;
  channel: string;
  /** The requested model's public id. */
  model: string;
  outcome: string;
}

const KEPT = 20;
const MAX_CHANNELS = 1_000;

export type RecentErrors = ReturnType<typeof createRecentErrors>;

export function createRecentErrors(clock: Clock) {
  const byChannel = new Map<string, RecentError[]>();
  return {
    note(channel: string, model: string, outcome: string): void {
      const known = byChannel.get(channel);
      if (!known && byChannel.size >= MAX_CHANNELS) return;
      const kept = known ?? [];
      kept.unshift({ at: clock.now(), channel, model, outcome });
      kept.length = Math.min(kept.length, KEPT);
      byChannel.set(channel, kept);
    },
    /** Newest first. */
    list: (channel: string): RecentError[] => [...(byChannel.get(channel) ?? [])],
  };
}
