// The primary is killed under load and its synchronous standby promoted; then the old primary comes back.

import { eventually } from '../support/eventually.ts';
import { type Load, startLoad } from './load.ts';
import { startRig } from './rig.ts';

export interface Promotion {
  load: Load;
  /** From the kill, and from the end of the promotion, until every node serves paid calls. */
  sinceKillMs: number;
  sincePromotionMs: number;
  problems: string[];
}

const CALLS_BEFORE = 30;
const CALLS_AFTER = 30;

export async function promoteUnderLoad(): Promise<Promotion> {
  const rig = await startRig({ hasStandby: true });
  const { postgres, standby } = rig;
  try {
    if (!standby) throw new Error('there is no standby');
    const load = await startLoad(rig);
    const untilMore = (calls: number) => {
      const before = load.facts.requests.length;
      return eventually('calls are served', () => load.facts.requests.length >= before + calls);
    };
    await untilMore(CALLS_BEFORE);
    const killedAt = performance.now();
    await postgres.crash();
    await standby.promote();
    const promotedAt = performance.now();
    await load.untilServed();
    const servedAt = performance.now();
    await postgres.start();
    const before = await countEntries(postgres);
    await untilMore(CALLS_AFTER);
    await load.stop();
    const problems = [...load.problems, ...(await rig.verify(load.facts, standby))];
    if ((await countEntries(postgres)) !== before) problems.push('the old primary was written to');
    return { load, sinceKillMs: servedAt - killedAt, sincePromotionMs: servedAt - promotedAt, problems };
  } finally {
    await rig.stop();
  }
}

async function countEntries({ run }: { run(statement: string, database: string): Promise<unknown[]> }) {
  const [row] = (await run('SELECT count(*)::int AS n FROM entries', 'test_1')) as { n: number }[];
  return row?.n;
}
