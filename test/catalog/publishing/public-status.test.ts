// The status by day, from stored traffic hours, and incidents; on a real store under a test's clock.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalog, type Catalog } from '../../../src/catalog/catalog.ts';
import {
  createPublicStatus,
  type PublicStatus,
  type StatusTools,
} from '../../../src/catalog/publishing/public-status.ts';
import { bestState } from '../../../src/catalog/publishing/status-states.ts';
import { readDocument } from '../../../src/catalog/read-document.ts';
import { createHealth } from '../../../src/channels/health.ts';
import { createTraffic } from '../../../src/channels/traffic.ts';
import { DAY_MS, HOUR_MS } from '../../../src/kit/clock.ts';
import { taipeiDay, taipeiDayStart } from '../../../src/kit/taipei.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { plainDocument } from '../../support/plain-document.ts';

/** So long the figures of a moment are told. */
const KEPT_MS = 5_000;

let folder: string;
let clock: ManualClock;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-status-'));
  clock = createManualClock();
  store = await openSqliteStore({ file: join(folder, 'gateway.sqlite'), clock });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function publicStatus(
  read: Store['read'] = store.read,
  changed: Partial<StatusTools> = {},
): () => Promise<PublicStatus> {
  const catalog = catalogOf(1);
  return createPublicStatus({
    store: { read },
    clock,
    catalog: () => catalog,
    health: createHealth(clock),
    traffic: createTraffic(clock),
    ...changed,
  });
}

function catalogOf(revision: number): Catalog {
  const document = readDocument(JSON.stringify(plainDocument()));
  if (!document.ok) throw new Error('the plain document is valid');
  return buildCatalog(document.document, revision, 0);
}

/** So many days ago, at an hour of that day in Taipei. */
async function addTraffic(daysAgo: number, hourOfDay: number, ok: number, failed: number): Promise<void> {
  const hour = taipeiDayStart(taipeiDay(clock.now()) - daysAgo) / HOUR_MS + hourOfDay;
  const sum = { hour, channel: 'up', model: 'paid', ok, failed, firstToken: [ok], total: [ok] };
  await store.commit('traffic', { sums: [sum] });
}

const channelOf = ({ models }: PublicStatus, id = 'paid') => models.find((model) => model.id === id)?.channels[0];
const daysOf = (status: PublicStatus, id?: string) => channelOf(status, id)?.days ?? [];

test('90 days in Taipei, each in one word', async () => {
  await addTraffic(0, 0, 99, 1);
  await addTraffic(1, 23, 97, 3);
  await addTraffic(2, 5, 1, 2);
  await addTraffic(89, 0, 50, 0);
  await addTraffic(90, 23, 0, 50);
  const status = await publicStatus()();
  const days = daysOf(status);
  expect(days).toHaveLength(90);
  expect(days.at(-1)).toEqual({ day: '2026-01-15', state: 'operational' });
  expect(days.at(-2)).toEqual({ day: '2026-01-14', state: 'degraded' });
  expect(days.at(-3)).toEqual({ day: '2026-01-13', state: 'down' });
  expect(days[0]).toEqual({ day: '2025-10-18', state: 'operational' });
  expect(days.filter(({ state }) => state === 'unknown')).toHaveLength(86);
  expect(daysOf(status, 'auto:free').every(({ state }) => state === 'unknown')).toBe(true);
  expect(channelOf(status)?.hours).toHaveLength(2);
});

test('days are read again after a minute, and at midnight in Taipei', async () => {
  const status = publicStatus();
  const today = async () => daysOf(await status()).at(-1);
  expect(await today()).toEqual({ day: '2026-01-15', state: 'unknown' });
  await addTraffic(0, 1, 10, 0);
  expect(await today()).toEqual({ day: '2026-01-15', state: 'unknown' });
  await clock.advance(60_000);
  expect(await today()).toEqual({ day: '2026-01-15', state: 'operational' });
  await clock.advance(KEPT_MS);
  clock.step(taipeiDayStart(taipeiDay(clock.now()) + 1) - clock.now());
  expect(await today()).toEqual({ day: '2026-01-16', state: 'unknown' });
});

test('a channel that was not asked does not hide that the only asked one is down', () => {
  expect(bestState(['down', 'unknown'])).toBe('degraded');
  expect(bestState(['down', 'down'])).toBe('down');
  expect(bestState(['down', 'unknown', 'degraded'])).toBe('degraded');
  expect(bestState(['unknown', 'unknown'])).toBe('unknown');
});

test('incidents, newest first', async () => {
  const incident = (incidentId: string, startedAt: number) => ({
    incidentId,
    startedAt,
    endedAt: null,
    titleEn: 'Slow answers',
    titleZh: '回應較慢',
    textEn: '',
    textZh: '',
    createdAt: startedAt,
  });
  const at = clock.now();
  for (const one of [incident('inc_1', at - DAY_MS), incident('inc_2', at)]) {
    await store.commit('putIncident', { incident: one });
  }
  const { incidents } = await publicStatus()();
  expect(incidents.map(({ incidentId }) => incidentId)).toEqual(['inc_2', 'inc_1']);
});

test('while the store is away, everything that needs it is unknown', async () => {
  const away = () => Promise.reject(new Error('away'));
  const status = publicStatus({ ...store.read, trafficSince: away, trafficDays: away, incidents: away });
  expect(await status()).toMatchObject({ at: clock.now(), incidents: [] });
  expect(daysOf(await status())).toHaveLength(90);
});

describe('however many ask', () => {
  /** Counts how often traffic is counted, and how often the store is asked. */
  function watched(changed: Partial<StatusTools> = {}) {
    const counts = { figures: 0, hours: 0, incidents: 0 };
    const traffic = createTraffic(clock);
    const { trafficSince, incidents } = store.read;
    const counted: Store['read'] = {
      ...store.read,
      trafficSince: (hour) => {
        counts.hours++;
        return trafficSince(hour);
      },
      incidents: (limit) => {
        counts.incidents++;
        return incidents(limit);
      },
    };
    const figures: typeof traffic.figures = (channel, model, ms) => {
      counts.figures++;
      return traffic.figures(channel, model, ms);
    };
    return { counts, status: publicStatus(counted, { traffic: { figures }, ...changed }) };
  }

  test('traffic is counted every five seconds, and incidents are read every second', async () => {
    const { counts, status } = watched();
    const at = clock.now();
    const [one] = await Promise.all([status(), status(), status()]);
    const once = { ...counts };
    expect(once).toEqual({ figures: expect.any(Number), hours: 1, incidents: 1 });
    await clock.advance(KEPT_MS - 1);
    expect((await status()).models).toBe(one.models);
    expect(counts).toEqual({ ...once, incidents: 2 });
    await clock.advance(1);
    expect(await status()).toMatchObject({ at: at + KEPT_MS });
    expect(counts).toEqual({ figures: 2 * once.figures, hours: 2, incidents: 2 });
  });

  test('what the store could not tell is asked for again within a second', async () => {
    await addTraffic(0, 0, 3, 0);
    const { trafficSince } = store.read;
    let isAway = true;
    const status = publicStatus({
      ...store.read,
      trafficSince: (hour) => (isAway ? Promise.reject(new Error('away')) : trafficSince(hour)),
    });
    const before = (await status()).models;
    isAway = false;
    await clock.advance(899);
    expect((await status()).models).toBe(before);
    await clock.advance(1);
    const { models } = await status();
    expect(models).not.toBe(before);
    await clock.advance(KEPT_MS - 1);
    expect((await status()).models).toBe(models);
  });

  test('another revision of the catalog is told at once', async () => {
    let catalog = catalogOf(1);
    const { counts, status } = watched({ catalog: () => catalog });
    await status();
    catalog = { ...catalogOf(2), models: [] };
    expect((await status()).models).toEqual([]);
    expect(counts.hours).toBe(2);
  });
});
