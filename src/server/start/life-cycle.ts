// The life cycle of a gateway: it starts, at once or when its database is reachable; it serves; it drains and stops.
// server/gateway.ts composes its parts.

import { Fault } from '../../faults/fault.ts';
import type { Alarms } from '../../kit/alarms.ts';
import { type Clock, sleep } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';
import { LEASE_MS } from '../jobs/keep-lease.ts';
import type { Ports } from '../ports/open-ports.ts';
import type { StartingStore } from './open-at-start.ts';
import type { RunningNode } from './start-node.ts';
import type { Unanswered } from './unanswered.ts';

interface LifeTools {
  clock: Clock;
  log: Log;
  alarms: Alarms;
  nodeId: string;
  publicUrl: string;
  starting: StartingStore;
  /** How long running work may take after the notice. */
  drainMs: number;
  /** How long new work is accepted after a drain began, so that load balancers can find out. */
  noticeMs: number;
}

/** Available to parts that are composed before the start. */
export type LifeCycle = ReturnType<typeof createLifeCycle>;

/** The parts to start. */
interface Parts {
  /** Closes the store if it cannot start. */
  startNode(store: Store): Promise<RunningNode>;
  openPorts(): Ports;
  work: Work;
}

/** Work that a drain waits for. */
interface Work {
  /** Admitted calls that are not closed. */
  running: ReadonlySet<string>;
  unanswered: Pick<Unanswered, 'soFar'>;
  /** Settlements and releases that are not committed. */
  closing(): number;
  /** They close by themselves, each when its calls have ended. */
  sockets: { drain(): void };
}

export type StartedGateway = Awaited<ReturnType<LifeCycle['begin']>>;

const CLOSE_MS = 15_000;
/** For the last bytes of started answers. */
const FINISH_MS = 2_000;
const POLL_MS = 20;
const AGAIN_MS = 1_000;

export function createLifeCycle(tools: LifeTools) {
  const { clock, log, alarms, nodeId, publicUrl, starting } = tools;
  const drainDeadline = new AbortController();
  let node: RunningNode | undefined;
  let isReady = true;
  let isLeaving = false;

  /** Starts the node with the open store; false if the wait for the store was ended. */
  async function start({ startNode }: Parts): Promise<boolean> {
    const store = await starting.opened();
    if (!store) return false;
    if (starting.away !== undefined) log('info', 'store_reached');
    node = await startNode(store);
    starting.give();
    return true;
  }

  function logServing(): void {
    log('info', 'serving', { url: publicUrl, node_id: nodeId, revision: node?.catalog().revision });
  }

  const logAwaited = (why: string | undefined) => log('warn', 'store_awaited', { url: publicUrl, detail: why });

  /** Retries `start` if the database fails meanwhile. */
  async function startAtLast(parts: Parts): Promise<boolean> {
    for (;;) {
      try {
        return await start(parts);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (!isReady) return false;
        logAwaited(error.details.internal);
        await sleep(clock, AGAIN_MS);
        starting.reopen();
      }
    }
  }

  /** Opens the ports before the database is reachable; requests that need it are refused. */
  async function startLate(why: string, parts: Parts, ports: Ports): Promise<boolean> {
    logAwaited(why);
    const alarm = () => alarms.raise('store_failed', { node_id: nodeId, detail: why });
    const cancelAlarm = clock.after(LEASE_MS, alarm);
    try {
      const hasStarted = await startAtLast(parts);
      if (hasStarted) logServing();
      return hasStarted;
    } catch (error) {
      await ports.close();
      throw error;
    } finally {
      cancelAlarm();
    }
  }

  async function until(isDone: () => boolean, withinMs: number): Promise<void> {
    const end = clock.monotonic() + withinMs;
    while (!isDone() && clock.monotonic() < end) await sleep(clock, POLL_MS);
  }

  /** Waits until nothing is running, or the timeout ends. */
  async function endWork({ running, closing }: Work, unanswered: () => number, ms: number): Promise<void> {
    await until(() => running.size === 0 && unanswered() === 0, ms);
    drainDeadline.abort();
    // Calls that cannot be closed without the database are swept at the next start.
    await until(() => running.size === 0 && closing() === 0, CLOSE_MS);
  }

  return {
    /** Undefined until it accepts work. */
    node: () => node,
    /** False once a drain refuses new work. */
    isReady: () => isReady,
    /** True from the start of a drain, also while new work is still accepted. */
    isLeaving: () => isLeaving,
    /** Aborts when a drain's timeout ends. */
    drainDeadline: drainDeadline.signal,
    /**
     * Resolves with open ports. Rejects with StartRefused, StoreRefused, or the fault of a store that failed again; then
     * nothing stays open.
     */
    async begin(parts: Parts) {
      const { away } = starting;
      const { work } = parts;
      let ports: Ports;
      try {
        if (away === undefined) await start(parts);
        ports = parts.openPorts();
      } catch (error) {
        if (away !== undefined) starting.abandon();
        node?.stop();
        await node?.end();
        throw error;
      }
      if (away === undefined) logServing();
      const served = away === undefined ? Promise.resolve(true) : startLate(away, parts, ports);
      // A caller that does not await it gets the error from drain().
      served.catch(() => {});

      return {
        ports,
        /**
         * True once it serves, which is after its ports opened if the database could not be reached at first; false if it was
         * drained before. Rejects with StartRefused or StoreRefused.
         */
        served,
        /** Applies the configuration file again, on SIGHUP. */
        async reload(): Promise<void> {
          if (await served) await node?.reload();
        },
        /** Refuses new work after the notice, lets running work end within `ms`, aborts the rest, and stops. */
        async drain(ms = tools.drainMs): Promise<void> {
          if (isLeaving) return;
          isLeaving = true;
          // Nothing is sent to a node that does not serve yet.
          if (node && tools.noticeMs > 0) {
            log('info', 'leaving', { node_id: nodeId });
            await sleep(clock, tools.noticeMs);
          }
          isReady = false;
          const unanswered = work.unanswered.soFar();
          ports.closeIdle();
          starting.endWait();
          work.sockets.drain();
          log('info', 'draining', { node_id: nodeId, count: work.running.size });
          if (await served) {
            await endWork(work, unanswered, ms);
            node?.stop();
            await Promise.race([ports.finish(), sleep(clock, FINISH_MS)]);
          } else starting.abandon();
          await ports.close();
          await node?.end();
          log('info', 'stopped', { node_id: nodeId });
        },
      };
    },
  };
}
