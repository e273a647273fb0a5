// Which failures of a load are explained by a kill, by a stop of all nodes or by a drain that ended, and which are not.

import type { Failure, Load } from './load.ts';

export interface KillMade {
  at: number;
  /** Until then its port may still have taken connections. */
  goneAt: number;
  /** To its node, also those begun before it was gone. */
  connections: number;
  /** When there was a node again; the moment of the kill if there were others. */
  gapEndedAt: number;
}

/** All nodes were drained at once. */
export interface StopMade {
  at: number;
  /** When there was a node again. */
  until: number;
}

export interface Sorted {
  /** Calls that a kill has broken. */
  killed: Failure[];
  /** Calls that nothing explains. */
  failed: Failure[];
  /** Long streams that a drain has cut. */
  cut: number;
  /** Calls that found no node, because the only one was killed or all were stopped. */
  inGap: number;
  /** Calls that a node refused because the machine was too busy to commit within 250 ms. */
  busy: number;
  /** The requests of all of them, as far as they are known. */
  broken: string[];
}

const NOTICED_MS = 5_000;
const BUSY = 'store: waited too long for a commit';
/** A refusal before the call was begun. */
const REFUSED = /^Error: 503: /;

/** A kill may break as many calls as there were connections to its node. Without another node, those in the gap fail, too. */
export function sortFailures(
  load: Load,
  kills: readonly KillMade[],
  stops: readonly StopMade[],
  refusals: ReadonlyMap<string, string>,
): Sorted {
  const left = kills.map(({ connections }) => connections);
  const sorted: Sorted = { killed: [], failed: [], cut: 0, inGap: 0, busy: 0, broken: [] };
  for (const failure of load.failures) {
    const kill = kills.findIndex(
      ({ at, goneAt }, index) =>
        failure.beganAt < goneAt &&
        failure.endedAt >= at &&
        failure.endedAt < at + NOTICED_MS &&
        (left[index] ?? 0) > 0,
    );
    if (kill >= 0) {
      left[kill] = (left[kill] ?? 0) - 1;
      sorted.killed.push(failure);
    } else if (kills.some((one) => isInGapOfKill(failure, one)) || stops.some((one) => isInGap(failure, one))) {
      sorted.inGap++;
    } else if (failure.kind === 'long stream' && failure.why.includes('unavailable')) sorted.cut++;
    else {
      const refusal = refusals.get(failure.requestId ?? '');
      if (refusal === BUSY) sorted.busy++;
      else sorted.failed.push({ ...failure, why: `${refusal ?? ''} ${failure.why}`.trim() });
    }
  }
  sorted.broken = load.failures.flatMap(({ requestId }) => requestId ?? []);
  return sorted;
}

function isInGapOfKill({ beganAt, endedAt }: Failure, { at, gapEndedAt }: KillMade): boolean {
  return gapEndedAt > at && endedAt >= at && beganAt < gapEndedAt;
}

/** A call that began before the stop must be complete, unless its first byte came after it and it was refused. */
function isInGap({ beganAt, endedAt, why }: Failure, { at, until }: StopMade): boolean {
  return endedAt >= at && beganAt < until && (beganAt >= at || REFUSED.test(why));
}
