// Breaks networks, servers and nodes under load, again and again, at random times, and checks everything acknowledged:
//   npm run chaos -- --minutes 10 [--record]
// A run that is too short for each fault is not recorded.

import { parseArgs } from 'node:util';
import { FAULTS, type FaultOutcome, sufferFault } from '../test/chaos/faults.ts';
import { type Frozen, freezeBeyondLease } from '../test/chaos/freeze.ts';
import { type ChaosEnd, type Load, NO_ENDS, startLoad } from '../test/chaos/load.ts';
import { type Promotion, promoteUnderLoad } from '../test/chaos/promote.ts';
import { startRig } from '../test/chaos/rig.ts';
import { recordFigures } from './record-figures.ts';

const MINUTE_MS = 60_000;
const SHORTEST_MS = 200;
const LONGEST_MS = 5_000;

interface Total {
  outcomes: FaultOutcome[];
  promotions: Promotion[];
  frozen: Frozen[];
  calls: number;
  ends: Record<ChaosEnd, number>;
  problems: string[];
}

/** The sum of these figures is the number of calls. */
const END_NAMES: Readonly<Record<ChaosEnd, string>> = {
  acknowledged: 'acknowledged',
  'hung up': 'hung up by the client',
  refused: 'refused with 503 and retry-after',
  'without cost': 'served, settlement late',
  'error event': 'streams that ended with an error event',
  'cut off': 'streams that were cut off',
  'unanswered by a frozen node': 'no answer within 10 s from a frozen node',
  unanswered: 'no answer within 10 s from another node',
  wrong: 'ended otherwise',
};
const ENDS = Object.keys(END_NAMES) as ChaosEnd[];

const total: Total = { outcomes: [], promotions: [], frozen: [], calls: 0, ends: { ...NO_ENDS }, problems: [] };

function addLoad(load: Load): void {
  total.calls += load.calls();
  for (const end of ENDS) total.ends[end] += load.ends[end];
}

function addProblems(problems: readonly string[]): void {
  total.problems.push(...problems);
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
}

/** Every fault once, in a random order; the last one is a node that is frozen beyond its lease. */
async function breakEverything(isOver: () => boolean, withFreeze: boolean): Promise<void> {
  const rig = await startRig();
  try {
    const load = await startLoad(rig);
    for (const fault of FAULTS.toSorted(() => Math.random() - 0.5)) {
      if (isOver()) break;
      const lastsMs = SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS);
      const outcome = await sufferFault(rig, load, fault, lastsMs);
      total.outcomes.push(outcome);
      console.log(`${fault.name}, ${Math.round(lastsMs)} ms: served again after ${Math.round(outcome.recoveredMs)} ms`);
    }
    if (withFreeze) {
      const frozen = await freezeBeyondLease(rig, load);
      total.frozen.push(frozen);
      addProblems(frozen.problems);
      console.log(
        `node frozen for ${seconds(frozen.frozenMs)}: ${frozen.released} holds released by the other node, ${frozen.refused} late settlements refused`,
      );
    }
    await load.stop();
    addProblems([...load.problems, ...(await rig.verify(load.facts))]);
    addLoad(load);
  } finally {
    await rig.stop();
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const slowest = (values: readonly number[]) => (values.length === 0 ? '–' : seconds(Math.max(...values)));

function toFigures(minutes: number): Record<string, string> {
  const { outcomes, promotions, frozen, problems } = total;
  const count = (value: number) => value.toLocaleString('en');
  return {
    'faults of networks, database and nodes': count(outcomes.length),
    'primary killed and standby promoted': count(promotions.length),
    'node frozen beyond its lease': count(frozen.length),
    calls: count(total.calls),
    ...Object.fromEntries(ENDS.map((end) => [END_NAMES[end], count(total.ends[end])])),
    'slowest recovery after a fault': slowest(outcomes.map(({ recoveredMs }) => recoveredMs)),
    'slowest recovery after a promotion': slowest(promotions.map(({ sincePromotionMs }) => sincePromotionMs)),
    'lost or wrong': count(problems.length),
    duration: `${minutes} min`,
  };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '10' }, record: { type: 'boolean' } },
  });
  const minutes = Number(values.minutes);
  const until = performance.now() + minutes * MINUTE_MS;
  const isOver = () => performance.now() >= until;
  do {
    const promotion = await promoteUnderLoad();
    total.promotions.push(promotion);
    addProblems(promotion.problems);
    addLoad(promotion.load);
    console.log(
      `primary killed, standby promoted: served again after ${seconds(promotion.sinceKillMs)}, ${seconds(promotion.sincePromotionMs)} after the promotion`,
    );
    await breakEverything(isOver, total.frozen.length === 0);
  } while (!isOver());
  const figures = toFigures(minutes);
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value}`);
  const ended = ENDS.reduce((sum, end) => sum + total.ends[end], 0);
  console.log(`ends of calls: ${ENDS.map((end) => total.ends[end]).join(' + ')} = ${ended}, of ${total.calls} calls`);
  const missing = FAULTS.filter(({ name }) => total.outcomes.every(({ fault }) => fault !== name));
  if (values.record && missing.length > 0) {
    console.log(`not recorded: ${missing.length} of ${FAULTS.length} faults did not occur; give it more --minutes`);
    return 1;
  }
  if (values.record) recordFigures('chaos', `npm run chaos -- --minutes ${minutes}`, figures);
  return total.problems.length === 0 ? 0 : 1;
}

process.exit(await main());
