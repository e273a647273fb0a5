// The registry: what is counted comes out as it should be written, whatever stands in a label, and it stays bounded.
import { describe, expect, test } from 'bun:test';
import { createMetrics } from '../../src/admin/metrics/metrics.ts';
import { readScrape } from '../support/prometheus.ts';

const scrape = async (metrics: ReturnType<typeof createMetrics>) => readScrape(await metrics.text());

describe('a counter', () => {
  test('adds by its labels', async () => {
    const metrics = createMetrics();
    const calls = metrics.counter({ name: 'calls_total', help: 'Calls.', labels: ['model', 'outcome'] });
    calls.of('a', 'ok').add();
    calls.of('a', 'ok').add(2);
    calls.of('a', 'failed').add(0.5);
    const read = await scrape(metrics);
    expect(read.value('calls_total', { model: 'a', outcome: 'ok' })).toBe(3);
    expect(read.value('calls_total', { model: 'a', outcome: 'failed' })).toBe(0.5);
    expect(read.sum('calls_total', { model: 'a' })).toBe(3.5);
  });

  test('without labels is one series', async () => {
    const metrics = createMetrics();
    const calls = metrics.counter({ name: 'calls_total', help: 'Calls.', labels: [] });
    calls.of().add();
    expect(calls.of()).toBe(calls.of());
    expect(await metrics.text()).toBe('# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total 1\n');
  });

  test('finds the same series by the same labels', () => {
    const calls = createMetrics().counter({ name: 'calls_total', help: 'Calls.', labels: ['a', 'b'] });
    expect(calls.of('x', 'y')).toBe(calls.of('x', 'y'));
    expect(calls.of('x', 'y')).not.toBe(calls.of('y', 'x'));
  });

  test.each(['say "hi"', 'C:\\new', 'two\nlines', '漢字', '', '{a="b"} 1'])('takes %j as a label', async (value) => {
    const metrics = createMetrics();
    metrics
      .counter({ name: 'calls_total', help: 'Back\\slash\nand line.', labels: ['model'] })
      .of(value)
      .add();
    expect((await scrape(metrics)).value('calls_total', { model: value })).toBe(1);
  });

  test('beyond the bound everything new is one series more', async () => {
    const metrics = createMetrics(3);
    const calls = metrics.counter({ name: 'calls_total', help: 'Calls.', labels: ['model', 'outcome'] });
    for (let n = 0; n < 1_000; n++) calls.of(`m${n}`, 'ok').add();
    calls.of('m0', 'ok').add();
    const read = await scrape(metrics);
    expect(read.text.trim().split('\n')).toHaveLength(2 + 3 + 1);
    expect(read.value('calls_total', { model: 'm0', outcome: 'ok' })).toBe(2);
    expect(read.value('calls_total', { model: 'other', outcome: 'other' })).toBe(997);
  });
});

describe('a histogram', () => {
  test('counts in buckets that include those below, their bounds included', async () => {
    const metrics = createMetrics();
    const time = metrics.histogram({ name: 'time_seconds', help: 'Time.', labels: ['to'], bounds: [0.1, 1] }).of('a');
    for (const value of [0.05, 0.1, 0.5, 1, 7]) time.observe(value);
    const read = await scrape(metrics);
    const below = (le: string) => read.value('time_seconds_bucket', { to: 'a', le });
    expect([below('0.1'), below('1'), below('+Inf')]).toEqual([2, 4, 5]);
    expect(read.value('time_seconds_count', { to: 'a' })).toBe(5);
    expect(read.value('time_seconds_sum', { to: 'a' })).toBeCloseTo(8.65, 9);
  });
});

describe('a reading', () => {
  const gauge = { type: 'gauge', name: 'depth', help: 'Depth.', labels: ['of'] } as const;

  test('is taken when somebody looks', async () => {
    const metrics = createMetrics();
    let depth = 0;
    metrics.read(gauge, () => [[depth, 'queue']]);
    depth = 7;
    expect((await scrape(metrics)).value('depth', { of: 'queue' })).toBe(7);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no store'))],
    [
      'throws at once',
      () => {
        throw new Error('no file');
      },
    ],
  ])('one that %s is left out, the others are there', async (_, fails) => {
    const metrics = createMetrics();
    metrics.read(gauge, fails);
    metrics.read({ ...gauge, name: 'height' }, async () => [[3, 'wall']]);
    const read = await scrape(metrics);
    expect(read.sum('depth')).toBe(0);
    expect(read.value('height', { of: 'wall' })).toBe(3);
  });
});

test('a name is declared once, and is one that may be', () => {
  const metrics = createMetrics();
  metrics.counter({ name: 'calls_total', help: 'Calls.', labels: [] });
  expect(() => metrics.counter({ name: 'calls_total', help: 'Calls.', labels: [] })).toThrow('once');
  expect(() => metrics.counter({ name: 'calls-total', help: 'Calls.', labels: [] })).toThrow('name');
  expect(() => metrics.counter({ name: 'others_total', help: 'Calls.', labels: ['le'] })).toThrow('name');
});
