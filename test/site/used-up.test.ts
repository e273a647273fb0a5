// The balance on the overview: what is used up is told, though a little of it is always left; what is reserved is told while
// it is.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Language, wordsOf } from '../../src/site/language.ts';
import { createGate } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { type TestDocument, upModel } from '../support/test-document.ts';
import { signedIn } from './site-client.ts';

/** The 16 tokens of an answer and as many of its prompt, which a call has at least, cost NT$0.1616. */
const DEAR = upModel('dear', { price: { input: 100, output: 10_000 } });
/** Of another price list: whoever asks dear models alone is not helped by it. */
const CHEAP = upModel('cheap', { price: { input: 0.01, output: 0.01 } });

const onlyFree = ({ models }: TestDocument) => models.filter(({ price }) => price === 'free');

let gateway: TestGateway;
beforeAll(async () => {
  const document = (standard: TestDocument) => ({ ...standard, models: [...onlyFree(standard), DEAR] });
  gateway = await startTestGateway({ document });
});
afterAll(() => gateway.stop());

async function overview(key: string, language: Language): Promise<string> {
  return (await (await signedIn(gateway, key, language)).get('/account')).text();
}

test('what is left and pays for no call is told as used up, with the way to a card', async () => {
  const { key } = await gateway.register();
  const chat = () => gateway.chat(key, { model: 'dear', messages: [{ role: 'user', content: 'a' }] });
  const spend = async (tokens: number) => {
    gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: 1, completion_tokens: tokens - 1 } }));
    expect((await chat()).status).toBe(200);
  };
  const told = (language: Language) => {
    const { overview, tabs } = wordsOf(language).account;
    const card = `<p><a class="button" href="/account/redeem">${tabs.redeem}</a></p>`;
    return `<div class="notice is-warning" role="status"><p>${overview.lowBalance}</p>${card}</div>`;
  };
  await spend(10);
  expect(await overview(key, 'en')).not.toContain(told('en'));
  await spend(76);
  expect((await gateway.get('/api/me', key)).balance_ntd).toBe(0.1598);
  expect((await chat()).status).toBe(402);
  for (const language of ['en', 'zh-TW'] as const) expect(await overview(key, language)).toContain(told(language));
});

test('a cheap model that was never asked hides nothing, free ones that are asked meanwhile neither', async () => {
  await gateway.apply((standard) => ({ ...standard, models: [...onlyFree(standard), DEAR, CHEAP] }));
  const { key } = await gateway.register();
  gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: 1, completion_tokens: 84 } }));
  await gateway.chat(key, { model: 'dear', messages: [{ role: 'user', content: 'a' }] });
  for (let i = 0; i < 6; i++) expect((await gateway.chat(key, { model: 'auto:free' })).status).toBe(200);
  expect(await overview(key, 'en')).toContain(wordsOf('en').account.overview.lowBalance);
  gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: 1, completion_tokens: 1 } }));
  expect((await gateway.chat(key, { model: 'cheap' })).status).toBe(200);
  expect(await overview(key, 'en')).not.toContain(wordsOf('en').account.overview.lowBalance);
});

test('the way to a card stands beside the balance, however much there is', async () => {
  const { key } = await gateway.register();
  for (const language of ['en', 'zh-TW'] as const) {
    const [card = ''] = /<div class="cards is-money"><div>.*?<\/div>/.exec(await overview(key, language)) ?? [];
    expect(card).toContain(`<a href="/account/redeem">${wordsOf(language).account.tabs.redeem}</a>`);
  }
});

test('what is reserved is told while something runs; otherwise one figure is enough', async () => {
  const { key } = await gateway.register();
  const { held, balance, available } = wordsOf('en').account.overview;
  const titles = async () =>
    [...(await overview(key, 'en')).matchAll(/<p class="faint">([^<]*)<\/p><strong/g)].map(([, title]) => title);
  expect((await titles()).slice(0, 2)).toEqual([balance, wordsOf('en').account.overview.freeMinute]);
  const gate = createGate();
  const [first = '', second = '', ...rest] = (chatStream().body ?? []) as string[];
  gateway.upstream.next({ ...chatStream(), body: [first, second, gate.opened, ...rest] });
  const answer = await gateway.chat(key, { model: 'dear', stream: true, max_tokens: 20 });
  expect((await titles()).slice(0, 3)).toEqual([available, balance, held]);
  gate.open();
  await answer.text();
});
