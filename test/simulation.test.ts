// The short form of `npm run simulate`: a few seeds, the same seed twice, and a planted bug that must be found.

import { expect, test } from 'bun:test';
import { MUTATIONS } from './simulation/mutations.ts';
import { simulate } from './simulation/simulate.ts';

const TIMEOUT_MS = 240_000;
const MINUTES = 2;

test.each([1, 2, 3, 4, 5, 6, 8])(
  'seed %d: whatever goes wrong, the books are right',
  async (seed) => {
    const { problems, counts } = await simulate({ seed, minutes: MINUTES });
    expect(problems).toEqual([]);
    expect(counts.whole).toBeGreaterThan(50);
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
  'a planted bug is found',
  async () => {
    const [bug] = MUTATIONS;
    const command = [process.execPath, `${import.meta.dir}/../scripts/simulate.ts`, '--mutate', bug?.name ?? ''];
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' });
    const [text, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    expect(errors).toBe('');
    expect(text).toContain('holds are left open');
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);
