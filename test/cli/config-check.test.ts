import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { plainDocument } from '../support/plain-document.ts';
import { createWorkplace } from '../support/start-process.ts';

const place = createWorkplace();
afterAll(() => place.remove());

const good = place.write('good.yaml', plainDocument());
const bad = place.write(
  'bad.yaml',
  'channels: [{name: demo, kind: demo, speed: 9}]\nmodels: [{id: X, price: free, routes: [{channel: gone, model: m}]}]\n',
);
const BAD_PATHS = ['channels[0].speed', 'models[0].id', 'models[0].routes[0].channel'];

describe('a valid file', () => {
  test('exit 0, one line on stdout, nothing on stderr', async () => {
    expect(await place.gateway(['config', 'check', good])).toEqual({
      exitCode: 0,
      stdout: 'valid: 2 channels, 2 models\n',
      stderr: '',
    });
  });

  test('--json: the same as one JSON line', async () => {
    const { exitCode, stdout } = await place.gateway(['config', 'check', good, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ok: true, channels: 2, models: 2 });
    expect(stdout.trimEnd()).not.toContain('\n');
  });
});

describe('a file with faults', () => {
  test('exit 1, every fault by its path on stderr, nothing on stdout', async () => {
    const { exitCode, stdout, stderr } = await place.gateway(['config', 'check', bad]);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, line.indexOf(': ')))).toEqual(BAD_PATHS);
  });

  test('--json: the faults as JSON, still on stderr', async () => {
    const { exitCode, stdout, stderr } = await place.gateway(['config', 'check', '--json', bad]);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr).faults.map(({ path }: { path: string }) => path)).toEqual(BAD_PATHS);
  });
});

test.each(['missing.yaml', '.'])('%s cannot be read: exit 1, one line that names it', async (path) => {
  const { exitCode, stdout, stderr } = await place.gateway(['config', 'check', path]);
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toBe(`cannot read ${path}\n`);
});

test('a check needs no data folder and makes none', () => {
  expect(existsSync(place.dataDir)).toBe(false);
});
