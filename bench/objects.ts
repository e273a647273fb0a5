// `npm run bench:objects`: what the main thread of this gateway allocates for a request, by kind of object, compared with the
// bare relay. Unlike time, this does not depend on the load of the machine. Options: --call json|401|429|large,
// --requests N (few enough that no garbage collection runs).

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countsFile } from './speed/count-objects.ts';
import { type Crew, hireCrew, requestBody } from './speed/crew.ts';
import { gatewayOnSqlite, REFUSED_MODEL } from './speed/gateway-target.ts';
import { LARGE_PROMPT } from './speed/measure-load.ts';
import type { Call } from './speed/messages.ts';
import { bareRelay } from './speed/plain-targets.ts';
import { createStage } from './speed/stage.ts';
import type { Target } from './speed/target.ts';

const COUNTER = join(import.meta.dir, 'speed', 'count-objects.ts');
/** By then the compiler has finished and creates no more objects. */
const WARM_UP = 40_000;
const WARM_UP_MS = 60_000;
const POLL_MS = 20;
const COUNTED_WITHIN_MS = 10_000;
/** Rarer objects belong to batches, timers and similar. */
const LEAST = 0.05;
const WHOLE = 0.99;

const { values: options } = parseArgs({
  options: { call: { type: 'string', default: 'json' }, requests: { type: 'string', default: '200' } },
});

type Objects = Record<string, number>;

/** The relay refuses nothing, so it gets a small request instead. */
function callOf(target: Target): Partial<Call> {
  const isGateway = target.billing !== undefined;
  switch (options.call) {
    case 'json':
      return {};
    case 'large':
      return { body: requestBody(target.modelOf('json'), false, LARGE_PROMPT) };
    case '401':
      return isGateway ? { keys: ['sk-svc-nonsense'], expect: { status: 401 } } : {};
    case '429':
      return isGateway ? { body: requestBody(REFUSED_MODEL, false), expect: { status: 429 } } : {};
    default:
      throw new Error(`there is no call ${options.call}`);
  }
}

async function objectsOf(crew: Crew, target: Target): Promise<Objects> {
  const running = await target.start();
  const { own } = running.watch();
  const call = callOf(target);
  await crew.load(target, running, { script: 'json', call, connections: 64, forMs: WARM_UP_MS, enough: WARM_UP });
  const before = await countIn(own[0], 'SIGUSR1');
  const enough = Number(options.requests);
  const load = await crew.load(target, running, {
    script: 'json',
    call,
    connections: 64,
    forMs: WARM_UP_MS,
    enough,
    hasFirst: false,
  });
  const after = await countIn(own[0], 'SIGUSR2');
  await running.stop();
  const requests = load.requests + load.before;
  return Object.fromEntries(
    Object.entries(after).map(([kind, count]) => [kind, (count - (before[kind] ?? 0)) / requests]),
  );
}

async function countIn(pid: number | undefined, signal: 'SIGUSR1' | 'SIGUSR2'): Promise<Objects> {
  if (pid === undefined) throw new Error('the process has ended');
  const file = countsFile(pid);
  process.kill(pid, signal);
  for (let waited = 0; !existsSync(file); waited += POLL_MS) {
    if (waited > COUNTED_WITHIN_MS) throw new Error('the process did not report its object counts');
    await Bun.sleep(POLL_MS);
  }
  const counts = JSON.parse(readFileSync(file, 'utf8')) as Objects;
  rmSync(file);
  return counts;
}

function print({ label }: Target, objects: Objects): void {
  const kinds = Object.entries(objects).sort(([, a], [, b]) => b - a);
  const sum = kinds.reduce((all, [, count]) => all + count, 0);
  console.log(`${label}: ${sum.toFixed(0)} objects per request`);
  for (const [kind, count] of kinds)
    if (Math.abs(count) >= LEAST) console.log(`${count.toFixed(1).padStart(8)}  ${kind}`);
  // Each request creates one of these.
  if ((objects.Request ?? 0) < WHOLE) console.log('Garbage was collected during the count. Use a lower --requests.');
}

const stage = createStage();
try {
  const crew = await hireCrew(stage);
  const flags = ['--preload', COUNTER];
  const { port } = crew.upstream;
  const targets = [bareRelay(stage, port, flags), await gatewayOnSqlite(stage, port, flags)];
  for (const target of targets) print(target, await objectsOf(crew, target));
  await crew.checkAccounts(targets);
} catch (error) {
  if (!stage.isEnding()) console.error(`The count failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await stage.end();
}
process.exit();
