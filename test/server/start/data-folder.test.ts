// What a first start leaves in the data folder, and what the next one needs of it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../support/answer.ts';
import { plainDocument } from '../../support/plain-document.ts';
import { createWorkplace, type RunningServer, type Workplace } from '../../support/start-process.ts';

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place.remove());

const pepperFile = () => join(place.dataDir, 'pepper');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function register(server: RunningServer): Promise<string> {
  const response = await fetch(`${server.url}/api/agent/register`, { method: 'POST' });
  expect(response.status).toBe(201);
  return ((await response.json()) as Answer).api_key;
}

const statusOf = async (server: RunningServer, key: string) =>
  (await fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${key}` } })).status;

async function stop(server: RunningServer): Promise<void> {
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
}

test('the pepper is 256 random bits that this user alone can read', async () => {
  await place.serve();
  expect(readFileSync(pepperFile(), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  expect(modeOf(pepperFile())).toBe('600');
  expect(modeOf(place.dataDir)).toBe('700');
});

test('a key made before a restart works after it, and the pepper is the same', async () => {
  const first = await place.serve();
  const key = await register(first);
  const pepper = readFileSync(pepperFile(), 'utf8');
  await stop(first);
  const second = await place.serve();
  expect(readFileSync(pepperFile(), 'utf8')).toBe(pepper);
  expect(await statusOf(second, key)).toBe(200);
});

test('a given pepper is used and not written; under another one the database is not opened', async () => {
  const pepper = { SECRETS_PEPPER: 'a-given-pepper-for-tests' };
  const first = await place.serve(pepper);
  const key = await register(first);
  expect(existsSync(pepperFile())).toBe(false);
  await stop(first);
  const { exitCode, stderr } = await place.failToServe({ SECRETS_PEPPER: 'another-pepper-for-tests' });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /the pepper of SECRETS_PEPPER is not the one that the database \S+gateway.sqlite was made with/,
  );
  expect(await statusOf(await place.serve(pepper), key)).toBe(200);
});

test('a mode that was opened is closed again', async () => {
  await stop(await place.serve());
  Bun.spawnSync(['chmod', '644', pepperFile()]);
  await place.serve();
  expect(modeOf(pepperFile())).toBe('600');
});

test('the admin token is made once, and is the same after a restart; a mode that was opened is closed again', async () => {
  const file = join(place.dataDir, 'admin-token');
  await stop(await place.serve());
  const token = readFileSync(file, 'utf8');
  expect(token).toMatch(/^[0-9a-f]{64}\n$/);
  expect(token).not.toBe(readFileSync(pepperFile(), 'utf8'));
  Bun.spawnSync(['chmod', '644', file]);
  await stop(await place.serve());
  expect([modeOf(file), readFileSync(file, 'utf8')]).toEqual(['600', token]);
  writeFileSync(file, 'cut short\n');
  const { exitCode, stderr } = await place.failToServe();
  expect([exitCode, stderr]).toEqual([
    1,
    `cannot start: the admin token in ${file} is damaged: delete it, and a new one is made\n`,
  ]);
});

test('processes that begin together on an empty folder share one pepper and leave no drafts', async () => {
  const file = place.write('a.yaml', plainDocument());
  const ends = await Promise.all(Array.from({ length: 4 }, () => place.gateway(['config', 'apply', file])));
  expect(ends.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(ends.map(() => [0, '']));
  expect(readdirSync(place.dataDir).filter((name) => name.startsWith('pepper'))).toEqual(['pepper']);
});

test('no key in the clear is in any file of it', async () => {
  const server = await place.serve();
  const key = await register(server);
  await stop(server);
  for (const name of readdirSync(place.dataDir)) {
    expect(readFileSync(join(place.dataDir, name)).includes(key.slice(7))).toBe(false);
  }
});
