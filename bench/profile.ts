// `npm run bench:profile`: runs this gateway under one kind of load with Bun's CPU profiler, and prints the functions that
// used the most time. Only the main thread is sampled; for the others it prints the CPU time. Options: --seconds N,
// --connections N, --script json|burst|short|long|message, --large (a prompt of 100 KB), --conversation BYTES (a coding
// agent's, translated unless the script is message), --postgres, --top N, --keep FILE (the profile, for browser devtools).

import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isScriptName, scriptOf } from './speed/answers.ts';
import { conversationBody } from './speed/conversation.ts';
import { hireCrew, requestBody } from './speed/crew.ts';
import { gatewayOnPostgres, gatewayOnSqlite } from './speed/gateway-target.ts';
import { LARGE_PROMPT } from './speed/measure-load.ts';
import { threadName, threadTimes } from './speed/processes.ts';
import { readProfile } from './speed/read-profile.ts';
import { createStage, type Stage } from './speed/stage.ts';

const WARM_UP_MS = 3_000;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '16' },
    script: { type: 'string', default: 'json' },
    large: { type: 'boolean', default: false },
    conversation: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    top: { type: 'string', default: '30' },
    keep: { type: 'string' },
  },
});

/** The gateway writes it when it ends; the first profile is of the start that created the accounts. */
function newestIn(folder: string): string {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const newest = files.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
  if (newest === undefined) throw new Error('Bun wrote no profile');
  return newest;
}

/** CPU µs by thread name, the highest first. */
function byName(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): [string, number][] {
  const spent = new Map<string, number>();
  for (const [thread, us] of after) {
    const name = threadName(thread);
    spent.set(name, (spent.get(name) ?? 0) + us - (before.get(thread) ?? 0));
  }
  return [...spent].sort(([, a], [, b]) => b - a);
}

async function profile(stage: Stage): Promise<void> {
  const script = options.script;
  if (!isScriptName(script)) throw new Error(`there is no script ${script}`);
  const folder = join(stage.folder, 'profiles');
  mkdirSync(folder);
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250'];
  const crew = await hireCrew(stage);
  const make = options.postgres ? gatewayOnPostgres : gatewayOnSqlite;
  const target = await make(stage, crew.upstream.port, flags);
  const running = await target.start();
  const connections = Number(options.connections);
  const isStream = scriptOf(script).stream !== undefined;
  const call = options.large ? { body: requestBody(target.modelOf(script), isStream, LARGE_PROMPT) } : {};
  if (options.conversation) {
    const body = conversationBody(target.modelOf(script), Number(options.conversation));
    Object.assign(call, { body, path: '/v1/messages', expect: { status: 200, ending: '}' } });
  }
  const load = (forMs: number) => crew.load(target, running, { script, connections, forMs, call });
  await load(WARM_UP_MS);

  const { own } = running.watch();
  const before = threadTimes(own);
  const { requests, seconds } = await load(Number(options.seconds) * 1000);
  const threads = byName(before, threadTimes(own));
  const endedAt = performance.now();
  await crew.checkAccounts([target]);
  await running.stop();
  const window = { untilEndMs: performance.now() - endedAt, lengthMs: seconds * 1000 };
  const file = newestIn(folder);
  if (options.keep) copyFileSync(file, options.keep);

  console.log(`${target.label}: ${requests} × ${script} in ${seconds.toFixed(1)} s, ${connections} at once.`);
  console.log('CPU per request by thread, including the profiler:');
  for (const [name, us] of threads) console.log(`${(us / requests).toFixed(1).padStart(8)} µs  ${name}`);
  console.log(readProfile(readFileSync(file, 'utf8'), window, Number(options.top)));
}

const stage = createStage();
try {
  await profile(stage);
} catch (error) {
  if (!stage.isEnding()) console.error(`The profile failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await stage.end();
}
process.exit();
