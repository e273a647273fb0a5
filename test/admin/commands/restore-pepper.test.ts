// restore looks at the pepper where there is a database to lose: a copy that no server here could use does not take its place.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { startTestGateway } from '../../support/gateway.ts';
import { createWorkplace, type Workplace } from '../../support/start-process.ts';

const OTHER = 'the copy was made with another pepper: ';

const here = createWorkplace();
const elsewhere = createWorkplace();
const database = `${here.dataDir}/gateway.sqlite`;
const own = here.path('own.sqlite');
const foreign = elsewhere.path('foreign.sqlite');

async function use(place: Workplace, copy: string): Promise<void> {
  const gateway = await startTestGateway({ dataDir: place.dataDir });
  await gateway.register();
  await gateway.stop();
  expect((await place.gateway(['backup', copy])).exitCode).toBe(0);
}
const pepperOf = (place: Workplace) => readFileSync(`${place.dataDir}/pepper`, 'utf8').trim();
const restore = (copy: string, env: Record<string, string> = {}) => here.gateway(['restore', copy], env);

beforeAll(async () => {
  await use(here, own);
  await use(elsewhere, foreign);
});
afterAll(async () => {
  await here.remove();
  await elsewhere.remove();
});

test.each([
  ['in its file', () => ({})],
  ['in the environment', () => ({ SECRETS_PEPPER: pepperOf(here) })],
])('a copy of another pepper is refused, with the pepper %s, and the database stays', async (_, env) => {
  const bytes = readFileSync(database);
  const { exitCode, stdout, stderr } = await restore(foreign, env());
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toStartWith(OTHER);
  expect(stderr).toMatch(/^[^\n]+SECRETS_PEPPER[^\n]+move the current database away\n$/);
  expect(readFileSync(database).equals(bytes)).toBe(true);
  expect(existsSync(`${database}.restoring`)).toBe(false);
  expect(await restore(own, env())).toMatchObject({ exitCode: 0, stderr: '' });
});

test('it is taken with its own pepper', async () => {
  const mine = pepperOf(here);
  expect((await restore(foreign, { SECRETS_PEPPER: pepperOf(elsewhere) })).exitCode).toBe(0);
  // What is here now is of the other pepper: the way back is the same.
  expect((await restore(own, { SECRETS_PEPPER: pepperOf(elsewhere) })).stderr).toStartWith(OTHER);
  expect((await restore(own, { SECRETS_PEPPER: mine })).exitCode).toBe(0);
});

test('it is taken when the database was moved away: nothing is lost then', async () => {
  const away = here.path('away.sqlite');
  renameSync(database, away);
  expect((await restore(foreign)).exitCode).toBe(0);
  expect((await here.failToServe()).stderr).toContain('pepper');
  renameSync(database, here.path('taken.sqlite'));
  copyFileSync(away, database);
  expect((await here.gateway(['ledger', 'audit'])).exitCode).toBe(0);
});

test('a pepper that cannot be read is told, and nothing is replaced', async () => {
  const file = `${here.dataDir}/pepper`;
  const mine = readFileSync(file);
  const bytes = readFileSync(database);
  writeFileSync(file, 'no pepper');
  const { exitCode, stderr } = await restore(own);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('is damaged: restore it from a backup');
  expect(readFileSync(database).equals(bytes)).toBe(true);
  writeFileSync(file, mine);
});
