// Who gets into the console: whoever has the token, from this machine, by our own pages. Nobody else sees or does a thing.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rawGet, sendRaw } from '../../security/raw-bytes.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { operatorOf } from '../../support/operator.ts';
import { clientOf, fieldOf, strangerOf } from './operator-client.ts';

const PAGES = ['/', '/channels', '/channels/up', '/models', '/models/document', '/models/revisions', '/models/import'];
PAGES.push('/connect', '/connect/openai', '/connect/drafts/none', '/channels/up/edit', '/channels/up/remove');
PAGES.push('/accounts/acc_1/requests/req_1', '/refusals/req_1');
PAGES.push(...['requests', 'refused', 'ledger', 'keys'].map((tab) => `/accounts/acc_1/${tab}`));
PAGES.push('/accounts/acc_1/refund', '/accounts/acc_1/payout');
PAGES.push('/accounts/acc_1/statements', '/accounts/acc_1/statements/2026-11');
PAGES.push(
  '/cards',
  '/accounts',
  '/ledger',
  '/ledger/losses',
  '/ledger/profit',
  '/ledger/profit.csv',
  '/ledger/reconcile',
  '/alarms',
  '/incidents',
  '/actions',
  '/nothing',
);
const ACTIONS = ['/channels/up/test', '/channels/up/disable', '/models/document', '/models/document/apply', '/cards'];
ACTIONS.push(
  '/cards/void',
  '/accounts/acc_1/credit',
  '/accounts/acc_1/freeze',
  '/accounts/acc_1/refund/do',
  '/accounts/acc_1/payout/do',
  '/accounts/acc_1/statements',
  '/accounts/acc_1/keys',
  '/accounts/acc_1/describe',
  '/ledger/audit',
);
ACTIONS.push('/alarms/names/usage_invalid');
ACTIONS.push('/connect/openai', '/connect/drafts/none', '/connect/drafts/none/review');
ACTIONS.push('/channels/up/edit', '/channels/up/remove');
ACTIONS.push('/incidents', '/alarms/1', '/models/revisions/1/return', '/models/import', '/models/edit');

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** Of somebody, not of the server that started. */
const actions = () => gateway.sql(`SELECT action FROM audit_log WHERE actor <> 'server'`).length;

describe('without a session', () => {
  test('every page is the sign-in page, and tells nothing else', async () => {
    for (const path of PAGES) {
      const response = await strangerOf(gateway).get(path);
      const html = await response.text();
      expect([path, response.status, html.includes('name="token"')]).toEqual([path, 401, true]);
      expect(html).not.toContain('up-paid');
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('no form does a thing', async () => {
    for (const path of ACTIONS) {
      const form = { confirmed: 'yes', amount: '100', count: '5', reason: 'x', kind: 'credit' };
      const response = await strangerOf(gateway).post(path, form);
      expect([path, response.status]).toEqual([path, 401]);
    }
    expect(actions()).toBe(0);
    expect(gateway.sql('SELECT * FROM cards')).toEqual([]);
  });

  test('who sent a form hears that nothing was done, and comes back to its page', async () => {
    const { accountId } = await gateway.register();
    const forms = [
      [`/accounts/${accountId}/credit`, `/accounts/${accountId}`],
      [`/accounts/${accountId}/credit/review`, `/accounts/${accountId}`],
      ['/cards/void', '/cards'],
      ['/models/edit?model=up-paid', '/models/edit?model=up-paid'],
      ['/models/document/apply', '/models/document'],
      ['/channels/up/disable', '/channels/up/disable'],
      ['/alarms/names/usage_invalid', '/alarms'],
    ] as const;
    for (const [path, page] of forms) {
      const client = strangerOf(gateway, 'zh-TW');
      const html = await (await client.post(path, { amount: '5', reason: 'x' })).text();
      expect([path, html.includes('沒有執行任何動作')]).toEqual([path, true]);
      const entered = await client.post('/sign-in', { token: operatorOf(gateway).token, next: fieldOf(html, 'next') });
      expect([path, entered.headers.get('location')]).toEqual([path, page]);
      const [, other = ''] = /class="language" href="([^"]*)"/.exec(html) ?? [];
      for (const next of [page, other.replaceAll('&amp;', '&')]) {
        expect([next, (await client.get(next)).status]).toEqual([next, 200]);
      }
    }
    expect(actions()).toBe(0);
  });

  test('who asked for a file comes to the page that has it', async () => {
    const client = strangerOf(gateway);
    const html = await (await client.get('/cards/batches/batch_x/codes.csv')).text();
    const entered = await client.post('/sign-in', { token: operatorOf(gateway).token, next: fieldOf(html, 'next') });
    expect(entered.headers.get('location')).toBe('/cards/batches/batch_x');
  });

  test.each(['//evil.example/x', '///evil.example', '/\\\\evil.example/x'])(
    'a path such as %s leads nowhere else in the other language',
    async (path) => {
      const { host, port } = new URL(gateway.gateway.adminUrl);
      const { text } = await sendRaw(Number(port), rawGet(path, `host: ${host}\r\naccept: text/html\r\n`));
      expect(text).toMatch(/class="language" href="\/evil\.example[^"]*lang=zh-TW"/);
    },
  );

  test('a cookie that somebody made up is no session', async () => {
    const client = strangerOf(gateway);
    client.cookies.set(`console-${new URL(gateway.gateway.adminUrl).port}`, 'x'.repeat(43));
    expect((await client.get('/channels')).status).toBe(401);
  });
});

describe('the token', () => {
  test('that is wrong is refused late, and not told of in the log', async () => {
    const since = performance.now();
    const response = await strangerOf(gateway).post('/sign-in', { token: '錯誤的密鑰' });
    expect([response.status, response.headers.getSetCookie()]).toEqual([401, []]);
    expect(performance.now() - since).toBeGreaterThan(900);
    expect(await response.text()).toContain('The operator secret is wrong');
    expect(JSON.stringify(gateway.log.lines())).not.toContain('錯誤的密鑰');
  });

  test('opens a session that scripts do not see and other sites do not send', async () => {
    const client = strangerOf(gateway);
    const response = await client.post('/sign-in', { token: operatorOf(gateway).token, next: '/cards' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/cards']);
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^console-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    expect((await client.get('/cards')).status).toBe(200);
    const kept = new Map(client.cookies);
    expect((await client.post('/sign-out')).status).toBe(303);
    for (const [name, value] of kept) client.cookies.set(name, value);
    expect((await client.get('/cards')).status).toBe(401);
  });

  test('leads on to pages of the console only', async () => {
    for (const next of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/sign-in',
    ]) {
      const { token } = operatorOf(gateway);
      const response = await strangerOf(gateway).post('/sign-in', { token, next });
      expect([next, response.headers.get('location')]).toEqual([next, '/']);
    }
  });

  test('after ten wrong ones in a minute nobody looks any more, but the right one passes', async () => {
    const one = await startTestGateway();
    try {
      const wrong = await Promise.all(
        Array.from({ length: 12 }, () => strangerOf(one).post('/sign-in', { token: 'wrong' })),
      );
      expect(wrong.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(2);
      expect((await (await clientOf(one)).get('/')).status).toBe(200);
    } finally {
      await one.stop();
    }
  });
});

describe('with a session', () => {
  test('a form of another site does nothing', async () => {
    const client = await clientOf(gateway);
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': '', origin: 'null' },
    ];
    const before = actions();
    for (const headers of foreign) {
      const response = await client.post('/channels/up/test', {}, headers);
      expect([headers, response.status]).toEqual([headers, 403]);
    }
    expect(actions()).toBe(before);
  });

  test('another name that leads here is refused', async () => {
    const client = await clientOf(gateway);
    const response = await client.get('/channels', { host: 'gateway.example.tw' });
    expect(response.status).toBe(403);
  });

  test('pages have the policy of the site, and are in no cache', async () => {
    const client = await clientOf(gateway);
    const { headers } = await client.get('/channels');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('what is not there has a page that says so, and programs get JSON', async () => {
    const client = await clientOf(gateway);
    expect((await client.get('/nothing')).status).toBe(404);
    expect((await client.get('/accounts/acc_none')).status).toBe(404);
    expect((await client.get('/channels/none')).status).toBe(404);
    const program = await operatorOf(gateway).call('/nothing');
    expect([program.status, program.headers.get('content-type')]).toEqual([404, 'application/json;charset=utf-8']);
  });

  test('nothing of it is on the public port', async () => {
    for (const path of ['/channels', '/models/document', '/cards', '/ledger', '/actions']) {
      expect((await gateway.call(path)).status).toBe(404);
    }
  });
});
