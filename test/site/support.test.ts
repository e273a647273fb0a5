// Whom customers ask for help, and the operator's own pages: linked where they are looked for, and not spoken of where the
// operator named none.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { withGap } from '../../src/site/format.ts';
import { wordsOf } from '../../src/site/language.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient, signedIn } from './site-client.ts';

const CONTACT = 'https://example.tw/help?from=site&x=1';
const [TERMS_URL, PRIVACY_URL] = ['https://example.tw/terms/', 'http://example.tw/privacy?lang=zh&x=1'];
let silent: TestGateway;
let gateway: TestGateway;
beforeAll(async () => {
  const env = { SUPPORT_CONTACT: CONTACT, TERMS_URL, PRIVACY_URL };
  [silent, gateway] = await Promise.all([startTestGateway(), startTestGateway({ env })]);
});
afterAll(() => Promise.all([silent.stop(), gateway.stop()]));

/** An account whose wallet is frozen, as its pages are shown. */
async function frozenPages(at: TestGateway, language: 'en' | 'zh-TW') {
  const { key, accountId } = await at.register();
  await at.gateway.store.commit('freeze', { accountId, frozen: true, at: Date.now() });
  const client = await signedIn(at, key, language);
  return async (path: string) => (await client.get(path)).text();
}

/** What everybody may know finds an account; only its owner knows what proves it. */
const NAMED = {
  en: { finds: ['account id', 'serial'], proves: ['request ids', 'code', 'last four'] },
  'zh-TW': { finds: ['帳戶編號', '序號'], proves: ['請求編號', '卡號', '末四碼'] },
};

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { frame, account, faults } = wordsOf(language);
  const named = NAMED[language];
  const link = `<a href="${CONTACT.replace('&', '&amp;')}">${frame.support}</a>`;

  test('the foot, a frozen wallet and who looks for cards lead there', async () => {
    const page = await frozenPages(gateway, language);
    for (const path of ['/', '/docs', '/nothing', '/account/keys']) {
      const html = await page(path);
      expect([path, html.slice(html.indexOf('<footer')).includes(link)]).toEqual([path, true]);
    }
    expect(await page('/account')).toContain(`${faults.wallet_frozen}</p><p>${link}`);
    for (const path of ['/account/redeem', '/pricing']) {
      expect(await page(path)).toContain(withGap(account.redeem.source) + link);
    }
  });

  test('the foot of every page leads to the terms and the privacy policy that are set', async () => {
    for (const [at, isSet] of [
      [gateway, true],
      [silent, false],
    ] as const) {
      for (const path of ['/', '/account', '/nothing']) {
        const html = await (await createSiteClient(at, language).get(path)).text();
        const foot = html.slice(html.indexOf('<footer'));
        const links = [
          `<a href="${TERMS_URL}">${frame.terms}</a>`,
          `<a href="${PRIVACY_URL?.replace('&', '&amp;')}">${frame.privacy}</a>`,
        ];
        expect([path, ...links.map((one) => foot.includes(one))]).toEqual([path, isSet, isSet]);
        expect([path, foot.includes(frame.terms), foot.includes(frame.privacy)]).toEqual([path, isSet, isSet]);
      }
    }
  });

  test('who has lost a key is told whom to ask and what for, and knows the account from its first day', async () => {
    const visitor = createSiteClient(gateway, language);
    const door = await (await visitor.get('/account')).text();
    expect(door).toContain(withGap(account.lost) + link);
    const [finds = '', proves = ''] = account.lost.split(/[;；]/);
    for (const name of named.finds)
      expect([name, finds.includes(name), proves.includes(name)]).toEqual([name, true, false]);
    for (const name of named.proves)
      expect([name, finds.includes(name), proves.includes(name)]).toEqual([name, false, true]);
    const made = await (await visitor.submit('/account/create')).text();
    const [id = ''] = /acc_[0-9a-z]+/.exec(visitor.cookies.get('session') ?? '') ?? [];
    expect(made).toContain(`<span class="id">${id}</span>`);
  });

  test('without it nothing is said of it', async () => {
    const page = await frozenPages(silent, language);
    for (const path of ['/', '/account', '/account/redeem', '/pricing']) {
      const html = await page(path);
      expect([path, html.includes(frame.support), html.includes(account.redeem.source)]).toEqual([path, false, false]);
    }
  });
});

test('in Chinese no half-width space follows a full stop', async () => {
  const { key } = await gateway.register();
  const client = await signedIn(gateway, key, 'zh-TW');
  const account = ['', '/usage', '/keys', '/redeem', '/setup', '/play', '/access'].map((tab) => `/account${tab}`);
  const paths = ['/', '/pricing', '/status', '/security', '/docs', ...account];
  const pages = paths.map(async (path) => ({ path, html: await (await client.get(path)).text() }));
  const entrance = await createSiteClient(gateway, 'zh-TW').get('/account/sign-in');
  for (const { path, html } of [...(await Promise.all(pages)), { path: 'entrance', html: await entrance.text() }]) {
    expect([path, html.match(/.{8}[。！？；：] .{8}/)?.[0]]).toEqual([path, undefined]);
  }
});

test('a program reads of it in llms.txt', async () => {
  const told = await Promise.all([gateway, silent].map(async ({ url }) => (await fetch(`${url}/llms.txt`)).text()));
  expect(told.map((text) => text.includes(CONTACT))).toEqual([true, false]);
});
