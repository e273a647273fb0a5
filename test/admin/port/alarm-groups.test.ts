// Groups of open alarms in pages: none is missed or shown twice, also while new alarms come in.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SiteClient } from '../../site/site-client.ts';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import type { Answer } from '../../support/answer.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { clientOf } from '../console/operator-client.ts';

/** More than a page of the console. */
const CHANNELS = 45;

let gateway: TestGateway;
let api: AdminApi;
let client: SiteClient;
beforeAll(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
  client = await clientOf(gateway);
  for (let n = 0; n < CHANNELS; n++) await raise(n);
});
afterAll(() => gateway.stop());

/** Every third one is critical, the others are of the lowest severity. */
function raise(n: number): Promise<void> {
  const name = n % 3 === 0 ? 'upstream_refused_our_key' : 'usage_invalid';
  return gateway.gateway.store.recordAlarm({ name, fields: { channel: `up-${n}` } }, n);
}

const subjectsOf = ({ data }: Answer): string[] => data.map(({ subject }: Answer) => subject);

test('pages of the API are the whole list', async () => {
  const whole = (await api('GET', '/alarms/groups?limit=200')).body;
  expect([whole.data.length, whole.has_more, whole.next_cursor]).toEqual([CHANNELS, false, null]);
  const paged: string[] = [];
  for (let cursor = ''; paged.length < 2 * CHANNELS; ) {
    const { body } = await api('GET', `/alarms/groups?limit=7${cursor}`);
    paged.push(...subjectsOf(body));
    // A group that was shown moves to the beginning: no other is shown twice or left out for it.
    if (cursor === '') await raise(39);
    if (!body.has_more) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(paged).toEqual(subjectsOf(whole));
});

test.each(['x', Buffer.from('fatal 3').toString('base64url'), Buffer.from('info x').toString('base64url')])(
  'the cursor %p is refused',
  async (cursor) => {
    const { status, body } = await api('GET', `/alarms/groups?cursor=${cursor}`);
    expect([status, body.error.param]).toEqual([400, 'cursor']);
  },
);

test('the console leads from page to page and back', async () => {
  const first = await (await client.get('/alarms')).text();
  const next = /href="(\/alarms\?cursor=[\w-]+)"/.exec(first)?.[1] ?? '';
  const second = await (await client.get(next)).text();
  const channels = (html: string) => [...html.matchAll(/href="\/channels\/(up-\d+)"/g)].map(([, name]) => name);
  expect(channels(first)).toHaveLength(40);
  expect(new Set([...channels(first), ...channels(second)]).size).toBe(CHANNELS);
  expect([first.includes('First page'), second.includes('First page'), second.includes('More groups')]).toEqual([
    ...[false, true, false],
  ]);
});
