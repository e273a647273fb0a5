// The list of usage in words: how many requests, what an answer had, and which figures nobody but us has counted.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { pictureAnswer } from '../support/media-answers.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { upModel } from '../support/test-document.ts';
import { signedIn } from './site-client.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [...standard.models, upModel('painter', { kinds: ['images'], price: { image: 0.5 } })],
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
    new RegExp(`<td class="[^"]*\\b${name}\\b[^>]*>(.*?)</td>`).exec(html)?.[1] ?? '';

  test('an answer of images alone tells how many they are', async () => {
    expect(cell(await page('/account/usage?model=painter'), 'out')).toBe(usage.countImages('1'));
  });

  test('what was estimated is marked in the list and on its receipt, and nothing else is', async () => {
    const [estimated, reported] = ['up-paid', 'up-free'].map((model) => page(`/account/usage?model=${model}`));
    const html = (await estimated) ?? '';
    expect(cell(html, 'how')).toContain(usage.isEstimated);
    expect(cell((await reported) ?? '', 'how')).not.toContain(usage.isEstimated);
    const [receipt = ''] = /\/account\/receipts\/\w+/.exec(html) ?? [];
    expect(await page(receipt)).toContain(usage.whyEstimated);
  });
});

test('one request is one request, in English', async () => {
  const client = await signedIn(gateway, account.key);
  const totals = async (query: string) =>
    /<strong>([^<]*)<\/strong>/.exec(await (await client.get(`/account/usage${query}`)).text())?.[1];
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
