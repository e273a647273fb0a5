// Lines to copy for each client: of the model that was chosen, without a script, and only of those that the key may use.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { LANGUAGES, wordsOf } from '../../src/site/language.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { upModel } from '../support/test-document.ts';
import { signedIn } from './site-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [
        upModel('long-one', { price: { input: 1, output: 2 }, context_tokens: 250_000, max_output_tokens: 9_000 }),
        upModel('vectors', { kinds: ['embeddings'], price: { input: 1 } }),
        ...standard.models,
      ],
    }),
  });
});
afterAll(() => gateway.stop());

const choices = (html: string) => [...html.matchAll(/<option value="([^"]*)"/g)].map(([, id]) => id);
const chosen = (html: string) => /<option value="([^"]*)" selected=""/.exec(html)?.[1];
const blocks = (html: string) => [...html.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, code = '']) => code);

test('auto:free is offered first, and another model changes every block and its limits', async () => {
  const { key } = await gateway.register();
  const client = await signedIn(gateway, key);
  const first = await (await client.get('/account/setup')).text();
  expect([choices(first)[0], chosen(first)]).toEqual(['auto:free', 'auto:free']);
  expect(first).toContain('<form method="get" action="/account/setup"');
  expect(first).toContain('<a href="/pricing">');
  for (const code of blocks(first)) expect(code).toContain('auto:free');

  const html = await (await client.get('/account/setup?model=long-one')).text();
  expect(chosen(html)).toBe('long-one');
  expect(blocks(html)).toHaveLength(6);
  for (const code of blocks(html))
    expect([code.includes('long-one'), code.includes('auto:free')]).toEqual([true, false]);
  expect(html).toContain('CLAUDE_CODE_MAX_CONTEXT_TOKENS=250000');
  expect(html).toContain('model_context_window = 250000');
  expect(html).toContain('href="/account/setup?model=long-one&amp;lang=zh-TW"');
});

test('a key that may use few models is offered no others', async () => {
  const { key } = await gateway.register();
  const own = await createKey(gateway, key, { models: ['up-paid'] });
  const html = await (await (await signedIn(gateway, own.key)).get('/account/setup?model=long-one')).text();
  expect([choices(html), chosen(html)]).toEqual([['up-paid'], 'up-paid']);
});

test.each(LANGUAGES)(
  'in %s: a key that may use no model that chats is told so, and is offered nothing',
  async (language) => {
    const { key } = await gateway.register();
    const narrow = await createKey(gateway, key, { models: ['vectors'] });
    const html = await (await (await signedIn(gateway, narrow.key, language)).get('/account/setup')).text();
    expect(html).toContain(wordsOf(language).account.setup.noModel);
    expect([choices(html), blocks(html), html.includes('action="/account/setup"')]).toEqual([[], [], false]);
  },
);
