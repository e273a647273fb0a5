// `npm run bench:agent`: how many calls an agent that knows only the address needs for what people use the service for. It
// follows only what the answers say. Ends with 1 if a goal is missed, an answer is a dead end, or the median exceeds 4.
// Options: --url URL --card CODE for a server that runs; without them it starts one with the demo models.

import { parseArgs } from 'node:util';
import { startTestGateway } from '../test/support/gateway.ts';
import { issueCard } from '../test/support/issue-cards.ts';
import { type AgentResult, runGoals } from './agent/run-goals.ts';

const MOST_MEDIAN_CALLS = 4;

const { values } = parseArgs({ options: { url: { type: 'string' }, card: { type: 'string' } } });
const { url, card = '' } = values;

const result = url === undefined ? await runOnDemo() : await runGoals(url, { card });
print(result);
const isGood =
  result.goals.every(({ missed }) => missed === undefined) &&
  result.deadEnds.length === 0 &&
  result.medianCalls <= MOST_MEDIAN_CALLS;
process.exit(isGood ? 0 : 1);

/** The models of the embedded default, with its limits. */
async function runOnDemo(): Promise<AgentResult> {
  const gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: standard.channels.filter(({ kind }) => kind === 'demo'),
      models: standard.models.filter(({ id }) => id === 'auto:free' || id === 'demo-small'),
    }),
  });
  try {
    return await runGoals(gateway.url, { card: (await issueCard(gateway)).code });
  } finally {
    await gateway.stop();
  }
}

function print({ goals, medianCalls, deadEnds }: AgentResult): void {
  for (const { name, calls, missed } of goals) {
    console.log(`${missed === undefined ? 'ok  ' : 'MISS'} ${String(calls).padStart(3)}  ${name}`);
    if (missed !== undefined) console.log(`          ${missed}`);
  }
  console.log(`\nmedian calls per goal: ${medianCalls} (at most ${MOST_MEDIAN_CALLS})`);
  console.log(`dead ends: ${deadEnds.length}`);
  for (const deadEnd of deadEnds) console.log(`  ${deadEnd}`);
}
