import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { startTestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { plainDocument } from '../../support/plain-document.ts';
import { createWorkplace } from '../../support/start-process.ts';

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
    expect(JSON.parse(stdout)).toEqual({ ok: true, channels: 2, models: 2, warnings: [] });
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

describe('a valid file that may not be meant so', () => {
  const emptyKey = place.write('empty-key', '\n');
  const up = { kind: 'openai', base_url: 'http://upstream.test/v1' };
  const doubtful = place.write('doubtful.yaml', {
    channels: [
      { name: 'up', ...up, api_key: 'env:ZZ_UP_KEY' },
      { name: 'own', ...up, api_key: 'env:ZZ_OWN_KEY' },
      { name: 'missing', ...up, api_key: 'file:/nowhere/key' },
      { name: 'empty', ...up, api_key: `file:${emptyKey}` },
      { name: 'good', ...up, api_key: `file:${place.write('key', 'sk-fake')}` },
      ...[`$${'{ZZ_UP_KEY}'}`, '$ZZ_UP_KEY', 'Env:ZZ_UP_KEY', '$ecret-of-9', 'sk-fake'].map((api_key, index) => ({
        name: `literal-${index}`,
        ...up,
        api_key,
      })),
    ],
    models: [
      { id: 'm', price: 'free', routes: [{ channel: 'up', model: 'm' }] },
      { id: 'n', price: 'free', routes: ['up', 'own', 'up'].map((channel) => ({ channel, model: 'n' })) },
      { id: 'paid', price: { input: 1, output: 1 }, routes: [{ channel: 'own', model: 'p' }] },
      { id: 'vectors', kinds: ['embeddings'], price: { input: 1 }, routes: [{ channel: 'own', model: 'v' }] },
    ],
  });
  const OWN = { ZZ_OWN_KEY: 'sk-svc-fake' };
  const literal = (index: number) =>
    `channels[${5 + index}].api_key: literal-${index}: this looks like the name of a variable or a file, and is taken as the key itself; write env:NAME or file:PATH`;
  const WARNINGS = [
    ...[0, 1, 2].map(literal),
    'channels[0].api_key: ZZ_UP_KEY is not set in this environment: the upstream would be called without a key',
    'channels[1].api_key: ZZ_OWN_KEY holds a key of this service: the upstream would be called without a key',
    'channels[2].api_key: cannot read /nowhere/key: it does not exist: the upstream would be called without a key',
    `channels[3].api_key: ${emptyKey} is empty: the upstream would be called without a key`,
    'models[2].context_tokens: paid says no context_tokens, so 128000 count: longer prompts that the upstream takes would not be charged in full',
    'models[1].routes: n has several routes to up: if their model or cost differs, its requests cannot be distinguished on a bill',
    'models: there is no model auto:free, to which the docs point',
  ];

  test('exit 0, and a line for each doubt', async () => {
    expect(await place.gateway(['config', 'check', doubtful], OWN)).toEqual({
      exitCode: 0,
      stdout: 'valid: 10 channels, 4 models\n',
      stderr: WARNINGS.map((warning) => `warning: ${warning}\n`).join(''),
    });
  });

  test('--json: in warnings', async () => {
    const { stdout, stderr } = await place.gateway(['config', 'check', doubtful, '--json'], OWN);
    expect(stderr).toBe('');
    const { ok, warnings } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(warnings.map(({ path, message }: Record<string, string>) => `${path}: ${message}`)).toEqual(WARNINGS);
  });

  test('a variable that is set is none', async () => {
    const { stderr } = await place.gateway(['config', 'check', doubtful], { ZZ_UP_KEY: 'k', ZZ_OWN_KEY: 'k' });
    expect(stderr).not.toContain('ZZ_');
  });
});

test('a model that no route can serve is a fault', async () => {
  const document = plainDocument();
  document.models.push({ id: 'e', kinds: ['embeddings'], price: 'free', routes: [{ channel: 'demo', model: 'e' }] });
  const { exitCode, stderr } = await place.gateway(['config', 'check', place.write('unserved.yaml', document)]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'models[2].kinds[0]: needs a route to a channel with embeddings\n',
  });
});

test('an empty file is told as such', async () => {
  const { exitCode, stderr } = await place.gateway(['config', 'check', place.write('empty.yaml', '')]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'the document is empty: it needs channels and models\n',
  });
});

test.each([
  ['missing.yaml', 'it does not exist'],
  ['.', 'it is a folder'],
])('%s cannot be read: exit 1, one line that names it and says why', async (path, reason) => {
  const { exitCode, stdout, stderr } = await place.gateway(['config', 'check', path]);
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toBe(`cannot read ${path}: ${reason}\n`);
});

test('a check needs no data folder and makes none', () => {
  expect(existsSync(place.dataDir)).toBe(false);
});

describe('a model that retires', () => {
  const DAY_MS = 86_400_000;
  const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  const retiring = (file: string, days: number, rest: Record<string, unknown> = {}) => {
    const document = plainDocument();
    const old = { id: 'old', price: { input: 1, output: 1 }, routes: [{ channel: 'demo', model: 'demo' }] };
    const model = { ...old, retires_at: dateIn(days), ...rest };
    return place.write(file, { ...document, models: [...document.models, model] });
  };
  const warned = async (file: string) => (await place.gateway(['config', 'check', file])).stderr;

  test('is named 59 days ahead, and not 62', async () => {
    expect(await warned(retiring('later.yaml', 62))).toBe('');
    const text = await warned(retiring('soon.yaml', 59));
    expect(text).toContain(`models[2].retires_at: old retires on ${dateIn(59)}, in `);
    expect(text).toContain('from then on its calls are refused, without a successor');
    expect(text).not.toContain('requests');
    expect(existsSync(place.dataDir)).toBe(false);
  });

  test('is named with its traffic, where there is a database', async () => {
    const gateway = await startTestGateway();
    try {
      gateway.upstream.otherwise(chatAnswer());
      const { key } = await gateway.register();
      for (let n = 0; n < 2; n++) expect((await gateway.chat(key, { model: 'up-paid' })).status).toBe(200);
      const file = retiring('used.yaml', 10, { id: 'up-paid' });
      const { stderr } = await place.gateway(['config', 'check', file], { DATA_DIR: gateway.dataDir });
      expect(stderr).toContain('in the last 30 days it had 2 requests from 1 account');
    } finally {
      await gateway.stop();
    }
  });

  test('is named with its successor, also when it has retired', async () => {
    const named = await warned(retiring('named.yaml', -3, { replaced_by: 'paid' }));
    expect(named).toContain(
      `old retired on ${dateIn(-3)}: since then its calls are refused, and paid is named instead`,
    );
    const replaced = await warned(retiring('replaced.yaml', 3, { replaced_by: 'paid', on_retired: 'replace' }));
    expect(replaced).toContain('from then on paid serves its calls, at its own price');
  });
});
