// What is no command: exit 2, the help on stderr, nothing on stdout.
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createWorkplace } from '../support/start-process.ts';

const place = createWorkplace();
afterAll(() => place.remove());

describe('wrong usage', () => {
  test.each([
    [[]],
    [['no-such-command']],
    [['config']],
    [['config', 'no-such-verb']],
    [['constructor']],
    [['config', 'check']],
    [['config', 'check', 'a.yaml', 'b.yaml']],
    [['config', 'apply']],
    [['config', 'export', 'extra']],
    [['config', 'check', 'a.yaml', '--no-such-option']],
    [['--json']],
  ])('%j', async (args) => {
    const { exitCode, stdout, stderr } = await place.gateway(args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('usage:');
  });

  test('an unknown command is repeated, so that the slip is seen', async () => {
    expect((await place.gateway(['confgi', 'check'])).stderr).toContain('confgi check');
  });
});

test.each([[['help']], [['--help']]])('%j is asked for: exit 0, on stdout', async (args) => {
  const { exitCode, stdout, stderr } = await place.gateway(args);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('usage:');
  for (const command of ['serve', 'config check', 'config apply', 'config export']) expect(stdout).toContain(command);
  expect(stderr).toBe('');
});

test('none of this made a data folder', () => {
  expect(existsSync(place.dataDir)).toBe(false);
});
