// The short form of `npm run chaos`: some faults of every kind under load, a node that is frozen beyond its lease, and a
// promotion.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { FAULTS, sufferFault } from './faults.ts';
import { freezeBeyondLease } from './freeze.ts';
import { type Load, startLoad } from './load.ts';
import { promoteUnderLoad } from './promote.ts';
import { type Rig, startRig } from './rig.ts';

setDefaultTimeout(240_000);

/** Each recovers within seconds; on a machine that has other work, within this. */
const RECOVERS_MS = 45_000;
const LASTS_MS = 700;
const SHORT = [
  'database, all nodes: silence',
  'database, one node: slow drip',
  'database, all nodes: reset after 2,000 bytes',
  'COMMIT: after COMMIT',
  'COMMIT: silence after COMMIT',
  'upstream: silence',
  'upstream: reset in the headers',
  'upstream: reset in the middle',
  'database server: frozen (SIGSTOP)',
];

describe('two nodes on broken networks, under load', () => {
  let rig: Rig;
  let load: Load;
  beforeAll(async () => {
    rig = await startRig();
    load = await startLoad(rig, 2);
  });
  afterAll(() => rig.stop());

  test.each(SHORT)('%s: calls are served again without a restart', async (name) => {
    const fault = FAULTS.find((one) => one.name === name);
    if (!fault) throw new Error(`there is no fault ${name}`);
    expect((await sufferFault(rig, load, fault, LASTS_MS)).recoveredMs).toBeLessThan(RECOVERS_MS);
  });

  test('a node frozen beyond its lease: its holds are released, and none of its calls is charged', async () => {
    const { released, recoveredMs, problems } = await freezeBeyondLease(rig, load);
    expect(problems).toEqual([]);
    expect(released).toBeGreaterThan(0);
    expect(recoveredMs).toBeLessThan(RECOVERS_MS);
  });

  test('nothing acknowledged is lost, nothing is charged twice, no hold and no connection is left', async () => {
    await load.stop();
    expect(load.problems).toEqual([]);
    expect(await rig.verify(load.facts)).toEqual([]);
    expect(load.facts.requests.length).toBeGreaterThan(SHORT.length);
    // The gateway keeps a few connections for the next calls.
    await eventually('connections to the upstream are closed', () => rig.upstreamWire.connections() <= 16);
  });
});

test('the primary is killed and its standby promoted: calls are served again, nothing acknowledged is lost', async () => {
  const { problems, load, sincePromotionMs } = await promoteUnderLoad();
  expect(problems).toEqual([]);
  expect(sincePromotionMs).toBeLessThan(RECOVERS_MS);
  expect(load.ends.refused).toBeGreaterThan(0);
});
