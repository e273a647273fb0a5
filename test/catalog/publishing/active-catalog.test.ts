// The catalog in memory follows the store, and never becomes half of one.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActiveCatalog } from '../../../src/catalog/publishing/active-catalog.ts';
import { applyDocument, type PublishingTools } from '../../../src/catalog/publishing/apply-document.ts';
import { createAlarms } from '../../../src/kit/alarms.ts';
import { createLog } from '../../../src/kit/log.ts';
import { systemRandom } from '../../../src/kit/random.ts';
import { createSealer } from '../../../src/kit/sealed.ts';
import { StoreRefused } from '../../../src/store/refusal.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { appliedLine } from '../../support/applied-line.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { plainDocument } from '../../support/plain-document.ts';

let folder: string;
let tools: PublishingTools;
let lines: string[];
let active: ReturnType<typeof createActiveCatalog>;
let clock: ManualClock;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-publishing-'));
  clock = createManualClock();
  const store = await openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock });
  tools = { store, clock, sealer: createSealer('a-pepper-for-tests-only', systemRandom) };
  lines = [];
  active = createActiveCatalog(store, clock, createAlarms(createLog(clock, (line) => lines.push(line))));
});
afterEach(async () => {
  await tools.store.close();
  rmSync(folder, { recursive: true, force: true });
});

const follow = async () => active.refresh((await tools.store.read.pulse()).revision);

async function apply(inFlight: number): Promise<void> {
  const document = { ...plainDocument(), limits: { in_flight: inFlight } };
  const applied = await applyDocument(tools, JSON.stringify(document), 'operator', 'token');
  expect(applied.ok).toBe(true);
}

/** As a newer version of the program would: valid there, unknown here. */
function applyFromTheFuture(): Promise<unknown> {
  const document = JSON.stringify({ ...plainDocument(), feature_of_tomorrow: true });
  return tools.store.commit('revise', { document, source: 'operator', sourceHash: 'x', at: 0, log: appliedLine(0) });
}

test('there is none before the first look at the store', () => {
  expect(() => active.get()).toThrow();
});

test('it follows each new revision, as a whole', async () => {
  await apply(5);
  await follow();
  const first = active.get();
  expect(first).toMatchObject({ revision: 1, limits: { in_flight: 5 } });
  await apply(6);
  expect(active.get()).toBe(first);
  await follow();
  expect(active.get()).toMatchObject({ revision: 2, limits: { in_flight: 6 } });
  expect(first).toMatchObject({ revision: 1, limits: { in_flight: 5 } });
});

test('without a new revision it stays the very same', async () => {
  await apply(5);
  await follow();
  const before = active.get();
  await follow();
  expect(active.get()).toBe(before);
});

test('a revision it cannot read leaves the last one in force and raises one alarm, not one a second', async () => {
  await apply(5);
  await follow();
  await applyFromTheFuture();
  await follow();
  await follow();
  expect(active.get()).toMatchObject({ revision: 1, limits: { in_flight: 5 } });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'alarm',
    event: 'config_rejected',
    revision: 2,
    detail: 'feature_of_tomorrow',
  });
});

test('after such a revision the next good one is followed', async () => {
  await apply(5);
  await follow();
  await applyFromTheFuture();
  await follow();
  await apply(7);
  await follow();
  expect(active.get()).toMatchObject({ revision: 3, limits: { in_flight: 7 } });
});

test('with nothing to stay on, the operator is told in one line', async () => {
  await applyFromTheFuture();
  const refused = await follow().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreRefused);
  expect(String(refused)).toContain('feature_of_tomorrow');
  expect(String(refused)).not.toContain('\n');
});

/** A paid model with these fields. */
async function applyModel(fields: Record<string, unknown>): Promise<void> {
  const { channels, models } = plainDocument();
  const model = { ...models[1], ...fields };
  const applied = await applyDocument(
    tools,
    JSON.stringify({ channels, models: [models[0], model] }),
    'operator',
    'token',
  );
  expect(applied.ok).toBe(true);
  await follow();
}

test('at a date of the document it changes without a look at the store, and stays the same object in between', async () => {
  const at = clock.now() + 1_000;
  const changes = [{ effective_at: new Date(at).toISOString(), input: 20 }];
  await applyModel({ price: { input: 10, output: 40, changes } });
  const before = active.get();
  clock.step(999);
  expect(active.get()).toBe(before);
  clock.step(1);
  const after = active.get();
  expect(after.find('paid')?.prices.input).toBe(20_000n);
  expect(before.find('paid')?.prices.input).toBe(10_000n);
  clock.step(1_000_000);
  expect(active.get()).toBe(after);
  clock.step(-1_000_001);
  expect(active.get().find('paid')?.prices.input).toBe(10_000n);
});

test('a model is deprecated since the first of the latest revisions that all have a date', async () => {
  const sinceOf = () => active.get().find('paid')?.retirement?.deprecatedAt;
  const retires = (date: string) => applyModel({ retires_at: date });
  await retires('2026-12-11');
  await applyModel({});
  clock.step(1_000);
  const since = clock.now();
  await retires('2026-12-11');
  clock.step(1_000);
  await retires('2027-01-01');
  expect(sinceOf()).toBe(since);
  const restarted = createActiveCatalog(tools.store, clock, createAlarms(createLog(clock, () => {})));
  await restarted.refresh((await tools.store.read.pulse()).revision);
  expect(restarted.get().find('paid')?.retirement?.deprecatedAt).toBe(since);
});
