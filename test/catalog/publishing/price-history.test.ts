// The price history: what each revision changed for the public, and nothing else of it.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPriceHistory } from '../../../src/catalog/publishing/price-history.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { appliedLine } from '../../support/applied-line.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { plainDocument, ROUTE } from '../../support/plain-document.ts';

/** After every revision. */
const NOW = 1_000_000;

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-history-'));
  store = await openSqliteStore({
    file: join(folder, 'gateway.sqlite'),
    clock: createManualClock(),
    unsafeNoSync: true,
  });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const revise = (document: object, at: number) =>
  store.commit('revise', {
    document: JSON.stringify(document),
    source: 'operator',
    sourceHash: String(at),
    at,
    log: appliedLine(at),
  });
const withModels = (...models: object[]) => ({ ...plainDocument(), models });
const [FREE, PAID] = plainDocument().models as [object, object];
const EXTRA = { id: 'extra', price: { input: 1, output: 2 }, routes: [ROUTE] };

test('models that came, went, or have another price', async () => {
  await revise(withModels(FREE, PAID), 10);
  await revise(withModels(FREE, PAID, EXTRA), 20);
  await revise(withModels(FREE, { ...PAID, price: { input: 9, output: 65 } }, EXTRA), 30);
  await revise({ ...withModels(FREE, { ...EXTRA, context_tokens: 1_000 }), limits: { in_flight: 5 } }, 40);
  await revise({ ...withModels(FREE, { ...EXTRA, context_tokens: 1_000 }), limits: { in_flight: 6 } }, 50);
  const { changes: history } = await createPriceHistory(store)(5, NOW);
  expect(history.map(({ revision, since, isFirst }) => [revision, since, isFirst])).toEqual([
    [4, 40, false],
    [3, 30, false],
    [2, 20, false],
    [1, 10, true],
  ]);
  const listed = (input: bigint, output: bigint) => ({
    isFree: false,
    prices: { input, cachedInput: input, cacheWrite5m: input, cacheWrite1h: input, output },
    rules: undefined,
  });
  const [gone, changed, came, first] = history.map(({ changes }) => changes);
  expect(gone).toEqual([{ id: 'paid', before: listed(9_000n, 65_000n), after: undefined }]);
  expect(changed).toEqual([{ id: 'paid', before: listed(8_125n, 65_000n), after: listed(9_000n, 65_000n) }]);
  expect(came).toEqual([{ id: 'extra', before: undefined, after: listed(1_000n, 2_000n) }]);
  expect(first).toMatchObject([
    { id: 'auto:free', before: undefined, after: { isFree: true } },
    { id: 'paid', before: undefined, after: listed(8_125n, 65_000n) },
  ]);
});

test('a model that becomes free, or is served in another way, has another price', async () => {
  await revise(withModels(FREE, PAID), 10);
  await revise(withModels(FREE, { ...PAID, price: 'free' }), 20);
  await revise(withModels(FREE, { ...PAID, price: 'free', name: 'Another name' }), 30);
  await revise(withModels(FREE, { ...PAID, price: { input: 0.001, output: 0.001 } }), 40);
  const { changes: history } = await createPriceHistory(store)(4, NOW);
  expect(history.map(({ revision, changes }) => [revision, changes.map(({ after }) => after?.isFree)])).toEqual([
    [4, [false]],
    [2, [true]],
    [1, [true, false]],
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
  await Promise.all([historyUpTo(1, NOW), historyUpTo(1, NOW)]);
  await revise(withModels(FREE), 20);
  expect((await historyUpTo(2, NOW)).changes).toHaveLength(2);
  await historyUpTo(2, NOW);
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
  expect(await historyUpTo(3, NOW)).toEqual({ changes: [], upTo: 0 });
  isAway = false;
  expect((await historyUpTo(3, NOW)).changes.map(({ revision, changes }) => [revision, changes.length])).toEqual([
    [3, 1],
    [1, 1],
  ]);
});

test('while the store does not answer, what was known before is told, and how far that is', async () => {
  await revise(withModels(FREE), 10);
  let isAway = false;
  const read: Store['read'] = {
    ...store.read,
    revision: (revision) => (isAway ? Promise.reject(new Error('away')) : store.read.revision(revision)),
  };
  const historyUpTo = createPriceHistory({ read });
  const before = await historyUpTo(1, NOW);
  await revise(withModels(FREE, PAID), 20);
  isAway = true;
  expect(await historyUpTo(2, NOW)).toEqual({ changes: before.changes, upTo: 1 });
  isAway = false;
  expect((await historyUpTo(2, NOW)).changes).toHaveLength(2);
});

test('of very many changes only the newest are told, and none is called the first', async () => {
  for (let n = 1; n <= 105; n++) {
    const price = { input: n, output: 65 };
    await revise(withModels(FREE, { ...PAID, price }), n);
  }
  const { changes: history } = await createPriceHistory(store)(105, NOW);
  expect(history).toHaveLength(100);
  expect(history.at(-1)).toMatchObject({ revision: 6, isFirst: false, changes: [{ id: 'paid' }] });
});

test('however often channels were switched, prices are told', async () => {
  const many = Array.from({ length: 100 }, (_, n) => ({ ...EXTRA, id: `extra-${n}` }));
  const switched = (n: number, price: object) => ({
    ...withModels(FREE, { ...PAID, price }, ...many),
    channels: plainDocument().channels.map((channel) => ({
      ...channel,
      enabled: channel.name === 'demo' || n % 2 === 0,
    })),
  });
  for (let n = 1; n <= 300; n++) await revise(switched(n, { input: n < 10 ? 8 : 9, output: 65 }), n);
  const historyUpTo = createPriceHistory(store);
  const { changes: history } = await historyUpTo(300, NOW);
  expect(history.map(({ revision, isFirst }) => [revision, isFirst])).toEqual([
    [10, false],
    [1, true],
  ]);
});

test('a change at a date is one of its own, from that date on, unless another revision comes first', async () => {
  const changing = (...dates: number[]) => ({
    ...PAID,
    price: {
      input: 10,
      output: 40,
      changes: dates.map((date, index) => ({ effective_at: new Date(date).toISOString(), input: 20 + index })),
    },
  });
  await revise(withModels(FREE, changing(2_000, 5_000)), 1_000);
  await revise(
    withModels(FREE, changing(2_000, 6_000), { ...EXTRA, retires_at: new Date(7_000).toISOString() }),
    4_000,
  );
  const historyUpTo = createPriceHistory(store);
  const seenAt = async (revision: number, now: number) =>
    (await historyUpTo(revision, now)).changes.map(({ revision, since, changes }) => [
      revision,
      since,
      ...changes.map(({ id, after }) => `${id} ${after?.prices.input ?? 'gone'}`),
    ]);
  const first = [1, 1_000, 'auto:free 0', 'paid 10000'];
  expect(await seenAt(1, 1_999)).toEqual([first]);
  expect(await seenAt(1, 2_000)).toEqual([[1, 2_000, 'paid 20000'], first]);
  const second = [[2, 4_000, 'extra 1000'], [1, 2_000, 'paid 20000'], first];
  expect(await seenAt(2, 5_999)).toEqual(second);
  const last = [[2, 7_000, 'extra gone'], [2, 6_000, 'paid 21000'], ...second];
  expect(await seenAt(2, 7_000)).toEqual(last);
  expect((await createPriceHistory(store)(2, 7_000)).changes).toEqual((await historyUpTo(2, 7_000)).changes);
});
