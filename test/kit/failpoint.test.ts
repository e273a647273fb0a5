// Failpoints: what an order looks like, and that an unarmed one does nothing.

import { expect, test } from 'bun:test';
import { armFailpoint, FAILPOINTS, failpoint, parseKillOrder } from '../../src/kit/failpoint.ts';

test('an order names a kill point, and how often it is reached', () => {
  expect(parseKillOrder('inside-settle')).toEqual({ at: 'inside-settle', times: 1 });
  expect(parseKillOrder('inside-migration:3')).toEqual({ at: 'inside-migration', times: 3 });
});

test.each([
  ...['', 'K7', 'inside', 'Inside-settle', '7'],
  ...['inside-settle:0', 'inside-settle:x', 'inside-settle:', 'inside-settle:1:1'],
])('refuses %p', (text) => {
  expect(parseKillOrder(text)).toBeUndefined();
});

test('nothing happens unless armed for this very point and number of passes', () => {
  for (const name of FAILPOINTS) failpoint(name);
  armFailpoint({ at: 'inside-settle', times: 1_000 });
  for (const name of FAILPOINTS) failpoint(name);
  armFailpoint(undefined);
  for (const name of FAILPOINTS) failpoint(name);
});
