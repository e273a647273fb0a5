// Questions while another program keeps the file locked, so that nothing that is journaled can be posted.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { eventually } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { lease, paid, registration, settlement, TRIAL } from './suite/inputs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-locked-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('are answered from the tables, and of what is not there it is not said that it is nowhere', async () => {
  const file = join(folder, 'gateway.sqlite');
  // While it stands still nothing is posted, however long the machine takes to come to the lock.
  const clock = createManualClock();
  const store = await openSqliteStore({ file, clock });
  const account = registration();
  const { accountId } = account;
  await store.commit('lease', lease());
  await store.commit('register', account);
  const input = paid(accountId, 500n);
  await store.commit('admit', input);
  await store.commit('settle', settlement(input, 400n));
  const other = openDatabase(file, { unsafeNoSync: true });
  other.run('BEGIN IMMEDIATE');
  try {
    const asked = [store.read.wallet(accountId), store.read.usageRecord(accountId, input.requestId)];
    let answers: PromiseSettledResult<unknown>[] | undefined;
    void Promise.allSettled(asked).then((all) => {
      answers = all;
    });
    const [seen, record] = await eventually('both are answered', async () => {
      await clock.advance(100);
      return answers;
    });
    expect(seen).toMatchObject({ status: 'fulfilled', value: { balance: TRIAL } });
    expect(record).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  } finally {
    other.run('COMMIT');
    other.close();
  }
  expect(await store.read.usageRecord(accountId, input.requestId)).toMatchObject({ cost: 400n });
  expect(await store.read.wallet(accountId)).toMatchObject({ balance: TRIAL - 400n });
  await store.close();
});
