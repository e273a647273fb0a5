// `npm run simulate`: runs a whole service on a virtual clock with faults drawn from seeds, and checks what must hold.
// Options: --seed N for one run, --from N and --seconds S (of CPU) for as many as fit, --minutes M of virtual calls in each run;
// --out FILE keeps the smallest failing run, --replay FILE repeats it; --mutate NAME plants a bug first, --mutations plants each
// bug of the list in turn and expects to find it. With --record, the figures of a run without a violation are written to
// docs/figures. Exit codes: 3 for a broken invariant, 2 for wrong arguments, 1 for everything else that fails.

import { MUTATIONS, type Mutation } from '../test/simulation/mutations.ts';
import { type Plan, writePlan } from '../test/simulation/plan.ts';
import { plant } from '../test/simulation/plant.ts';
import type { SimulationReport } from '../test/simulation/simulate.ts';
import { describeViolation } from '../test/simulation/violation.ts';
import { recordFigures } from './record-figures.ts';
import { RUNS } from './reliability-promises.ts';
import { type Command, readArguments, WrongArguments } from './simulation-arguments.ts';

const CRASHED = 1;
const WRONG_ARGUMENTS = 2;
const VIOLATED = 3;
const CAUGHT_WITHIN_S = 60;
/** Of violations of one run. */
const MOST_SHOWN = 20;

/** Seconds of CPU, so that a busy machine simulates as much as a quiet one. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function isWrong({ violations, crashes }: SimulationReport): boolean {
  return violations.length > 0 || crashes.length > 0;
}

/** A crash may cause violations, and then proves nothing. */
function codeOf({ violations, crashes }: SimulationReport): number {
  if (crashes.length > 0) return CRASHED;
  return violations.length > 0 ? VIOLATED : 0;
}

function print(report: SimulationReport): void {
  const { seed, violations, crashes, trace } = report;
  const state = crashes.length > 0 ? 'crashed' : violations.length > 0 ? 'broken' : 'nothing is wrong';
  console.log(`seed ${seed}: ${state} after ${spent().toFixed(1)} s of CPU; trace ${trace}`);
  for (const crash of crashes.slice(0, MOST_SHOWN)) console.log(`  crash: ${crash}`);
  for (const violation of violations.slice(0, MOST_SHOWN)) console.log(`  ${describeViolation(violation)}`);
}

type Run = Extract<Command, { do: 'run' }>;

async function runSeeds(command: Run): Promise<number> {
  const { simulate } = await import('../test/simulation/simulate.ts');
  const { minutes, seconds, mutation, isRecorded } = command;
  const sums = { runs: 0, virtualMs: 0, failures: 0, calls: 0 };
  for (const seed of seedsOf(command)) {
    const report = await simulate({ seed, minutes });
    sums.runs++;
    sums.virtualMs += report.virtualMs;
    sums.failures += report.failures.length;
    sums.calls += report.counts.calls;
    if (command.seed !== undefined || isWrong(report)) print(report);
    if (isWrong(report)) {
      const code = codeOf(report);
      const isOnlyToFind = mutation !== undefined && command.seed === undefined;
      if (code === VIOLATED && !isOnlyToFind) await shrinkTo(command, report);
      return code;
    }
    if (spent() > seconds) break;
  }
  tell(sums);
  if (isRecorded) record(sums, seconds);
  return 0;
}

function* seedsOf({ seed, from }: Run): Iterable<number> {
  if (seed !== undefined) yield seed;
  else for (let next = from; ; next++) yield next;
}

interface Sums {
  runs: number;
  virtualMs: number;
  failures: number;
  calls: number;
}

function rates({ virtualMs, failures }: Sums) {
  return {
    hours: (virtualMs / 3_600_000).toFixed(1),
    minutesPerSecond: (virtualMs / 60_000 / spent()).toFixed(1),
    faultsPerSecond: (failures / spent()).toFixed(1),
  };
}

function tell(sums: Sums): void {
  const { runs, calls, failures } = sums;
  const { hours, minutesPerSecond, faultsPerSecond } = rates(sums);
  console.log(
    `${runs} ${runs === 1 ? 'run' : 'runs'} in ${spent().toFixed(1)} s of CPU: ${hours} simulated hours ` +
      `(${minutesPerSecond} minutes per second), ${calls} calls, ${failures} faults (${faultsPerSecond} per second); ` +
      'nothing is wrong',
  );
}

function record(sums: Sums, seconds: number): void {
  const { hours, minutesPerSecond, faultsPerSecond } = rates(sums);
  recordFigures('simulation', `${RUNS.simulation} -- --seconds ${seconds}`, {
    runs: sums.runs.toLocaleString('en'),
    'simulated hours': hours,
    'simulated minutes per second of CPU time': minutesPerSecond,
    calls: sums.calls.toLocaleString('en'),
    faults: sums.failures.toLocaleString('en'),
    'faults per second of CPU time': faultsPerSecond,
    problems: '0',
  });
}

async function shrinkTo({ minutes, mutation, out }: Run, failed: SimulationReport): Promise<void> {
  const { shrink } = await import('../test/simulation/shrink.ts');
  const { minutes: least, report } = await shrink(failed, minutes);
  const [violation] = report.violations;
  if (!violation) throw new Error('the smallest run breaks nothing');
  const { seed, failures, trace } = report;
  const { invariant } = violation;
  const plan: Plan = {
    ...{ seed, minutes: least, failures },
    ...(mutation && { mutation: mutation.name }),
    ...{ invariant, trace },
  };
  console.log(
    `${least} of ${minutes} minutes and ${failures.length} of ${failed.failures.length} faults break it, too:`,
  );
  console.log(JSON.stringify(plan, null, 2));
  if (out === undefined) return;
  writePlan(out, plan);
  console.log(`npm run simulate -- --replay ${out} repeats it.`);
}

async function replay({ seed, minutes, failures, invariant, trace }: Plan): Promise<number> {
  const { simulate } = await import('../test/simulation/simulate.ts');
  const report = await simulate({ seed, minutes, failures });
  print(report);
  const isSame = report.violations.some((violation) => violation.invariant === invariant);
  console.log(
    isSame ? `It breaks the same invariant: ${invariant}.` : `It does not break this invariant: ${invariant}.`,
  );
  if (report.trace !== trace) console.log(`It is another run than the one in the file, whose trace is ${trace}.`);
  return codeOf(report);
}

/** In a process of its own, which must find the bug. Returns the seconds of CPU that it took; undefined if it did not. */
async function findBug({ name, firstSeed = 1 }: Mutation): Promise<number | undefined> {
  const given = ['--mutate', name, '--from', `${firstSeed}`, '--seconds', `${CAUGHT_WITHIN_S}`];
  const child = Bun.spawn([process.execPath, import.meta.path, ...given], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  const { cpuTime } = child.resourceUsage() ?? {};
  const seconds = Number(cpuTime?.total ?? 0n) / 1e6;
  const isFound = code === VIOLATED && seconds <= CAUGHT_WITHIN_S;
  const [about = '', first = ''] = text.split('\n');
  console.log(`${isFound ? 'caught' : 'MISSED'}: ${name}\n  ${about}\n${first.slice(0, 200)}`);
  return isFound ? seconds : undefined;
}

async function findBugs(isRecorded: boolean): Promise<number> {
  const found: number[] = [];
  for (const mutation of MUTATIONS) {
    const seconds = await findBug(mutation);
    if (seconds !== undefined) found.push(seconds);
  }
  const missed = MUTATIONS.length - found.length;
  const slowest = `${Math.ceil(Math.max(0, ...found))} s`;
  console.log(`${found.length} of ${MUTATIONS.length} planted bugs found, the slowest after ${slowest} of CPU`);
  if (isRecorded && missed === 0) {
    recordFigures('mutations', RUNS.mutations, {
      'planted bugs': `${MUTATIONS.length}`,
      found: `${found.length}`,
      'slowest find, CPU time': slowest,
    });
  }
  return missed === 0 ? 0 : CRASHED;
}

async function main(): Promise<number> {
  const command = readArguments(process.argv.slice(2));
  if (command.do === 'mutations') return findBugs(command.isRecorded);
  const isPlanted = command.mutation ? plant(command.mutation) : () => true;
  await import('../test/simulation/simulate.ts');
  if (!isPlanted()) throw new Error('the service was loaded before its bug was planted');
  return command.do === 'replay' ? replay(command.plan) : runSeeds(command);
}

try {
  process.exit(await main());
} catch (error) {
  if (!(error instanceof WrongArguments)) throw error;
  console.error(error.message);
  process.exit(WRONG_ARGUMENTS);
}
