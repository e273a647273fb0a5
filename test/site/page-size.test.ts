// No page is heavier than 60 KB, however much a customer has and however many models are offered: pages are read on phones.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY_MS } from '../../src/kit/clock.ts';
import { taipeiTime } from '../../src/kit/taipei.ts';
import { MAX_KEYS } from '../../src/store/book/key-count.ts';
import { type FullOptions, fullAccount, withManyModels } from '../support/full-account.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { signedIn } from './site-client.ts';

setDefaultTimeout(120_000);

const MAX_BYTES = 60_000;
/** Beyond what any page shows at once. */
const FULL: FullOptions = { keys: MAX_KEYS, entries: 250, days: 120, perDay: 40 };

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({ document: withManyModels });
  account = await fullAccount(gateway, FULL);
});
afterAll(() => gateway.stop());

const dayBefore = (days: number) => taipeiTime(Date.now() - days * DAY_MS).slice(0, 10);

const PUBLIC = ['/', '/pricing', '/status', '/security', '/changelog', '/models/gpt-6.1-terra', '/docs', '/docs?q=key'];
const ACCOUNT = [
  '',
  '/refused',
  '/redeem',
  '/webhooks',
  '/setup',
  '/setup?client=codex',
  '/play',
  '/access',
  '/statements',
];
const PERIODS = [0, 6, 29, 30, 89, 119].map((days) => `from=${dayBefore(days)}`);
const VIEWS = ['by=key', 'measure=tokens', 'sort=cost', 'status=failed'];
const USAGE = [...PERIODS, ...VIEWS].map((query) => `/usage?${query}`);

async function keyPages(): Promise<string[]> {
  const { data } = await gateway.get('/api/keys', account.key);
  const last: string = data.at(-1).id;
  return ['/keys', '/keys?page=9', `/keys?edit=${last}`, `/keys/${last}/rotate`, `/keys/${last}/revoke`];
}

async function otherPages(): Promise<string[]> {
  const { data } = await gateway.get('/api/usage?limit=1', account.key);
  return [`/statements/${dayBefore(0).slice(0, 7)}`, `/receipts/${data[0].request_id}`, '/receipts/req_none'];
}

describe.each(['en', 'zh-TW'])('in %s', (language) => {
  test('every page is below 60 KB', async () => {
    const client = await signedIn(gateway, account.key, language);
    const own = [...ACCOUNT, ...USAGE, ...(await keyPages()), ...(await otherPages())];
    const heavy: [path: string, bytes: number][] = [];
    for (const path of [...PUBLIC, ...own.map((one) => `/account${one}`)]) {
      const response = await client.get(path);
      const bytes = (await response.bytes()).byteLength;
      expect([path, [200, 404].includes(response.status)]).toEqual([path, true]);
      if (bytes > MAX_BYTES) heavy.push([path, bytes]);
    }
    expect(heavy).toEqual([]);
  });
});
