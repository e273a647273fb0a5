import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { DAY_MS } from '../../src/kit/clock.ts';
import { taipeiDay, taipeiDayStart } from '../../src/kit/taipei.ts';

const at = fc.integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2100, 0, 1) });
const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Taipei', dateStyle: 'short' });

test('the day turns at midnight in Taipei, which is 16:00 UTC', () => {
  const before = taipeiDay(Date.parse('2026-03-01T15:59:59.999Z'));
  const after = taipeiDay(Date.parse('2026-03-01T16:00:00.000Z'));
  expect(after).toBe(before + 1);
  expect(taipeiDay(Date.parse('2026-03-02T00:00:00+08:00'))).toBe(after);
});

test('two moments are in one day exactly if the calendar in Taipei says so', () => {
  fc.assert(
    fc.property(at, fc.integer({ min: 0, max: 2 * DAY_MS }), (first, later) => {
      const sameDay = calendar.format(first) === calendar.format(first + later);
      expect(taipeiDay(first) === taipeiDay(first + later)).toBe(sameDay);
    }),
  );
});

test('a day begins with its first moment', () => {
  fc.assert(
    fc.property(at, (moment) => {
      const start = taipeiDayStart(taipeiDay(moment));
      expect(start).toBeLessThanOrEqual(moment);
      expect(moment).toBeLessThan(start + DAY_MS);
      expect(taipeiDay(start)).toBe(taipeiDay(moment));
      expect(taipeiDay(start - 1)).toBe(taipeiDay(moment) - 1);
    }),
  );
});
