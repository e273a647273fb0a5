// The catalog in memory follows the store, and never becomes half of one.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ActiveCatalog, createActiveCatalog } from '../../../src/catalog/publishing/active-catalog.ts';
import { applyDocument, type PublishingTools } from '../../../src/catalog/publishing/apply-document.ts';
import { createAlarms } from '../../../src/kit/alarms.ts';
import { createLog } from '../../../src/kit/log.ts';
import { systemRandom } from '../../../src/kit/random.ts';
import { createSealer } from '../../../src/kit/sealed.ts';
import { StoreRefused } from '../../../src/store/refusal.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { appliedLine } from '../../support/applied-line.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { plainDocument } from '../../support/plain-document.ts';

let folder: string;
let tools: PublishingTools;
let lines: string[];
let active: ActiveCatalog;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-publishing-'));
  const clock = createManualClock();
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
