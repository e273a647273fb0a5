// Runs several processes on one port: starts them, forwards signals, and restarts those that die.

import { type Clock, sleep } from '../../kit/clock.ts';
import { describeError, type Log } from '../../kit/log.ts';
import type { Child } from './child.ts';

interface SupervisorTools {
  count: number;
  clock: Clock;
  log: Log;
  /** `follows`: the service already runs, so this process uses the catalog of the database. */
  start(index: number, follows: boolean): Child;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** A process that served this long did not fail at its start. */
const STEADY_MS = 60_000;
const NOT_STARTED = { pid: undefined, hasServed: false, code: 1, wasSteady: false };

export function supervise({ count, clock, log, start }: SupervisorTools) {
  const running = new Set<Child>();
  const serving = new Set<Child>();
  const stopping = new AbortController();
  let exitCode = 0;
  /** A process that joins or replaces another is not a start of the service: the catalog file may have been edited. */
  let hasBegun = false;

  /** Forwards the signal to every process; none is started after that. */
  const stop = (signal: NodeJS.Signals) => {
    stopping.abort();
    for (const child of running) child.signal(signal);
  };

  /** If the machine cannot start one now, it may later. */
  function startOne(index: number): Child | undefined {
    try {
      return start(index, hasBegun);
    } catch (error) {
      log('error', 'process_not_started', { detail: describeError(error) });
      return undefined;
    }
  }

  /** Runs one process until it ends. */
  async function runOnce(index: number, onServing: () => void) {
    const child = startOne(index);
    if (!child) return NOT_STARTED;
    running.add(child);
    const hasServed = await child.served;
    const since = clock.monotonic();
    if (hasServed) {
      hasBegun = true;
      serving.add(child);
      onServing();
    }
    const code = await child.ended;
    running.delete(child);
    serving.delete(child);
    return { pid: child.pid, hasServed, code, wasSteady: hasServed && clock.monotonic() - since >= STEADY_MS };
  }

  async function keepRunning(index: number, onServing: () => void): Promise<void> {
    let hasEverServed = false;
    let pause = FIRST_PAUSE_MS;
    while (!stopping.signal.aborted) {
      const { pid, hasServed, code, wasSteady } = await runOnce(index, onServing);
      if (stopping.signal.aborted) {
        // A process that did not serve yet may have ended by the signal itself.
        if (hasServed) exitCode ||= code;
        return;
      }
      hasEverServed ||= hasServed;
      if (!hasEverServed) {
        // It has reported why it cannot start; another attempt would fail the same way.
        exitCode ||= code || 1;
        stop('SIGTERM');
        return;
      }
      if (wasSteady) pause = FIRST_PAUSE_MS;
      const detail = `process ${index} (${pid ?? 'not started'}) ended and is replaced`;
      log('error', 'process_ended', { code: String(code), ms: pause, detail });
      await sleep(clock, pause, stopping.signal).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  // The first one starts alone: it upgrades the database, applies the catalog file and reports their problems once.
  const { promise: firstServes, resolve } = Promise.withResolvers<void>();
  const first = keepRunning(0, resolve).finally(resolve);
  const others = Array.from({ length: count - 1 }, async (_, index) => {
    await firstServes;
    await keepRunning(index + 1, () => {});
  });
  const ended = Promise.all([first, ...others]).then(() => exitCode);

  return {
    stop,
    // One process applies the catalog file; the others follow the database.
    reload: () => serving.values().next().value?.signal('SIGHUP'),
    /** The exit code, once all have ended. */
    ended,
  };
}
