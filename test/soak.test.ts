// The short form of `npm run soak`: what is sharp within seconds. Growth of memory needs the minutes of the command.

import { beforeAll, describe, expect, test } from 'bun:test';
import { type Sample, type SoakReport, soak } from './soak/soak.ts';
import { judge } from './soak/verdict.ts';

const TIMEOUT_MS = 240_000;
/** Sockets that are closing, and one of a database thread. */
const SPARE_DESCRIPTORS = 2;
/** Of the clients of the last seconds. */
const SPARE_TIMERS = 30;

describe('after clients of every kind, with months between them', () => {
  let report: SoakReport;
  beforeAll(async () => {
    report = await soak({ database: 'sqlite', rounds: 4, roundMs: 3_000, days: 12 });
  }, TIMEOUT_MS);

  test('every client got an answer that it should get, and the ledger agrees', () => {
    expect(report.samples.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(report.auditProblems).toEqual([]);
    expect(report.done.get('JSON')).toBeGreaterThan(0);
    expect(report.done.get('socket')).toBeGreaterThan(0);
  });

  test('no hold is open, and no row is kept longer than it should be', () => {
    for (const { rows } of report.samples) {
      const stale = [...rows].filter(([, count]) => count.stale > 0).map(([table]) => table);
      expect(stale).toEqual([]);
      expect(rows.get('holds')?.rows).toBe(0);
    }
    expect(report.samples[0]?.rows.get('events')?.rows).toBeGreaterThan(0);
  });

  test('no descriptor, socket or timer stays', () => {
    const [first, ...others] = report.samples;
    for (const { descriptors, sockets, timers } of others) {
      expect(descriptors).toBeLessThanOrEqual((first?.descriptors ?? 0) + SPARE_DESCRIPTORS);
      expect(sockets).toBeLessThanOrEqual(first?.sockets ?? 0);
      expect(timers).toBeLessThanOrEqual((first?.timers ?? 0) + SPARE_TIMERS);
    }
  });
});

describe('the verdict', () => {
  const flat = {
    now: 0,
    residentMb: 200,
    databaseMb: 10,
    heapMb: 40,
    objects: 200_000,
    descriptors: 30,
    sockets: 5,
    timers: 20,
    cpuMs: 0,
  };
  const sample = (rest: Partial<Sample>): Sample => ({
    ...{
      ...flat,
      times: Array.from({ length: 300 }, (_, i) => 10 + (i % 50)),
      cpuMsPerAction: 5,
      calls: 100,
      wrong: [],
      rows: new Map(),
    },
    ...rest,
  });
  const growing = (of: (index: number) => Partial<Sample>) =>
    judge(Array.from({ length: 20 }, (_, index) => sample(of(index))))
      .filter(({ isGrowing }) => isGrowing)
      .map(({ name }) => name);

  test('what is steady or grows only at first does not grow', () => {
    expect(growing(() => ({}))).toEqual([]);
    expect(growing((index) => ({ residentMb: 200 + Math.min(index, 8) * 20 }))).toEqual([]);
  });

  test('a single odd sample changes nothing', () => {
    expect(growing((index) => (index === 18 ? { residentMb: 900, descriptors: 400 } : {}))).toEqual([]);
  });

  test('memory may grow with the pages of the database that SQLite keeps, up to its bound', () => {
    const withDatabase = (from: number) => (index: number) => ({
      residentMb: 200 + index * 3,
      databaseMb: from + index * 2,
    });
    expect(growing(withDatabase(0))).toEqual([]);
    expect(growing(withDatabase(64))).toEqual(['residentMb']);
  });

  test('a steady leak is found', () => {
    expect(growing((index) => ({ residentMb: 200 + index * 4 }))).toEqual(['residentMb']);
    expect(growing((index) => ({ descriptors: 30 + index }))).toEqual(['descriptors']);
    expect(growing((index) => ({ cpuMsPerAction: 5 + index }))).toEqual(['cpuMsPerAction']);
  });

  test('answer times that double in the course of a run are found, and those of one odd round are not', () => {
    const slower = (factor: number) => ({ times: Array.from({ length: 300 }, (_, i) => (10 + (i % 50)) * factor) });
    expect(growing((index) => slower(1 + index / 19))).toEqual(['p99Ms']);
    expect(growing((index) => slower(1 + index / 190))).toEqual([]);
    expect(growing((index) => slower(index > 17 ? 3 : 1))).toEqual([]);
  });
});
