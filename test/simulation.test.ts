// The short form of `npm run simulate`: a few seeds of both databases, the same seed twice, and a planted bug that must be
// found, with fewer faults.

import { expect, test } from 'bun:test';
import { simulate } from './simulation/simulate.ts';

const TIMEOUT_MS = 240_000;
const MINUTES = 2;

test.each([1, 2, 3, 4, 6])(
  'seed %d: whatever goes wrong, the books are right',
  async (seed) => {
    const { problems, counts } = await simulate({ seed, minutes: MINUTES });
    expect(problems).toEqual([]);
    expect(counts.whole).toBeGreaterThan(20);
  },
  TIMEOUT_MS,
);

test(
  'the same seed is the same run, event by event',
  async () => {
    const [first, second] = [await simulate({ seed: 7, minutes: 1 }), await simulate({ seed: 7, minutes: 1 })];
    expect(first.problems).toEqual([]);
    expect({ trace: first.trace, events: first.events }).toEqual({ trace: second.trace, events: second.events });
  },
  TIMEOUT_MS,
);

test(
  'a planted bug is found, and its seed fails without the faults that do not matter',
  async () => {
    const bug = 'one token too many is charged';
    const script = `${import.meta.dir}/../scripts/simulate.ts`;
    const command = [process.execPath, script, '--mutate', bug, '--seed', '1', '--minutes', '1'];
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' });
    const [text, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    expect(errors).toBe('');
    expect(text).toMatch(/was charged \d+, and costs \d+/);
    const [, least = '[{}]'] = text.split('only these faults:\n');
    expect(JSON.parse(least)).toEqual([]);
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);
