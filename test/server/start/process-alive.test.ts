// Which processes count as alive: one that has ended does not, also before its parent has asked how it ended.

import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { isProcessAlive } from '../../../src/server/processes/processes.ts';
import { eventually } from '../../support/eventually.ts';

test('a process that runs is alive, one that is gone is not', async () => {
  const child = Bun.spawn(['sleep', '600']);
  expect([process.pid, child.pid].map(isProcessAlive)).toEqual([true, true]);
  child.kill('SIGKILL');
  await child.exited;
  expect(isProcessAlive(child.pid)).toBe(false);
});

test.skipIf(!existsSync('/proc/self/stat'))('one whose end its parent has not asked for is not', async () => {
  // The shell becomes a program that never asks.
  const parent = Bun.spawn(['sh', '-c', 'sleep 600 & echo $!; exec sleep 600'], { stdout: 'pipe' });
  try {
    const { value } = await parent.stdout.getReader().read();
    const pid = Number(new TextDecoder().decode(value));
    const state = (id: number, what: 'comm' | 'stat') => readFileSync(`/proc/${id}/${what}`, 'utf8');
    await eventually('the shell is gone', () => state(parent.pid, 'comm') === 'sleep\n');
    expect(isProcessAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await eventually('it has ended', () => state(pid, 'stat').includes(') Z '));
    process.kill(pid, 0);
    expect(isProcessAlive(pid)).toBe(false);
    expect(isProcessAlive(parent.pid)).toBe(true);
  } finally {
    parent.kill('SIGKILL');
    await parent.exited;
  }
});
