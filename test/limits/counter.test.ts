// Counting in memory: bounded in what it remembers, whoever comes.

import { expect, test } from 'bun:test';
import { createCounter } from '../../src/limits/counter.ts';
import { createAddressGuards } from '../../src/limits/guards.ts';
import { createManualClock } from '../support/manual-clock.ts';

test('holds a bounded number of addresses: the one quiet longest is forgotten first', () => {
  const counter = createCounter({ clock: createManualClock(), spanMs: 60_000, maxSubjects: 3 });
  const take = (subject: string) => counter.take(subject, 1);
  expect(['a', 'b', 'c'].map(take)).toEqual([true, true, true]);
  expect(take('a')).toBe(false);
  // `b` has been quiet longest, though `a` came first.
  expect(take('d')).toBe(true);
  expect(['a', 'c', 'd'].map(take)).toEqual([false, false, false]);
  expect(take('b')).toBe(true);
});

test('does not grow with the number of bad keys of one address', () => {
  const counter = createCounter({ clock: createManualClock(), spanMs: 60_000, maxSubjects: 3 });
  let within = 0;
  for (let i = 0; i < 100_000; i++) if (counter.take('one', 30)) within++;
  expect(within).toBe(30);
  expect(counter.waitS('one', 30)).toBe(60);
  expect(counter.waitS('nobody', 30)).toBe(0);
});

test('of the guards by address: 50,000 addresses later the first is new again', () => {
  const addressGuards = createAddressGuards(createManualClock());
  const bad = (address: string) => addressGuards.countBadKey(address, 1);
  bad('first');
  expect(() => bad('first')).toThrow('auth_rate_limited');
  for (let i = 0; i < 49_999; i++) bad(`other ${i}`);
  expect(() => bad('first')).toThrow('auth_rate_limited');
  for (let i = 0; i < 50_000; i++) bad(`another ${i}`);
  expect(() => bad('first')).not.toThrow();
});

test('a lowered limit gives the wait until one more is within it', async () => {
  const manual = createManualClock();
  const counter = createCounter({ clock: manual, spanMs: 60_000, maxSubjects: 3 });
  for (let i = 0; i < 4; i++) {
    counter.take('one', 4);
    await manual.advance(10_000);
  }
  expect(counter.take('one', 2)).toBe(false);
  expect(counter.waitS('one', 2)).toBe(40);
  expect(counter.waitS('one', 4)).toBe(20);
});
