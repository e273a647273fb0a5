// Usage records are kept for 24 months, or for as long as the operator says; the money they stood for stays in the books.

import { afterEach, expect, test } from 'bun:test';
import { monthsBefore, taipeiDay } from '../../../src/kit/taipei.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let gateway: TestGateway;
afterEach(() => gateway.stop());

async function useOnce(guards: Record<string, number | null>) {
  const clock = createManualClock();
  gateway = await startTestGateway({ clock, document: (doc) => ({ ...doc, guards: { ...doc.guards, ...guards } }) });
  const { key } = await gateway.register();
  expect((await gateway.chat(key, { model: 'demo-small', max_tokens: 20 })).status).toBe(200);
  const { balance_nano: balance } = await gateway.get('/api/me', key);
  const count = async () => (await gateway.get('/api/usage', key)).data.length;
  /** Usage of three days ago: the job sees that time has passed. */
  const useLately = async () => {
    clock.step(-3 * DAY_MS);
    expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
    clock.step(3 * DAY_MS);
  };
  return { clock, key, balance, count, useLately };
}

/** Its jobs have had their turn, and wait for the next one. */
async function anHour(clock: ManualClock): Promise<void> {
  const timers = clock.pending();
  await clock.advance(HOUR_MS);
  await eventually('every job waits for its next turn', () => clock.pending() >= timers);
}

test('after 24 months', async () => {
  const { clock, key, balance, count, useLately } = await useOnce({});
  clock.step(700 * DAY_MS);
  await useLately();
  await anHour(clock);
  expect(await count()).toBe(2);
  clock.step(40 * DAY_MS);
  await useLately();
  await anHour(clock);
  await eventually('it is forgotten', async () => (await count()) === 2);
  expect((await gateway.get('/api/me', key)).balance_nano).toBe(balance);
  expect(gateway.sql("SELECT * FROM entries WHERE kind = 'usage'")).toHaveLength(1);
  expect((await gateway.gateway.store.read.audit({})).differences).toEqual([]);
  await eventually('the log says so', () => gateway.log.text().includes('"usage_forgotten","count":1'));
});

test('after as many months as the operator says, or never', async () => {
  const short = await useOnce({ usage_months: 1 });
  short.clock.step(40 * DAY_MS);
  await short.useLately();
  await anHour(short.clock);
  await eventually('it is forgotten', async () => (await short.count()) === 1);
  await gateway.stop();
  const never = await useOnce({ usage_months: null });
  never.clock.step(10_000 * DAY_MS);
  await never.useLately();
  await anHour(never.clock);
  expect(await never.count()).toBe(2);
});

test('not by a clock that has leapt ahead: years without usage are none', async () => {
  const { clock, key, count } = await useOnce({});
  clock.step(3 * 365 * DAY_MS);
  for (let day = 0; day < 2; day++) {
    await eventually('calls are taken', async () => {
      await clock.advance(3_000);
      return (await gateway.chat(key, { model: 'auto:free' })).status === 200;
    });
    await anHour(clock);
    clock.step((1 - 2 * day) * DAY_MS);
  }
  clock.step(-3 * 365 * DAY_MS);
  expect(await count()).toBe(3);
  expect(await gateway.gateway.store.read.usageKeptFrom()).toBe(0);
});

test.each([
  ['2026-11-15T03:00:00Z', 24, '2024-11-15'],
  ['2026-11-14T16:00:00Z', 1, '2026-10-15'],
  ['2026-01-05T00:00:00Z', 2, '2025-11-05'],
  ['2026-03-31T00:00:00Z', 1, '2026-02-28'],
  ['2026-08-31T00:00:00Z', 6, '2026-02-28'],
  ['2026-01-31T00:00:00Z', 2, '2025-11-30'],
])('from %s, %d months back, begins %s', (now, months, first) => {
  expect(monthsBefore(Date.parse(now), months)).toBe(taipeiDay(Date.parse(`${first}T12:00:00+08:00`)));
});
