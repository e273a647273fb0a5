// Sessions of the console end by themselves, and forms act once.

import { expect, test } from 'bun:test';
import { createConsoleSessions, LIVE_PATH } from '../../../src/admin/console/sessions.ts';
import { createOnce } from '../../../src/admin/console/visits.tsx';
import { systemRandom } from '../../../src/kit/random.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const HOUR_MS = 3_600_000;
const host = (port: number, cookie = '') => new Headers({ host: `127.0.0.1:${port}`, cookie });
const pairOf = (line: string) => line.split(';')[0] ?? '';

test('a session ends when nobody comes for two hours, and after twelve at the latest', async () => {
  const clock = createManualClock();
  const sessions = createConsoleSessions(clock, systemRandom);
  const [left, used] = [sessions.open(host(8788)), sessions.open(host(8788))].map(pairOf);
  for (let hour = 1; hour <= 11; hour++) {
    await clock.advance(HOUR_MS);
    expect([hour, sessions.has(host(8788, used))]).toEqual([hour, true]);
  }
  expect(sessions.has(host(8788, left))).toBe(false);
  await clock.advance(HOUR_MS);
  expect(sessions.has(host(8788, used))).toBe(false);
});

test('what the start page asks for by itself does not keep a session alive', async () => {
  const clock = createManualClock();
  const sessions = createConsoleSessions(clock, systemRandom);
  const cookie = pairOf(sessions.open(host(8788)));
  await clock.advance(HOUR_MS);
  expect(sessions.has(host(8788, cookie), LIVE_PATH)).toBe(true);
  await clock.advance(HOUR_MS);
  expect(sessions.has(host(8788, cookie), LIVE_PATH)).toBe(false);
});

test('two gateways on one machine do not share a cookie', () => {
  const sessions = createConsoleSessions(createManualClock(), systemRandom);
  const cookie = pairOf(sessions.open(host(8788)));
  expect(sessions.has(host(8788, cookie))).toBe(true);
  expect(sessions.has(host(8789, cookie))).toBe(false);
});

test('of very many sessions the oldest ends', () => {
  const sessions = createConsoleSessions(createManualClock(), systemRandom);
  const cookies = Array.from({ length: 101 }, () => pairOf(sessions.open(host(1))));
  expect(cookies.map((cookie) => sessions.has(host(1, cookie))).filter((isOpen) => !isOpen)).toHaveLength(1);
});

test('a ticket is good once, and only if it was given out', () => {
  const once = createOnce(systemRandom);
  const ticket = once.ticket();
  expect([once.take('made up'), once.take(null), once.take(ticket), once.take(ticket)]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});
