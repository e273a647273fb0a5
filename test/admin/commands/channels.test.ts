// channels list, channels test: through the real command line.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createWorkplace, type Workplace } from '../../support/start-process.ts';
import { writeSql } from '../../support/write-sql.ts';

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place.remove());

const DOCUMENT = {
  channels: [
    { name: 'demo', kind: 'demo' },
    { name: 'away', kind: 'openai', base_url: 'http://127.0.0.1:9/v1', api_key: 'fake' },
    { name: 'resting', kind: 'demo', enabled: false },
    { name: 'idle', kind: 'demo' },
  ],
  models: [
    { id: 'auto:free', price: 'free', routes: [{ channel: 'demo', model: 'demo' }] },
    {
      id: 'gone',
      price: 'free',
      routes: [
        { channel: 'away', model: 'x' },
        { channel: 'away', model: 'y' },
        { channel: 'resting', model: 'demo' },
      ],
    },
  ],
};

test('a channel is listed with its traffic, and tested by one real call', async () => {
  const file = place.write('gateway.yaml', JSON.stringify(DOCUMENT));
  expect((await place.gateway(['config', 'apply', file])).exitCode).toBe(0);
  const list = await place.gateway(['channels', 'list', '--json']);
  const quiet = { requests: 0, success_rate: null, first_token_ms_p50: null };
  expect(JSON.parse(list.stdout)).toEqual([
    { channel: 'demo', kind: 'demo', enabled: true, model: 'auto:free', ...quiet },
    { channel: 'away', kind: 'openai', enabled: true, model: 'gone', ...quiet },
    { channel: 'resting', kind: 'demo', enabled: false, model: 'gone', ...quiet },
    { channel: 'idle', kind: 'demo', enabled: true, model: null, ...quiet },
  ]);
  const { stdout } = await place.gateway(['channels', 'list']);
  expect(stdout).toMatch(/^resting +demo +off +gone +0 /m);
  expect(stdout).toMatch(/^idle +demo +on +- +0 /m);

  const good = await place.gateway(['channels', 'test', 'demo']);
  expect(good.exitCode).toBe(0);
  expect(good.stdout).toMatch(/^demo answered in \d+ ms/);

  const away = await place.gateway(['channels', 'test', 'away']);
  expect(away.exitCode).toBe(1);
  expect(away.stderr).toMatch(/^away failed after \d+ ms: cannot reach it/);
  expect(away.stderr).not.toContain('127.0.0.1');

  const unknown = await place.gateway(['channels', 'test', 'nobody']);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain('there are: demo, away, resting, idle');
});

test.each([
  [9_997, 3, '99.9%'],
  [10_000, 0, '100.0%'],
  [1, 1, '50.0%'],
])('of %d that went well and %d that failed the list says %s', async (ok, failed, share) => {
  await place.gateway(['config', 'apply', place.write('gateway.yaml', JSON.stringify(DOCUMENT))]);
  const hour = Math.floor(Date.now() / 3_600_000);
  const counts = `${ok}, ${failed}, '[]', '[]'`;
  writeSql(
    `${place.dataDir}/gateway.sqlite`,
    `INSERT INTO traffic_hours VALUES ('traffic_1', ${hour}, 'demo', 'auto:free', ${counts})`,
  );
  const { stdout } = await place.gateway(['channels', 'list']);
  expect(stdout).toContain(` ${ok + failed} `);
  expect(stdout).toContain(` ${share} `);
});

test('what was asked for models that have no route to a channel any more stands in a row of its own', async () => {
  await place.gateway(['config', 'apply', place.write('gateway.yaml', JSON.stringify(DOCUMENT))]);
  const hour = Math.floor(Date.now() / 3_600_000);
  const rows = [
    ['demo', 'auto:free', 4, 0],
    ['demo', 'left', 2, 0],
    ['demo', 'left-too', 1, 1],
    ['idle', 'left', 30, 0],
  ].map(
    ([channel, model, ok, failed], index) =>
      `('traffic_${index}', ${hour}, '${channel}', '${model}', ${ok}, ${failed}, '[]', '[]')`,
  );
  writeSql(`${place.dataDir}/gateway.sqlite`, `INSERT INTO traffic_hours VALUES ${rows.join(', ')}`);
  const list: Record<string, unknown>[] = JSON.parse((await place.gateway(['channels', 'list', '--json'])).stdout);
  const told = list.map(({ channel, model, requests, success_rate: rate }) => [channel, model, requests, rate]);
  expect(told).toEqual([
    ['demo', 'auto:free', 4, 1],
    ['away', 'gone', 0, null],
    ['resting', 'gone', 0, null],
    ['demo', null, 4, 0.75],
    ['idle', null, 30, 1],
  ]);
  const { stdout } = await place.gateway(['channels', 'list']);
  expect(stdout).toMatch(/^idle +demo +on +- +30 +100\.0% /m);
});

test('a channel of images is not tested', async () => {
  const paint = {
    id: 'paint',
    kinds: ['images'],
    price: { image: 1 },
    routes: [{ channel: 'away', model: 'painter' }],
  };
  const document = { channels: DOCUMENT.channels.slice(0, 2), models: [...DOCUMENT.models.slice(0, 1), paint] };
  const file = place.write('gateway.yaml', JSON.stringify(document));
  expect((await place.gateway(['config', 'apply', file])).exitCode).toBe(0);
  const { exitCode, stderr } = await place.gateway(['channels', 'test', 'away']);
  expect([exitCode, stderr.trim()]).toEqual([
    1,
    'away serves only images or audio and is not tested, because each one costs money',
  ]);
});

test.each([
  ['a variable that is not set here', 'env:ZZ_UP_KEY', {}, 'ZZ_UP_KEY is not set in this environment'],
  ['a key of this service', 'env:ZZ_UP_KEY', { ZZ_UP_KEY: 'sk-svc-fake' }, 'ZZ_UP_KEY holds a key of this service'],
  ['a file that is not here', 'file:no-such-file', {}, 'cannot read no-such-file: it does not exist'],
  ['an empty file', 'file:empty-file', {}, 'empty-file is empty'],
])('without its key, by %s, a channel is not asked', async (_, apiKey, env, reason) => {
  place.write('empty-file', '\n');
  const channels = DOCUMENT.channels.map((one) => (one.name === 'away' ? { ...one, api_key: apiKey } : one));
  const file = place.write('gateway.yaml', JSON.stringify({ ...DOCUMENT, channels }));
  expect((await place.gateway(['config', 'apply', file])).exitCode).toBe(0);
  const plain = await place.gateway(['channels', 'test', 'away'], env);
  expect(plain.exitCode).toBe(1);
  expect(plain.stderr).toStartWith(`away was not called: ${reason}`);
  expect(plain.stderr).toContain('or test the channel in the console');
  const json = await place.gateway(['channels', 'test', 'away', '--json'], env);
  expect([json.exitCode, json.stdout + json.stderr]).toEqual([
    1,
    expect.stringContaining(`away was not called: ${reason}`),
  ]);
});

test.each([
  ['variable', 'env:ZZ_UP_KEY'],
  ['file', 'file:key-file'],
])('with its key in a %s it is asked', async (_, apiKey) => {
  place.write('key-file', 'fake');
  const channels = DOCUMENT.channels.map((one) => (one.name === 'away' ? { ...one, api_key: apiKey } : one));
  const file = place.write('gateway.yaml', JSON.stringify({ ...DOCUMENT, channels }));
  await place.gateway(['config', 'apply', file]);
  const { stderr } = await place.gateway(['channels', 'test', 'away'], { ZZ_UP_KEY: 'fake' });
  expect(stderr).toStartWith('away failed after');
});
