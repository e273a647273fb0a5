// What traffic comes to: each try of the last hour counts, with exact times; in the hours that are stored, times are steps of
// a histogram.

import { describe, expect, test } from 'bun:test';
import { createTraffic, percentileOf, STEPS_MS, splitTotal, type Traffic } from '../../src/channels/traffic.ts';
import { HOUR_MS } from '../../src/kit/clock.ts';
import { addHours } from '../../src/store/book/traffic.ts';
import { createManualClock } from '../support/manual-clock.ts';

const ROUTE = { channel: 'up', model: 'm' };
const NOTHING = { p50: null, p95: null };

/** 0 to 100 tenths of a second, in an order that is none; the first tokens come in half the time. */
function recordHundred(traffic: Traffic): void {
  for (let n = 0; n <= 100; n++) {
    const totalMs = ((n * 37) % 101) * 100;
    traffic.record({ ...ROUTE, ok: true, firstTokenMs: totalMs / 2, totalMs });
  }
}

describe('the last hour', () => {
  test('half are at most p50, ninety-five of a hundred at most p95', () => {
    const traffic = createTraffic(createManualClock());
    recordHundred(traffic);
    expect(traffic.figures('up', 'm', HOUR_MS)).toEqual({
      requests: 101,
      successRate: 1,
      firstTokenMs: { p50: 2_500, p95: 4_750 },
      totalMs: { p50: 5_000, p95: 9_500 },
      wholeMs: NOTHING,
    });
  });

  test('failures have no times, whole answers no first token; other routes and older calls are not in it', async () => {
    const clock = createManualClock();
    const traffic = createTraffic(clock);
    traffic.record({ ...ROUTE, ok: true, firstTokenMs: 9_000, totalMs: 9_000 });
    await clock.advance(60_000);
    traffic.record({ ...ROUTE, ok: true, firstTokenMs: null, totalMs: 70.4 });
    traffic.record({ ...ROUTE, ok: false, firstTokenMs: null, totalMs: null });
    traffic.record({ ...ROUTE, channel: 'other', ok: true, firstTokenMs: 8_000, totalMs: 8_000 });
    traffic.record({ ...ROUTE, model: 'other', ok: true, firstTokenMs: 8_000, totalMs: 8_000 });
    expect(traffic.figures('up', 'm', 60_000)).toEqual({
      requests: 2,
      successRate: 0.5,
      firstTokenMs: NOTHING,
      totalMs: NOTHING,
      wholeMs: { p50: 70, p95: 70 },
    });
    expect(traffic.figures('up', 'm', HOUR_MS).requests).toBe(3);
    expect(traffic.figures('up', 'none', HOUR_MS)).toMatchObject({ requests: 0, successRate: null, totalMs: NOTHING });
  });
});

describe('a busy hour', () => {
  const ok = { ...ROUTE, ok: true, firstTokenMs: 10, totalMs: 20 };
  const failed = { ...ROUTE, ok: false, firstTokenMs: null, totalMs: null };

  test('every try counts, however many there are, until it is an hour old', async () => {
    const clock = createManualClock();
    const traffic = createTraffic(clock);
    const perMinute = 600;
    for (let minute = 0; minute < 60; minute++) {
      for (let n = 0; n < perMinute; n++) traffic.record(minute < 50 ? failed : ok);
      await clock.advance(60_000);
    }
    const all = traffic.figures('up', 'm', HOUR_MS + 1);
    // The first ten seconds began an hour ago.
    expect(all.requests).toBe(59 * perMinute);
    expect(all.successRate).toBeCloseTo(10 / 59, 10);
    expect(traffic.figures('up', 'm', 10 * 60_000)).toMatchObject({ requests: 9 * perMinute, successRate: 1 });
    await clock.advance(HOUR_MS);
    expect(traffic.figures('up', 'm', HOUR_MS)).toMatchObject({ requests: 0, successRate: null, totalMs: NOTHING });
    traffic.record(ok);
    expect(traffic.figures('up', 'm', HOUR_MS)).toMatchObject({ requests: 1, successRate: 1 });
  });

  test('times are those of the last two hundred answers', () => {
    const traffic = createTraffic(createManualClock());
    for (let n = 0; n < 3_000; n++) traffic.record({ ...ok, totalMs: n < 2_800 ? 1 : n });
    traffic.record({ ...failed, channel: 'other' });
    expect(traffic.figures('up', 'm', HOUR_MS)).toMatchObject({ requests: 3_000, totalMs: { p50: 2_900, p95: 2_990 } });
  });

  test('other routes take nothing from it, and those without traffic are forgotten', async () => {
    const clock = createManualClock();
    const traffic = createTraffic(clock);
    traffic.record(ok);
    for (let n = 0; n < 30_000; n++) traffic.record({ ...failed, model: `other-${n % 3}` });
    expect(traffic.figures('up', 'm', HOUR_MS)).toMatchObject({ requests: 1, successRate: 1 });
    await clock.advance(HOUR_MS + 1);
    traffic.record({ ...ok, model: 'new' });
    expect(traffic.figures('up', 'm', HOUR_MS).requests).toBe(0);
    expect(traffic.figures('up', 'new', HOUR_MS).requests).toBe(1);
  });
});

describe('an hour', () => {
  test('its times are the ends of steps', () => {
    const traffic = createTraffic(createManualClock());
    recordHundred(traffic);
    const [hour] = traffic.takeSums();
    const { streams, wholes } = splitTotal(hour?.total ?? []);
    const at = (share: number) => [percentileOf(hour?.firstToken ?? [], share), percentileOf(streams, share)];
    expect(percentileOf(wholes, 0.5)).toBeNull();
    expect([hour?.ok, hour?.failed]).toEqual([101, 0]);
    expect(at(0.5)).toEqual([3_000, 5_000]);
    expect(at(0.95)).toEqual([5_000, 10_000]);
    expect(traffic.takeSums()).toEqual([]);
  });

  test('a time belongs to the step that ends with it, and what is above all steps ends within an hour', () => {
    const stepOf = (ms: number) => {
      const traffic = createTraffic(createManualClock());
      traffic.record({ ...ROUTE, ok: true, firstTokenMs: null, totalMs: ms });
      const { streams, wholes } = splitTotal(traffic.takeSums()[0]?.total ?? []);
      expect(percentileOf(streams, 0.5)).toBeNull();
      return percentileOf(wholes, 0.5);
    };
    expect([0, 50, 51, 100, 60_000, 60_001, 300_000, 900_000].map(stepOf)).toEqual([
      50,
      50,
      100,
      100,
      60_000,
      120_000,
      300_000,
      HOUR_MS,
    ]);
  });
});

test('hours of an earlier version, with fewer steps, are added', () => {
  const traffic = createTraffic(createManualClock());
  traffic.record({ ...ROUTE, ok: true, firstTokenMs: null, totalMs: 70 });
  const [fresh] = traffic.takeSums();
  if (!fresh) throw new Error('nothing was recorded');
  const older = { ...fresh, total: STEPS_MS.map(() => 1) };
  for (const sum of [addHours(fresh, older), addHours(older, fresh)]) {
    const { streams, wholes } = splitTotal(sum.total);
    expect([streams.reduce((a, b) => a + b), wholes.reduce((a, b) => a + b)]).toEqual([STEPS_MS.length, 1]);
  }
});

describe('percentileOf', () => {
  const counted = (counts: Record<number, number>) => [...STEPS_MS, 0].map((step) => counts[step] ?? 0);

  test.each([
    { counts: {}, p50: null, p95: null },
    { counts: { 200: 1 }, p50: 200, p95: 200 },
    { counts: { 100: 50, 1000: 50 }, p50: 100, p95: 1_000 },
    { counts: { 100: 49, 1000: 51 }, p50: 1_000, p95: 1_000 },
    { counts: { 100: 95, 60000: 5 }, p50: 100, p95: 100 },
    { counts: { 100: 94, 60000: 6 }, p50: 100, p95: 60_000 },
  ])('$counts: $p50, $p95', ({ counts, p50, p95 }) => {
    expect(percentileOf(counted(counts), 0.5)).toBe(p50);
    expect(percentileOf(counted(counts), 0.95)).toBe(p95);
  });

  test('without steps there is none', () => {
    expect(percentileOf([], 0.5)).toBeNull();
  });
});
