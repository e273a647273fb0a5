// Trees of keys on the embedded database: under load, killed in the middle, and against a model.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { checkAfterKill, checkRace } from './chains/describe-race.ts';
import { killInTheMiddle } from './chains/kill.ts';
import { runChainHistory } from './chains/run-histories.ts';
import { renewLease } from './suite/samples.ts';

const HISTORIES = 40;

let folder: string;
let file: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-chains-'));
  file = join(folder, 'gateway.sqlite');
  store = await openSqliteStore({ file, clock: systemClock });
  await renewLease(store);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a thousand calls at once exceed no level by one nano, and none is refused that has room', async () => {
  await checkRace([store]);
}, 120_000);

test('a process that is killed leaves books in order, and nothing held after the sweep', async () => {
  const { keyIds, limits } = await killInTheMiddle(store, [file], folder);
  await store.close();
  store = await openSqliteStore({ file, clock: systemClock });
  await checkAfterKill(store, keyIds, limits);
}, 120_000);

test(`${HISTORIES} histories of random trees agree with the model`, async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    await runChainHistory(store, seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${error}`);
    });
  }
  expect((await store.read.audit({})).differences).toEqual([]);
}, 300_000);
