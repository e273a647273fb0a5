// Lines to copy for each client: of the model that was chosen, without a script, and only of those that the key may use.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CLIENTS } from '../../src/site/account/snippets.ts';
import { LANGUAGES, wordsOf } from '../../src/site/language.ts';
import type { Answer } from '../support/answer.ts';
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

test('auto:free is offered first, and another model changes every tab and its limits', async () => {
  const { key } = await gateway.register();
  const client = await signedIn(gateway, key);
  const first = await (await client.get('/account/setup')).text();
  expect([choices(first)[0], chosen(first)]).toEqual(['auto:free', 'auto:free']);
  expect(first).toContain('<form method="get" action="/account/setup"');
  expect(first).toContain('<a href="/pricing">');

  for (const one of CLIENTS) {
    const html = await (await client.get(`/account/setup?client=${one}&model=long-one`)).text();
    expect(chosen(html)).toBe('long-one');
    expect(html).toContain(`href="/account/setup?client=${one}&amp;model=long-one" aria-current="page"`);
    expect(html).toContain(`href="/account/setup?client=${one}&amp;model=long-one&amp;lang=zh-TW"`);
    const code = blocks(html).join('\n');
    expect([one, code.includes('long-one'), code.includes('auto:free')]).toEqual([one, true, false]);
    expect(code).toContain('YOUR_KEY');
    expect(code).toContain(gateway.url);
  }
  const claude = await (await client.get('/account/setup?client=claude-code&model=long-one')).text();
  expect(claude).toContain('CLAUDE_CODE_MAX_CONTEXT_TOKENS=250000');
  const codex = await (await client.get('/account/setup?client=codex&model=long-one')).text();
  expect(codex).toContain('model_context_window = 250000');
});

describe.each(LANGUAGES)('in %s', (language) => {
  const { setup } = wordsOf(language).account;

  test('a key is made on the spot, is in every line that needs one, and is not made twice', async () => {
    const { key } = await gateway.register();
    const client = await signedIn(gateway, key, language);
    const html = await (await client.get('/account/setup?client=codex')).text();
    const [, known = ''] = /name="known" value="(\d+)"/.exec(html) ?? [];
    const form = { client: 'codex', model: 'up-paid', known };
    const made = await client.post('/account/setup', form);
    const shown = await made.text();
    expect(made.status).toBe(200);
    expect(shown).toContain(setup.created);
    expect(shown).not.toContain('YOUR_KEY');
    const keys = new Set(shown.match(/sk-svc-[0-9A-Za-z]+/g));
    expect(keys.size).toBe(1);
    const [fresh = ''] = keys;
    expect((await gateway.chat(fresh, { model: 'auto:free' })).status).toBe(200);
    const again = await client.post('/account/setup', form);
    expect([again.status, again.headers.get('location')]).toEqual([303, '/account/setup?client=codex&model=up-paid']);
    const { data } = await gateway.get('/api/keys', key);
    expect(data.map(({ name }: Answer) => name)).toContain(setup.keyName('Codex'));
    expect(data).toHaveLength(2);
    expect(await (await client.get('/account/setup?client=codex')).text()).not.toContain(fresh);
  });

  test('a key that may make none is not offered it, and is refused', async () => {
    const { key } = await gateway.register();
    const narrow = await createKey(gateway, key, { name: 'narrow' });
    const client = await signedIn(gateway, narrow.key, language);
    const html = await (await client.get('/account/setup')).text();
    expect(html).toContain(setup.cannotCreate);
    expect(html).not.toContain('method="post" action="/account/setup"');
    const refused = await client.post('/account/setup', { client: 'curl', model: 'auto:free', known: '2' });
    expect(refused.status).toBe(403);
    expect((await gateway.get('/api/keys', key)).data).toHaveLength(2);
  });
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
