// Nodes behind a load balancer are restarted one after the other under load, once with a kill instead of a drain. On SQLite
// the next process starts beside the old one on the same file, and takes over.

import type { TestDatabases } from '../support/postgres.ts';
import { verify } from '../torture/verify.ts';
import { chargedOf } from './charged-of.ts';
import type { Load, RollingKind } from './load.ts';
import type { Sorted } from './sort-failures.ts';
import { type Node, openStage, type Program } from './stage.ts';

export interface Step {
  does: 'drain' | 'kill';
  /** What runs afterwards. */
  next: Program;
}

export interface RollingOptions {
  /** SQLite if left out. */
  postgres?: TestDatabases | undefined;
  /** What runs at first. */
  program?: Program;
  steps: readonly Step[];
  drainSeconds: number;
  /** Kinds of calls that are left out. */
  without?: readonly RollingKind[];
  onStep?(line: string): void;
}

export interface RollingReport extends Pick<Sorted, 'failed' | 'cut' | 'inGap' | 'busy'> {
  restarts: number;
  kills: number;
  completed: Load['completed'];
  reopened: number;
  /** Calls that a kill has broken. */
  killed: number;
  /** Of these, settled before the kill, though the last bytes were not delivered. */
  settledBeforeKill: number;
  problems: string[];
}

/** Load between two restarts. */
const BETWEEN_MS = 300;
const PAST = { drain: 'drained', kill: 'killed' };

export async function rollNodes(options: RollingOptions): Promise<RollingReport> {
  const { steps, onStep } = options;
  const stage = await openStage(options);
  const { nodes, problems, facts, tables, upstream } = stage;
  try {
    await stage.startAll(options.program);
    const load = stage.load(options.without ?? []);
    for (const [number, { does, next }] of steps.entries()) {
      await Bun.sleep(BETWEEN_MS);
      const begunAt = performance.now();
      if (does === 'kill') await stage.kill(next);
      else {
        const old = nodes.shift() as Node;
        const isBeside = stage.database === undefined;
        if (isBeside) nodes.push(await stage.start(next));
        await stage.drain(old);
        if (!isBeside) nodes.push(await stage.start(next, old.port));
      }
      const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
      onStep?.(`${number + 1}: ${PAST[does]} and started again in ${seconds} s`);
    }
    await Bun.sleep(BETWEEN_MS);
    await load.stop();
    const { killed, failed, cut, inGap, busy, broken } = stage.sorted(load);
    const charged = await chargedOf(tables, broken);
    problems.push(...(await verify(tables, nodes[0]?.server.url ?? '', facts, upstream.begun, true)).problems);
    const killedIds = new Set(killed.map(({ requestId }) => requestId));
    const wronglyCharged = charged.filter((id) => !killedIds.has(id));
    problems.push(...wronglyCharged.map((id) => `${id} failed and was charged`));
    return {
      restarts: steps.length,
      kills: stage.kills.length,
      completed: load.completed,
      reopened: load.reopened,
      failed,
      cut,
      inGap,
      busy,
      killed: killed.length,
      settledBeforeKill: charged.length - wronglyCharged.length,
      problems,
    };
  } finally {
    await stage.close();
  }
}
