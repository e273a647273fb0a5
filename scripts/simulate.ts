// `npm run simulate`: runs a whole service on a virtual clock with faults drawn from seeds, and checks what must hold.
// Options: --seed N for one run, --from N and --seconds S (of CPU) for as many as fit, --minutes M of virtual calls in each run;
// --mutate NAME plants a bug first, --mutations plants each bug of the list in turn and expects to find it. With --record,
// the figures of a run without a problem are written to docs/figures.

import { parseArgs } from 'node:util';
import { MUTATIONS, type Mutation } from '../test/simulation/mutations.ts';
import type { SimulationReport } from '../test/simulation/simulate.ts';
import { recordFigures } from './record-figures.ts';
import { RUNS } from './reliability-promises.ts';

const SOURCE = new URL('../src/', import.meta.url).pathname;
const CAUGHT_WITHIN_S = 60;

/** Before the service is loaded. */
function plant({ file, from, to }: Mutation): void {
  const path = SOURCE + file;
  Bun.plugin({
    name: 'a planted bug',
    setup(build) {
      build.onLoad({ filter: new RegExp(`${RegExp.escape(path)}$`) }, async () => {
        const text = await Bun.file(path).text();
        if (!text.includes(from)) throw new Error(`${file} does not have: ${from}`);
        return { contents: text.replace(from, () => to), loader: 'ts' };
      });
    },
  });
}

function hours(ms: number): string {
  return (ms / 3_600_000).toFixed(1);
}

/** Seconds of CPU, so that a busy machine simulates as much as a quiet one. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

interface Plan {
  isRecorded: boolean;
  seeds: Iterable<number>;
  minutes: number;
  seconds: number;
}

/** Until the time is over or something is wrong. */
async function run({ isRecorded, seeds, minutes, seconds }: Plan): Promise<SimulationReport | undefined> {
  const { simulate } = await import('../test/simulation/simulate.ts');
  const sums = { runs: 0, virtualMs: 0, mishaps: 0, calls: 0 };
  for (const seed of seeds) {
    const report = await simulate({ seed, minutes });
    sums.runs++;
    sums.virtualMs += report.virtualMs;
    sums.mishaps += report.mishaps.length;
    sums.calls += report.counts.calls;
    if (report.problems.length > 0) {
      console.log(`seed ${seed}: wrong after ${Math.round(spent())} s`);
      return report;
    }
    if (spent() > seconds) break;
  }
  const { runs, virtualMs, mishaps, calls } = sums;
  if (isRecorded) {
    recordFigures('simulation', `${RUNS.simulation} -- --seconds ${seconds}`, {
      runs: runs.toLocaleString('en'),
      'simulated hours': hours(virtualMs),
      calls: calls.toLocaleString('en'),
      faults: mishaps.toLocaleString('en'),
      'faults per second of CPU time': (mishaps / spent()).toFixed(1),
      problems: '0',
    });
  }
  console.log(
    `${runs} ${runs === 1 ? 'run' : 'runs'}, ${hours(virtualMs)} virtual hours, ${calls} calls, ${mishaps} faults ` +
      `(${(mishaps / spent()).toFixed(1)} per second) in ${Math.round(spent())} s of CPU: nothing is wrong`,
  );
  return undefined;
}

function* countFrom(first: number): Iterable<number> {
  for (let seed = first; ; seed++) yield seed;
}

/** In a process of its own, which must find the bug. Returns the seconds of CPU that it took; undefined if it did not. */
async function findBug({ name }: Mutation): Promise<number | undefined> {
  const child = Bun.spawn([process.execPath, import.meta.path, '--mutate', name, '--seconds', `${CAUGHT_WITHIN_S}`], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  console.log(`${code === 1 ? 'caught' : 'MISSED'}: ${name}: ${text.split('\n').slice(0, 2).join(' ').slice(0, 200)}`);
  const { cpuTime } = child.resourceUsage() ?? {};
  return code === 1 ? Number(cpuTime?.total ?? 0n) / 1e6 : undefined;
}

/** Returns how many were missed. */
async function findBugs(isRecorded: boolean): Promise<number> {
  const found: number[] = [];
  for (const mutation of MUTATIONS) {
    const seconds = await findBug(mutation);
    if (seconds !== undefined) found.push(seconds);
  }
  const missed = MUTATIONS.length - found.length;
  if (isRecorded && missed === 0) {
    recordFigures('mutations', RUNS.mutations, {
      'planted bugs': `${MUTATIONS.length}`,
      found: `${found.length}`,
      'slowest find, CPU time': `${Math.ceil(Math.max(...found))} s`,
    });
  }
  return missed;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      from: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '60' },
      minutes: { type: 'string', default: '5' },
      mutate: { type: 'string' },
      mutations: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  });
  if (values.mutations) return findBugs(values.record);
  if (values.mutate !== undefined) {
    const mutation = MUTATIONS.find(({ name }) => name === values.mutate);
    if (!mutation) throw new Error(`there is no such bug; there are ${MUTATIONS.map(({ name }) => name).join(', ')}`);
    plant(mutation);
  }
  const seeds = values.seed === undefined ? countFrom(Number(values.from)) : [Number(values.seed)];
  const minutes = Number(values.minutes);
  const wrong = await run({ isRecorded: values.record, seeds, minutes, seconds: Number(values.seconds) });
  if (!wrong) return 0;
  for (const problem of wrong.problems) console.log(`  ${problem}`);
  if (values.mutate !== undefined && values.seed === undefined) return 1;
  const { shrink } = await import('../test/simulation/shrink.ts');
  const least = await shrink(wrong, minutes);
  console.log(`The same seed is still wrong with only these faults:\n${JSON.stringify(least, null, 2)}`);
  return 1;
}

process.exit(await main());
