// The short form of `npm run simulate`: a few seeds of both databases, one seed in two processes, and planted bugs that must be
// found and shrunk, while one that only breaks the service is not found.

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments, WrongArguments } from '../scripts/simulation-arguments.ts';
import { BREAKAGES, MUTATIONS } from './simulation/mutations.ts';
import { readPlan } from './simulation/plan.ts';
import { countPlaces } from './simulation/plant.ts';
import { simulate } from './simulation/simulate.ts';
import { IS_LONG_RUN } from './support/long-run.ts';

const TIMEOUT_MS = 240_000;

/** With the minutes of each. Every third is on the embedded database; together they come to everything that is rare. */
const SEEDS = [
  [1, 2],
  [2, 2],
  [3, 2],
  [6, 2],
  [13, 3],
  [43, 3],
] as const;
const MORE_SEEDS = [
  [4, 2],
  [27, 3],
  [31, 3],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'gateway-simulation-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `npm run simulate` in a process of its own. */
async function runCommand(...args: string[]) {
  const script = `${import.meta.dir}/../scripts/simulate.ts`;
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: 'pipe', stderr: 'pipe' });
  const [text, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { text, errors, code };
}

function traceIn(text: string): string | undefined {
  return /trace ([0-9a-f]{16})/.exec(text)?.[1];
}

describe('whatever goes wrong, the books are right', () => {
  const sums = new Map<string, number>();
  const traces = new Map<number, string>();

  test.each([...SEEDS, ...(IS_LONG_RUN ? MORE_SEEDS : [])])(
    'seed %d for %d minutes',
    async (seed, minutes) => {
      const { violations, crashes, counts, reached, trace } = await simulate({ seed, minutes });
      traces.set(seed, trace);
      expect({ violations, crashes }).toEqual({ violations: [], crashes: [] });
      expect(counts.served).toBeGreaterThan(10);
      for (const [name, times] of Object.entries(reached)) sums.set(name, (sums.get(name) ?? 0) + times);
    },
    TIMEOUT_MS,
  );

  test('together they come to everything that is rare', () => {
    expect(sums.size).toBeGreaterThan(5);
    expect([...sums].filter(([, times]) => times === 0)).toEqual([]);
  });

  test(
    'the same seed is the same run in every process, event by event, and another seed is another',
    async () => {
      const { text, code, errors } = await runCommand('--seed', '1', '--minutes', '2');
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
      expect(traceIn(text)).toBeString();
      expect(traceIn(text)).toBe(traces.get(1));
      expect(new Set(traces.values()).size).toBe(traces.size);
    },
    TIMEOUT_MS,
  );
});

describe('planted bugs', () => {
  test.each([...MUTATIONS, ...BREAKAGES].map((mutation) => [mutation.name, mutation] as const))(
    'the source has the place once: %s',
    (_, mutation) => expect(countPlaces(mutation)).toBe(1),
  );

  test.each(BREAKAGES.map(({ name }) => name))(
    'a service that only fails is a crash, and no broken invariant: %s',
    async (name) => {
      const { text, code } = await runCommand('--mutate', name, '--seed', '1', '--minutes', '1');
      expect(text).toContain('  crash: ');
      expect(code).toBe(1);
    },
    TIMEOUT_MS,
  );

  test(
    'a bug that needs a fault is found; its seed shrinks, and replays as the same run',
    async () => {
      const file = join(folder, 'plan.json');
      const [seed, minutes] = [13, 1];
      const bug = ['--mutate', 'a failed attempt is no loss', '--seed', `${seed}`, '--minutes', `${minutes}`];
      const found = await runCommand(...bug, '--out', file);
      expect({ code: found.code, errors: found.errors }).toEqual({ code: 3, errors: '' });
      const plan = readPlan(file);
      const { failures, violations } = await simulate({ seed, minutes });
      expect(violations).toEqual([]);
      expect(plan.failures.length).toBeLessThan(failures.length);
      expect(plan.failures.map(({ what }) => what)).toContain('vendor');
      expect(plan.invariant).toBe('what vendors bill is recorded');
      expect(found.text).toContain(`  ${plan.invariant}: `);

      const replayed = await runCommand('--replay', file);
      expect({ code: replayed.code, errors: replayed.errors }).toEqual({ code: 3, errors: '' });
      expect(replayed.text).toContain(`It breaks the same invariant: ${plan.invariant}.`);
      expect(traceIn(replayed.text)).toBe(plan.trace);
      expect(traceIn(found.text)).not.toBe(plan.trace);
    },
    TIMEOUT_MS,
  );
});

describe('arguments', () => {
  test.each([
    [['--seed', 'x'], '--seed must be a whole number from 0, not "x".'],
    [['--seed', '1.5'], '--seed must be a whole number from 0, not "1.5".'],
    [['--from', '-1'], undefined],
    [['--minutes', '0'], '--minutes must be a number above 0 and at most 1440, not "0".'],
    [['--seconds', ''], '--seconds must be a number above 0, not "".'],
    [['--sed', '1'], undefined],
    [['1'], undefined],
    [['--seed', '1', '--from', '2'], '--from cannot be combined with --seed.'],
    [['--mutations', '--seed', '1'], '--seed cannot be combined with --mutations.'],
    [['--mutate', 'one token too many is charged', '--record'], '--record cannot be combined with --mutate.'],
    [['--mutate', 'nothing'], undefined],
    [['--replay', 'no such file'], undefined],
  ])('%j is refused in one line', (args, message) => {
    const refused = refusalOf(args);
    expect(refused.split('\n')).toHaveLength(1);
    if (message !== undefined) expect(refused).toBe(message);
  });

  test(
    'the command says why, and runs nothing',
    async () => {
      expect(await runCommand('--seed', 'x')).toEqual({ text: '', errors: `${refusalOf(['--seed', 'x'])}\n`, code: 2 });
    },
    TIMEOUT_MS,
  );

  function refusalOf(args: readonly string[]): string {
    try {
      throw new Error(`taken as ${JSON.stringify(readArguments(args))}`);
    } catch (error) {
      if (error instanceof WrongArguments) return error.message;
      throw error;
    }
  }
});
