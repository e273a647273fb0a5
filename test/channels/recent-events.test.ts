import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createRecentEvents } from '../../src/channels/recent-events.ts';

test('an event counts for less than the span, to the millisecond', () => {
  const events = createRecentEvents(10);
  events.add(5, true);
  expect([events.count(14), events.marked(14)]).toEqual([1, 1]);
  expect([events.count(15), events.marked(15)]).toEqual([0, 0]);
});

test('any history is what a list of all events says', () => {
  const steps = fc.array(fc.tuple(fc.nat(5), fc.boolean(), fc.boolean()), { maxLength: 5_000, size: 'max' });
  fc.assert(
    fc.property(steps, (given) => {
      const events = createRecentEvents(20);
      const all: { at: number; isMarked: boolean }[] = [];
      let now = 0;
      for (const [passed, isMarked, isClear] of given) {
        now += passed;
        events.add(now, isMarked);
        all.push({ at: now, isMarked });
        if (isClear && passed === 5) {
          events.clear();
          all.length = 0;
        }
      }
      const live = all.filter(({ at }) => at > now - 20);
      expect(events.count(now)).toBe(live.length);
      expect(events.marked(now)).toBe(live.filter(({ isMarked }) => isMarked).length);
    }),
    { numRuns: 200 },
  );
});
