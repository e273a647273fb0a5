import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createIds, type IdPrefix } from '../../src/kit/ids.ts';
import { systemRandom } from '../../src/kit/random.ts';
import { createManualClock } from '../support/manual-clock.ts';

const LATEST = 2 ** 48 - 1;

test('an id says what it is, then 26 characters of Crockford base32', () => {
  const newId = createIds(createManualClock(), systemRandom);
  for (const prefix of ['acc', 'key', 'req', 'node', 'batch'] satisfies IdPrefix[]) {
    expect(newId(prefix)).toMatch(new RegExp(`^${prefix}_[0-9abcdefghjkmnpqrstvwxyz]{26}$`));
  }
});

test('ids sort by age as plain text, to the millisecond', () => {
  const idAt = (at: number) => createIds(createManualClock(at), systemRandom)('req');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LATEST - 1 }), fc.integer({ min: 1, max: 100_000 }), (at, later) => {
      expect(idAt(at) < idAt(Math.min(at + later, LATEST))).toBe(true);
    }),
  );
});

test('the time can be read back, so nothing of it is lost', () => {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LATEST }), (at) => {
      const id = createIds(createManualClock(at), systemRandom)('acc');
      const time = [...id.slice(4, 14)].reduce((value, digit) => value * 32 + digits.indexOf(digit), 0);
      expect(time).toBe(at);
    }),
  );
});

test('ids of one millisecond differ in 80 random bits', () => {
  const newId = createIds(createManualClock(), systemRandom);
  const ids = Array.from({ length: 5_000 }, () => newId('req'));
  expect(new Set(ids).size).toBe(ids.length);
  for (let position = 14; position < 30; position++) {
    expect(new Set(ids.map((id) => id[position])).size).toBe(32);
  }
});
