// The short form of `npm run rolling`: three nodes on PostgreSQL are restarted under load, and one is killed.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rollNodes } from './rolling/rolling.ts';
import { sharePostgres, type TestDatabases } from './support/postgres.ts';

const TIMEOUT_MS = 240_000;

let postgres: TestDatabases;
beforeAll(async () => {
  postgres = await sharePostgres();
}, TIMEOUT_MS);
afterAll(() => postgres.stop());

test(
  'four restarts and a kill behind a load balancer: no call fails but on the killed node, and each is charged once',
  async () => {
    const does = ['drain', 'drain', 'kill', 'drain'] as const;
    const steps = does.map((one) => ({ does: one, next: undefined }));
    const report = await rollNodes({ postgres, steps, drainSeconds: 20, without: ['long stream'] });
    expect(report.failed).toEqual([]);
    expect(report.problems).toEqual([]);
    expect(report.restarts).toBe(4);
    expect(report.kills).toBe(1);
    for (const kind of ['json', 'kept-alive json', 'idle json', 'short stream', 'second stream', 'turn'] as const) {
      expect(report.completed.get(kind) ?? 0).toBeGreaterThan(3);
    }
  },
  TIMEOUT_MS,
);
