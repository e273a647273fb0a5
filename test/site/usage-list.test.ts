// The list of usage in words: how many requests, what an answer had, and which figures nobody but us has counted.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { pictureAnswer } from '../support/media-answers.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { upModel } from '../support/test-document.ts';
import { createSiteClient, signedIn } from './site-client.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [
        ...standard.models,
        upModel('painter', { kinds: ['images'], price: { image: 0.5 } }),
        upModel('sketcher', { kinds: ['images'], price: { image: 0.5 }, context_tokens: undefined }),
      ],
    }),
  });
  account = await gateway.register();
  const { key } = account;
  gateway.upstream.next(pictureAnswer(), chatAnswer({ usage: null }), chatAnswer());
  await gateway.call('/v1/images/generations', { key, body: { model: 'painter', prompt: 'a cat' } });
  await gateway.chat(key, { model: 'up-paid' });
  await gateway.chat(key, { model: 'up-free' });
});
afterAll(() => gateway.stop());

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { usage } = wordsOf(language).account;
  const page = async (path: string) => (await (await signedIn(gateway, account.key, language)).get(path)).text();
  const cell = (html: string, name: string) =>
    new RegExp(`<span class="[^"]*\\b${name}\\b[^>]*>(.*?)</span>`).exec(html)?.[1] ?? '';

  test('an answer of images alone tells how many they are', async () => {
    expect(cell(await page('/account/usage?model=painter'), 'tokens')).toEndWith(` / ${usage.countImages('1')}`);
  });

  test('what was estimated is marked in the list and on its receipt, and nothing else is', async () => {
    const [estimated, reported] = ['up-paid', 'up-free'].map((model) => page(`/account/usage?model=${model}`));
    const html = (await estimated) ?? '';
    const mark = `<span class="under">${usage.isEstimated}</span>`;
    expect([html, await reported].map((one) => one?.includes(mark))).toEqual([true, false]);
    const [receipt = ''] = /\/account\/receipts\/\w+/.exec(html) ?? [];
    expect(await page(receipt)).toContain(usage.whyEstimated);
  });
});

test('a model that makes images has no context on the price list, unless it is stated', async () => {
  const contextOf = async (id: string) => {
    const html = await (await createSiteClient(gateway).get('/pricing?sort=context')).text();
    const [, row = ''] = new RegExp(`<th scope="row"><a[^>]*>${id}<(.*?)</tr>`).exec(html) ?? [];
    const [, shown] = /data-label="Context">([^<]*)</.exec(row) ?? [];
    const [, told] = new RegExp(`^\\| ${id} \\|.* \\| ([^|]*) \\|$`, 'm').exec(await pricingText()) ?? [];
    return [shown, told];
  };
  const pricingText = async () => (await gateway.call('/pricing')).text();
  expect(await contextOf('sketcher')).toEqual(['', '']);
  expect(await contextOf('painter')).toEqual(['128,000', '128000']);
  expect(await contextOf('up-paid')).toEqual(['128,000', '128000']);
});

test('the list of the latest requests is called so', async () => {
  const html = await (await (await signedIn(gateway, account.key)).get('/account')).text();
  const { overview } = wordsOf('en').account;
  expect(html).toMatch(
    new RegExp(`<h2>${overview.latest}</h2><section class="scroll"[^>]* aria-label="${overview.latest}"`),
  );
});

test('one request is one request, in English', async () => {
  const client = await signedIn(gateway, account.key);
  const totals = async (query: string) =>
    /<strong[^>]*>([^<]*)<\/strong>/.exec(await (await client.get(`/account/usage${query}`)).text())?.[1];
  expect(await totals('?model=painter')).toBe('1 request, NT$0.50');
  expect(await totals('')).toStartWith('3 requests, ');
});

test('tokens of reasoning are part of the output, and said to be', () => {
  const { withReasoning, countImages } = wordsOf('en').account.usage;
  expect([withReasoning('1'), withReasoning('3'), countImages('2')]).toEqual([
    'including 1 reasoning token',
    'including 3 reasoning tokens',
    '2 images',
  ]);
});
