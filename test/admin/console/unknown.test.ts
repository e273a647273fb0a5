// What is not known yet is not shown as good: before the first audit, the ledger and the start page are neutral.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import type { SiteClient } from '../../site/site-client.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { clientOf } from './operator-client.ts';

const MINUTE_MS = 60_000;

/** What is due in a minute, as the audit is, waits for the test. */
const held: (() => void)[] = [];
const clock: Clock = {
  ...systemClock,
  after(ms, run) {
    if (ms !== MINUTE_MS) return systemClock.after(ms, run);
    held.push(() => systemClock.after(0, run));
    return () => {};
  },
};

let gateway: TestGateway;
let client: SiteClient;
beforeAll(async () => {
  gateway = await startTestGateway({ clock });
  client = await clientOf(gateway);
});
afterAll(() => gateway.stop());

/** The boxes of a page, each with its look and its first words. */
async function noticesOf(path: string): Promise<string[]> {
  const html = await (await client.get(path)).text();
  return [...html.matchAll(/<div class="(notice[^"]*)" role="status"><p>([^.<]*)/g)].map(
    ([, look, text]) => `${look}: ${text}`,
  );
}

test('the ledger and the start page turn green with the first audit, not before', async () => {
  expect(await noticesOf('/ledger')).toEqual(['notice is-unknown: No audit has finished since this node started']);
  expect(await noticesOf('/')).toEqual(['notice is-unknown: Nothing needs attention']);
  for (const run of held.splice(0)) run();
  await eventually('the audit is shown', async () => (await (await client.get('/ledger')).text()).includes('balances'));
  expect(await noticesOf('/ledger')).toEqual(['notice: ']);
  expect(await noticesOf('/')).toEqual(['notice: Nothing needs attention']);
});
