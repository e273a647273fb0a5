// A client that takes next to nothing of a large answer is given up, one that is only slow is not.

import { expect, test } from 'bun:test';
import { withMinimumRate } from '../../src/relay/deliver-whole.ts';

const PIECE = new Uint8Array(256 * 1024);

/** How many of 20 pieces are taken, if each takes so long. */
async function taken(eachMs: number): Promise<number> {
  let now = 0;
  let count = 0;
  const send = withMinimumRate({ monotonic: () => now }, async () => {
    now += eachMs;
  });
  try {
    for (; count < 20; count++) await send(PIECE);
  } catch {
    // Given up.
  }
  return count;
}

test.each([
  [0, 20],
  [15_000, 20],
  [16_000, 3],
  [59_000, 1],
])('a client that needs %d ms for 256 KiB takes %d of 20', async (eachMs, count) => {
  expect(await taken(eachMs)).toBe(count);
});
