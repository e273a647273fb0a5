// The price history: what each revision changed for the public, and nothing else of it.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPriceHistory } from '../../src/publishing/price-history.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { plainDocument, ROUTE } from '../support/plain-document.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-history-'));
  store = await openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock: createManualClock() });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const revise = (document: object, at: number) =>
  store.commit('revise', { document: JSON.stringify(document), source: 'operator', sourceHash: String(at), at });
const withModels = (...models: object[]) => ({ ...plainDocument(), models });
const [FREE, PAID] = plainDocument().models as [object, object];
const EXTRA = { id: 'extra', price: { input: 1, output: 2 }, routes: [ROUTE] };

test('models that came, went, or have another price', async () => {
  await revise(withModels(FREE, PAID), 10);
  await revise(withModels(FREE, PAID, EXTRA), 20);
  await revise(withModels(FREE, { ...PAID, price: { input: 9, output: 65 } }, EXTRA), 30);
  await revise({ ...withModels(FREE, { ...EXTRA, context_tokens: 1_000 }), limits: { in_flight: 5 } }, 40);
  await revise({ ...withModels(FREE, { ...EXTRA, context_tokens: 1_000 }), limits: { in_flight: 6 } }, 50);
  expect(await createPriceHistory(store)(5)).toEqual([
    { revision: 5, since: 50, changes: [] },
    {
      revision: 4,
      since: 40,
      changes: [{ kind: 'removed', id: 'paid' }],
    },
    { revision: 3, since: 30, changes: [{ kind: 'changed', id: 'paid' }] },
    { revision: 2, since: 20, changes: [{ kind: 'added', id: 'extra' }] },
    {
      revision: 1,
      since: 10,
      changes: [
        { kind: 'added', id: 'auto:free' },
        { kind: 'added', id: 'paid' },
      ],
    },
  ]);
});

test('a revision is read once, also when many ask at once', async () => {
  await revise(withModels(FREE, PAID), 10);
  const asked: number[] = [];
  const read: Store['read'] = {
    ...store.read,
    revision(revision) {
      asked.push(revision);
      return store.read.revision(revision);
    },
  };
  const historyUpTo = createPriceHistory({ read });
  await Promise.all([historyUpTo(1), historyUpTo(1)]);
  await revise(withModels(FREE), 20);
  expect(await historyUpTo(2)).toHaveLength(2);
  await historyUpTo(2);
  expect(asked).toEqual([1, 2]);
});

test('what this version cannot read is left out, and a store that fails is asked again', async () => {
  await revise(withModels(FREE), 10);
  await revise({ of: 'tomorrow' }, 20);
  await revise(withModels(FREE, PAID), 30);
  let isAway = true;
  const read: Store['read'] = {
    ...store.read,
    revision: (revision) => (isAway ? Promise.reject(new Error('away')) : store.read.revision(revision)),
  };
  const historyUpTo = createPriceHistory({ read });
  expect(await historyUpTo(3)).toEqual([]);
  isAway = false;
  expect((await historyUpTo(3)).map(({ revision, changes }) => [revision, changes.length])).toEqual([
    [3, 1],
    [1, 1],
  ]);
});

test('while the store does not answer, what was known before is told', async () => {
  await revise(withModels(FREE), 10);
  let isAway = false;
  const read: Store['read'] = {
    ...store.read,
    revision: (revision) => (isAway ? Promise.reject(new Error('away')) : store.read.revision(revision)),
  };
  const historyUpTo = createPriceHistory({ read });
  const before = await historyUpTo(1);
  await revise(withModels(FREE, PAID), 20);
  isAway = true;
  expect(await historyUpTo(2)).toEqual(before);
  isAway = false;
  expect(await historyUpTo(2)).toHaveLength(2);
});

test('of very many only the newest are told, and the last of them is compared with the one before', async () => {
  for (let n = 1; n <= 105; n++) {
    const price = { input: n, output: 65 };
    await revise(withModels(FREE, { ...PAID, price }), n);
  }
  const history = await createPriceHistory(store)(105);
  expect(history).toHaveLength(100);
  expect(history.at(-1)).toEqual({ revision: 6, since: 6, changes: [{ kind: 'changed', id: 'paid' }] });
});
