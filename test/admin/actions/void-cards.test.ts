// Voiding a whole batch leaves room for customers: their requests wait in the same queue.

import { expect, test } from 'bun:test';
import { voidCards } from '../../../src/admin/actions/cards.ts';
import type { OperatingTools } from '../../../src/admin/actions/tools.ts';

test('ten thousand cards are voided a few at a time', async () => {
  const serials = Array.from({ length: 10_000 }, (_, index) => `SN${index}`);
  let waiting = 0;
  let most = 0;
  const tools = {
    clock: { now: () => 0 },
    store: {
      read: { cards: async () => serials.map((serial) => ({ serial, hash: serial })) },
      async commit() {
        most = Math.max(most, ++waiting);
        await Promise.resolve();
        waiting--;
        return { state: 'voided' };
      },
    },
  } as unknown as OperatingTools;
  const results = await voidCards(tools, serials, 'token');
  expect(results.map(({ serial }) => serial)).toEqual(serials);
  expect(most).toBeLessThanOrEqual(100);
});
