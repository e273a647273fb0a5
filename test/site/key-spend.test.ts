// What each key spent stands on the page of the keys, and leads to the requests that it is the sum of.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { pictureAnswer } from '../support/media-answers.ts';
import { upModel } from '../support/test-document.ts';
import { openPosted } from '../support/with-tables.ts';
import { signedIn } from './site-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [...standard.models, upModel('painter', { kinds: ['images'], price: { image: 0.25 } })],
    }),
  });
});
afterAll(() => gateway.stop());

test.each(['en', 'zh-TW'] as const)('in %s', async (language) => {
  const { key, keyId } = await gateway.register();
  const other = await createKey(gateway, key, { name: 'painting' });
  const paint = (with_: string) =>
    gateway.call('/v1/images/generations', { key: with_, body: { model: 'painter', prompt: 'a cat' } });
  gateway.upstream.next(pictureAnswer(), pictureAnswer(), pictureAnswer());
  for (const one of [key, other.key, other.key]) expect((await paint(one)).status).toBe(200);

  const client = await signedIn(gateway, key, language);
  const html = await (await client.get('/account/keys')).text();
  const { overview } = wordsOf(language).account;
  const spent = [
    ...html.matchAll(new RegExp(`<dt>${overview.spend}</dt><dd[^>]*><a href="([^"]*)"><span[^>]*>([^<]*)`, 'g')),
  ];
  expect(spent.map(([, , amount]) => amount).toSorted()).toEqual(['NT$0.25', 'NT$0.50']);
  for (const [, path = '', amount = ''] of spent) {
    expect([keyId, other.id].some((id) => path.includes(`key=${id}`))).toBe(true);
    expect(await (await client.get(path.replaceAll('&amp;', '&'))).text()).toContain(`${amount}</strong>`);
  }
});

test('what cannot be summed up hides no key, least of all a new one, which is shown once', async () => {
  const lame = await startTestGateway();
  try {
    const { key } = await lame.register();
    const client = await signedIn(lame, key);
    const hand = openPosted(lame.databaseFile);
    hand.run('ALTER TABLE usage_days RENAME TO elsewhere');
    hand.close();
    const { overview, tabs } = wordsOf('en').account;
    const added = await client.submit('/account/keys', { known: '1', name: 'new' });
    expect([added.status, await added.text()]).toEqual([200, expect.stringMatching(/sk-svc-\w{20,}/)]);
    const html = await (await client.get('/account/keys')).text();
    const told = [...html.matchAll(new RegExp(`<dt>${overview.spend}</dt><dd[^>]*><a href="[^"]*">([^<]*)`, 'g'))];
    expect(told.map(([, text]) => text)).toEqual([tabs.usage, tabs.usage]);
  } finally {
    await lame.stop();
  }
});
