// The site for programs and for every language: text where no HTML was asked for, files for machines, the way out of a
// wrong address, and whose language is chosen.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { LANGUAGES, wordsOf } from '../../src/site/language.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient } from './site-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const curl = (path: string, headers: Record<string, string> = {}) =>
  gateway.call(path, { headers: { accept: '*/*', ...headers } });

describe('curl', () => {
  test.each([
    ['/', ['/api/agent/register', 'NT$1']],
    ['/pricing', ['| auto:free | Free |', '| demo-small | 8.125 | 0.813 |', '| 40.123 |', 'UTC+8']],
    ['/status', ['| auto:free | demo |', '## Incidents']],
    ['/security', ['# Security', 'security.txt']],
    ['/docs', ['/docs/getting-started.md)', '/openapi.json)']],
    ['/docs/billing', ['# ']],
    ['/docs/billing.md', ['# ']],
  ])('reads %s as text', async (path, facts) => {
    const response = await curl(path);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(response.headers.get('vary')).toContain('accept');
    for (const fact of facts) expect(text).toContain(fact);
    expect(text).not.toContain('</');
  });

  test.each([
    ['/', ['一把金鑰使用多種模型', '/api/agent/register', 'NT$1', '## 免費模型目前狀況', 'auto:free · ', '](http']],
    ['/pricing', ['| auto:free | 免費 |', 'NT$']],
    ['/status', ['# 狀態', '| auto:free | demo |']],
    ['/security', ['# 安全', 'security.txt']],
    ['/docs', ['# 文件', '/docs/getting-started.md?lang=zh-TW)']],
    ['/docs/billing', ['# 何時收費、收多少']],
  ])('reads %s in Chinese if it says so', async (path, facts) => {
    const response = await curl(path, { 'accept-language': 'zh-TW' });
    const text = await response.text();
    expect([response.status, response.headers.get('content-language')]).toEqual([200, 'zh-TW']);
    for (const fact of facts) expect(text).toContain(fact);
    expect(text).not.toContain('One key');
  });

  test.each(['en', 'zh-TW'] as const)(
    'learns from the front page in %s what people learn from it',
    async (language) => {
      const text = await (await curl('/', { 'accept-language': language })).text();
      const html = await (await createSiteClient(gateway, language).get('/')).text();
      const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? [];
      const facts = [...main.matchAll(/<(?:h1|h2|h3|p|code)(?: [^>]*)?>([^<]+)</g)].map(([, fact = '']) => fact);
      expect(facts.length).toBeGreaterThan(12);
      for (const fact of facts) expect(text).toContain(fact.replaceAll('&quot;', '"').replaceAll('&#39;', "'"));
    },
  );

  test.each(['/docs/performance', '/docs/performance.md'])(
    'is told that %s is in English only, as people are',
    async (path) => {
      const inEnglish = await curl(path);
      const inChinese = await curl(path, { 'accept-language': 'zh-TW' });
      const languages = [inEnglish, inChinese].map(({ headers }) => headers.get('content-language'));
      expect(languages).toEqual(['en', 'en']);
      const { onlyEnglish } = wordsOf('zh-TW').docs;
      expect(await inChinese.text()).toBe(`> ${onlyEnglish}\n\n${await inEnglish.text()}`);
      expect(await (await createSiteClient(gateway, 'zh-TW').get('/docs/performance')).text()).toContain(onlyEnglish);
    },
  );

  test('learns from the prices how long a free prompt may be', async () => {
    const text = await (await curl('/pricing')).text();
    expect(text).toMatch(/^\| auto:free \|.* 64000 \|$/m);
    expect(text).toMatch(/^\| up-paid \|.* 128000 \|$/m);
  });

  test('finds a page by the place of its file, in the language of that file', async () => {
    const led = async (path: string) => {
      const { status, headers } = await curl(path, { 'accept-language': 'en' });
      const location = headers.get('location') ?? '';
      const [title] = (await (await curl(location, { 'accept-language': 'en' })).text()).split('\n');
      return [status, location, title];
    };
    const title = '# 何時收費、收多少';
    expect(await led('/docs/zh-TW/billing')).toEqual([302, '/docs/billing?lang=zh-TW', title]);
    expect(await led('/docs/zh-tw/billing.md')).toEqual([302, '/docs/billing.md?lang=zh-TW', title]);
  });

  test('finds what it asked for in the prices', async () => {
    for (const typed of ['demo', 'ＤＥＭＯ', ' demo  small', 'small\u3000ｄemo']) {
      const text = await (await curl(`/pricing?q=${encodeURIComponent(typed)}`)).text();
      expect(text).toContain('demo-small');
      expect(text).not.toContain('up-paid');
    }
  });

  test('the docs are written with the address of this site', async () => {
    expect(await (await curl('/docs/getting-started')).text()).toContain(gateway.url);
  });
});

describe('a wrong address', () => {
  test.each([
    '/nothing',
    '/docs/nothing',
    '/docs/zh-TW/nothing',
    '/docs/fr/billing',
    '/docs/..%2fREADME',
    '/account/nothing',
    '/assets/nothing.js',
  ])('%s: a page for people, JSON for programs', async (path) => {
    const page = await createSiteClient(gateway).get(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('Page not found');
    const answer = await curl(path);
    const { error }: Answer = await answer.json();
    expect([answer.status, error.code]).toEqual([404, 'route_not_found']);
  });

  test('below the API it is JSON for everybody', async () => {
    const response = await createSiteClient(gateway).get('/v1/nothing');
    expect(response.headers.get('content-type')).toStartWith('application/json');
  });
});

describe('machines', () => {
  const text = async (path: string) => {
    const response = await curl(path);
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/plain; charset=utf-8',
    ]);
    return response.text();
  };

  test('llms.txt tells how to begin, and every address in it works', async () => {
    const llms = await text('/llms.txt');
    expect(llms).toStartWith('# AI Gateway\n');
    for (const fact of ['/api/agent/register', 'auto:free', 'x-svc-channel', 'NT$', '/v1/messages']) {
      expect(llms).toContain(fact.replace('/v1/messages', 'v1/messages'));
    }
    const links = [...llms.matchAll(/\]\((http[^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
  });

  test('security.txt has what RFC 9116 asks for', async () => {
    const fields = new Map(
      (await text('/.well-known/security.txt'))
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/, 2) as [string, string]),
    );
    expect(fields.get('Contact')).toBe(`${gateway.url}/security`);
    const expires = fields.get('Expires') ?? '';
    expect(new Date(expires).toISOString()).toBe(expires);
    const daysLeft = (Date.parse(expires) - Date.now()) / 86_400_000;
    expect(daysLeft > 30 && daysLeft < 365).toBe(true);
    expect(fields.get('Canonical')).toBe(`${gateway.url}/.well-known/security.txt`);
    expect(fields.get('Preferred-Languages')).toBe('zh-TW, en');
    expect((await fetch(fields.get('Policy') ?? '')).status).toBe(200);
  });

  test.each(LANGUAGES)(
    'whom to tell of a weakness is on the page and in security.txt where it is set, in %s',
    async (language) => {
      const { security } = wordsOf(language);
      const shown = async (at: TestGateway, accept: string) =>
        (await fetch(`${at.url}/security`, { headers: { accept, 'accept-language': language } })).text();
      for (const accept of ['text/html', 'text/plain']) {
        const unset = await shown(gateway, accept);
        expect(unset).toContain(security.report);
        expect(unset).not.toContain(security.contact);
      }
      for (const [contact, text] of [
        ['mailto:safe@example.com', 'safe@example.com'],
        ['https://example.com/report', 'https://example.com/report'],
      ] as const) {
        const set = await startTestGateway({ env: { SECURITY_CONTACT: contact } });
        try {
          expect(await shown(set, 'text/html')).toContain(`${security.contact}<a href="${contact}">${text}</a>`);
          expect(await shown(set, 'text/plain')).toContain(`${security.contact}${text}\n`);
          const told = await (await fetch(`${set.url}/.well-known/security.txt`)).text();
          expect(told).toStartWith(`Contact: ${contact}\n`);
        } finally {
          await set.stop();
        }
      }
    },
  );

  test('robots.txt keeps crawlers from the account and the API, not from the pages', async () => {
    const rules = (await text('/robots.txt')).trimEnd().split('\n');
    expect(rules.slice(0, 4)).toEqual(['User-agent: *', 'Disallow: /account', 'Disallow: /api/', 'Disallow: /v1/']);
    expect(rules).toHaveLength(5);
  });
});

describe('the language', () => {
  const languageOf = async (headers: Record<string, string>, path = '/pricing') => {
    const response = await gateway.call(path, { headers: { accept: 'text/html', ...headers } });
    const [, lang] = /<html lang="([^"]+)"/.exec(await response.text()) ?? [];
    expect(response.headers.get('content-language')).toBe(lang ?? '');
    return lang;
  };

  test.each([
    ['', 'en'],
    ['zh-TW', 'zh-TW'],
    ['zh-Hant-HK, en;q=0.5', 'zh-TW'],
    ['zh', 'zh-TW'],
    ['en-GB,en;q=0.9,zh-TW;q=0.8', 'en'],
    ['en;q=0.3, zh-TW;q=0.7', 'zh-TW'],
    ['zh-TW;q=0, en;q=0.1', 'en'],
    ['ja, zh-TW;q=0.4', 'zh-TW'],
    ['fr, de', 'en'],
    ['*', 'en'],
    [';;q=,,zh;q=x', 'zh-TW'],
  ])('Accept-Language "%s" is answered in %s', async (header, expected) => {
    expect(await languageOf({ 'accept-language': header })).toBe(expected);
  });

  test('a choice is remembered, and stands above what the browser prefers', async () => {
    const client = createSiteClient(gateway, 'en');
    const chosen = await client.get('/status?lang=zh-TW');
    expect(await chosen.text()).toContain('<html lang="zh-TW">');
    expect(chosen.headers.getSetCookie()).toEqual(['lang=zh-TW; Path=/; Max-Age=31536000; SameSite=Lax']);
    expect(await (await client.get('/pricing')).text()).toContain('<html lang="zh-TW">');
    expect(await (await client.get('/pricing?lang=en')).text()).toContain('<html lang="en">');
    expect(await (await client.get('/pricing')).text()).toContain('<html lang="en">');
  });

  test('what is no language of ours is no choice', async () => {
    expect(await languageOf({ cookie: 'lang=fr' }, '/pricing?lang=%22%3E')).toBe('en');
  });

  test('the switch stays on the page, with everything in its address', async () => {
    const html = await (await createSiteClient(gateway).get('/pricing?q=demo&sort=output')).text();
    expect(html).toContain('href="/pricing?q=demo&amp;sort=output&amp;lang=zh-TW"');
  });
});
