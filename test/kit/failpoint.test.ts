// Failpoints: what an order looks like, and that an unarmed one does nothing.

import { expect, test } from 'bun:test';
import { armFailpoint, FAILPOINTS, failpoint, parseKillOrder } from '../../src/kit/failpoint.ts';

test('an order names a kill point, and how often it is reached', () => {
  expect(parseKillOrder('K7')).toEqual({ at: 'K7', times: 1 });
  expect(parseKillOrder('K12:3')).toEqual({ at: 'K12', times: 3 });
});

test.each(['', 'K16', 'K', 'k7', 'K7:0', 'K7:x', 'K7:', '7', 'K7:1:1'])('refuses %p', (text) => {
  expect(parseKillOrder(text)).toBeUndefined();
});

test('nothing happens unless armed for this very point, as often as told', () => {
  for (const name of FAILPOINTS) failpoint(name);
  armFailpoint({ at: 'K7', times: 1_000 });
  for (const name of FAILPOINTS) failpoint(name);
  armFailpoint(undefined);
  for (const name of FAILPOINTS) failpoint(name);
});
