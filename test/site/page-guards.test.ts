// The guards of the site: who may send a form, what every page tells the browser to forbid, and how often one may guess.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rawGet, sendRaw } from '../security/raw-bytes.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { unissuedCode } from '../support/issue-cards.ts';
import { createSiteClient, signedIn } from './site-client.ts';

const PAGES = [
  ...['/', '/pricing', '/docs', '/docs/billing', '/status', '/security'],
  ...['/changelog', '/nothing', '/account'],
];
const SIGNED = [
  '',
  '/usage',
  '/keys',
  '/webhooks',
  '/redeem',
  '/setup',
  '/play',
  '/access',
  '/statements',
  '/refused',
].map((tab) => `/account${tab}`);
const FORMS = [
  '/account/sign-in',
  '/account/create',
  '/account/sign-out',
  '/account/sign-out-everywhere',
  '/account/access',
  '/account/statements',
  '/account/redeem',
  '/account/keys',
  '/account/webhooks',
  '/account/play',
];

let gateway: TestGateway;
let secure: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  secure = await startTestGateway({ env: { PUBLIC_URL: 'https://gateway.example' } });
});
afterAll(async () => {
  await gateway.stop();
  await secure.stop();
});

describe('what stands before a path', () => {
  const accept = 'accept: text/html\r\n';
  const portOf = () => Number(new URL(gateway.url).port);

  test.each(['//evil.example/', '///evil.example', '/\\\\evil.example/x'])(
    'no link leaves the site at %s',
    async (path) => {
      const { text } = await sendRaw(portOf(), rawGet(path, `host: x\r\n${accept}`));
      const links = [...text.matchAll(/(?:href|action)="([^"]*)"/g)].map(([, link = '']) => link);
      expect(links.length).toBeGreaterThan(5);
      expect(links.filter((link) => /^[/\\]{2}/.test(link))).toEqual([]);
    },
  );

  test.each([...PAGES, '/assets/nothing.css'])('a Host that is no name changes nothing at %s', async (path) => {
    const [named, unnamed] = await Promise.all(
      ['x', 'a b['].map((host) => sendRaw(portOf(), rawGet(path, `host: ${host}\r\n${accept}`))),
    );
    expect(unnamed?.statuses).toEqual(named?.statuses ?? []);
  });
});

describe('a form of another site', () => {
  const foreign = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': '' },
  ];
  test.each(FORMS)('is not taken at %s', async (path) => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key);
    for (const headers of foreign) {
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
      const response = await fetch(gateway.url + path, {
        method: 'POST',
        body: new URLSearchParams({ key, code: 'PC', known: '1' }),
        headers: { cookie: `session=${client.cookies.get('session')}`, accept: 'text/html', ...given },
        redirect: 'manual',
      });
      expect([headers, response.status]).toEqual([headers, 403]);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect((await client.get('/account/usage')).status).toBe(200);
  });

  test('is not taken from a name that only leads here', async () => {
    const response = await createSiteClient(gateway).post('/account/create', {}, { host: 'rebound.example' });
    expect(response.status).toBe(403);
  });
});

describe('headers', () => {
  test('every page forbids foreign scripts, frames and guesses, and tells nobody where one was', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key);
    const texts = ['/llms.txt', '/robots.txt', '/sitemap.txt', '/.well-known/security.txt', '/docs/billing.md'];
    const paths = [...PAGES, ...SIGNED, ...texts];
    for (const path of [...paths, '/account/usage.csv', '/account/sign-in']) {
      const { headers } = await client.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect([path, policy]).toEqual([path, expect.stringContaining("default-src 'none'")]);
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('strict-transport-security')).toBeNull();
    }
  });

  test('no page has a script, a style or a handler within', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key);
    for (const path of [...PAGES, ...SIGNED]) {
      const html = await (await client.get(path)).text();
      expect([path, html.match(/<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]* src="\/assets\/)/gi)]).toEqual([
        path,
        null,
      ]);
    }
  });

  test('on https they ask for https for ever, also with files and redirects', async () => {
    const client = createSiteClient(secure);
    const [asset = ''] = /\/assets\/site-\w+\.css/.exec(await (await client.get('/')).text()) ?? [];
    for (const path of [...PAGES, asset]) {
      const { headers } = await client.get(path);
      expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=63072000; includeSubDomains']);
    }
    const gone = await client.post('/account/sign-out', {}, { origin: 'https://gateway.example' });
    expect([gone.status, gone.headers.get('strict-transport-security')]).toEqual([
      303,
      'max-age=63072000; includeSubDomains',
    ]);
  });

  test('what is of one visitor is kept by no cache; what never changes is kept for ever', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key);
    for (const path of [...SIGNED, '/account/usage.csv']) {
      expect([path, (await client.get(path)).headers.get('cache-control')]).toEqual([path, 'no-store']);
    }
    const [asset = ''] = /\/assets\/site-\w+\.js/.exec(await (await client.get('/')).text()) ?? [];
    expect((await client.get(asset)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('the playground says how many seconds to wait', async () => {
    const { key } = await gateway.register();
    const { cookies } = await signedIn(gateway, key, 'zh-TW');
    const headers = { cookie: [...cookies, ['lang', 'zh-TW']].map((cookie) => cookie.join('=')).join('; ') };
    const ask = () =>
      gateway.call('/account/play', {
        body: { model: 'auto:free', messages: [{ role: 'user', content: 'Hi' }] },
        headers,
      });
    for (let count = 0; count < 6; count++) await (await ask()).text();
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect((await refused.json()).error.message).toMatch(
      /^本分鐘的免費次數已用完。請在 \d+ 秒後再試，或選擇付費模型。$/,
    );
  });

  test('an answer of the playground is for no other site', async () => {
    const { key } = await gateway.register();
    const { cookies } = await signedIn(gateway, key);
    const response = await gateway.call('/account/play', {
      body: { model: 'auto:free', messages: [{ role: 'user', content: 'Hi' }] },
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'demo']);
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    await response.text();
  });

  test('no preflight lets another site in', async () => {
    const response = await gateway.call('/account/redeem', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('an address with a prompt in it', () => {
  const next = encodeURIComponent('/account/play?prompt=PROMPT-MARK');
  const paths = ['/account/play?model=auto:free&prompt=PROMPT-MARK', '/?prompt=PROMPT-MARK', '/nothing?x=PROMPT-MARK'];

  test.each([...paths, `/account/sign-in?next=${next}`])('is not repeated by the page at %s', async (path) => {
    const { key } = await gateway.register();
    for (const client of [await signedIn(gateway, key), createSiteClient(gateway)]) {
      const response = await client.get(path);
      expect((await response.text()) + response.headers.get('location')).not.toContain('PROMPT-MARK');
    }
    expect(gateway.log.text()).not.toContain('PROMPT-MARK');
  });

  test('is cut also where a form leads on to it', async () => {
    const { key } = await gateway.register();
    const client = createSiteClient(gateway);
    const form = { next: '/account/play?prompt=PROMPT-MARK', key: 'wrong' };
    expect(await (await client.post('/account/sign-in', form)).text()).not.toContain('PROMPT-MARK');
    const { headers } = await client.post('/account/sign-in', { ...form, key });
    expect(headers.get('location')).toBe('/account/play');
  });

  test('what a page knows is kept, through signing in, too', async () => {
    const html = await (await createSiteClient(gateway).get('/account/usage?status=ok&prompt=PROMPT-MARK')).text();
    expect(html).toContain('href="/account/usage?status=ok&amp;lang=zh-TW"');
    expect(html).toContain('name="next" value="/account/usage?status=ok"');
  });
});

describe('guesses', () => {
  const from = (address: string) => createSiteClient(gateway, 'en', { 'x-forwarded-for': address });

  test('a wrong key and a wrong password are told alike, and say what to do', async () => {
    const client = from('198.51.100.10');
    const badKey = await client.post('/account/sign-in', { key: 'sk-svc-wrong' });
    expect(badKey.status).toBe(401);
    expect(await badKey.text()).toContain('missing, malformed, unknown, revoked or expired');
    const bad = await client.post('/account/sign-in', { name: 'nobody-here', password: 'wrong password' });
    expect(bad.status).toBe(401);
    const again = await bad.text();
    expect(again).toContain('The name or the password is wrong. Check both and try again, or sign in with a key.');
    expect(again).toMatch(/<input id="name"[^>]* value="nobody-here"/);
  });

  test('ten a minute from one address; a good key is let in all the same', async () => {
    const { key } = await gateway.register();
    const client = from('198.51.100.11');
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await client.post('/account/sign-in', { key: `wrong-${i}` })).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    const limited = await client.post('/account/sign-in', { name: 'somebody', password: 'x' });
    expect(await limited.text()).toContain('Wait a minute');
    expect((await client.post('/account/sign-in', { key })).status).toBe(303);
    expect((await from('198.51.100.12').post('/account/sign-in', { key: 'wrong' })).status).toBe(401);
  });

  test('a wrong card code says what to do; too many are refused for a while', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, 'zh-TW');
    const redeem = async (code: string) => {
      const response = await client.post('/account/redeem', { code });
      return [response.status, /role="alert"><p>([^<]*)/.exec(await response.text())?.[1]];
    };
    expect(await redeem('PC-12')).toEqual([400, '卡號有字元遺漏或錯誤。請檢查後重新輸入。']);
    for (let i = 0; i < 5; i++) {
      expect(await redeem(unissuedCode())).toEqual([404, '這張卡片無法兌換。請檢查卡號，或詢問售卡的店家。']);
    }
    expect(await redeem(unissuedCode())).toEqual([429, expect.stringContaining('輸入錯誤次數過多')]);
  });

  test('a form is no larger than ours are', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key);
    const large = await client.post('/account/redeem', { code: 'x'.repeat(20_000) });
    expect(large.status).toBe(413);
    expect(await large.text()).toContain('longer than this page accepts');
  });
});
