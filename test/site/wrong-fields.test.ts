// A field that was refused is marked, tells why and has the focus, on every form alike; what no field can help is told
// above the form alone.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { unissuedCode } from '../support/issue-cards.ts';
import { createSiteClient, signedIn } from './site-client.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  account = await gateway.register();
});
afterAll(() => gateway.stop());

interface Told {
  /** The fields that are marked, by their ids. */
  marked: string[];
  /** The one that has the focus. */
  focus: string[];
  /** What stands beside a field; the notice tells the same. */
  text: string | undefined;
}

async function told(response: Response): Promise<Told> {
  const html = await response.text();
  const inputs = [...html.matchAll(/<input id="(\w+)"[^>]*>/g)];
  const idsWith = (mark: string) => inputs.filter(([tag]) => tag.includes(mark)).map(([, id = '']) => id);
  const marked = idsWith('aria-invalid="true"');
  const [, fault, text] = /<p class="bad" id="([\w-]+)">([^<]*)</.exec(html) ?? [];
  expect(html).toContain(`role="alert"><p>${text ?? ''}`);
  expect(idsWith(`aria-describedby="${fault}"`)).toEqual(marked);
  return { marked, focus: idsWith('autofocus'), text };
}

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const words = wordsOf(language).account;

  test('the way in', async () => {
    const enter = async (form: Record<string, string>) =>
      told(await createSiteClient(gateway, language).post('/account/sign-in', form));
    expect(await enter({ key: 'sk-svc-wrong' })).toEqual({ marked: ['key'], focus: ['key'], text: words.badKey });
    expect(await enter({ name: 'nobody', password: 'wrong' })).toEqual({
      marked: ['name', 'password'],
      focus: ['password'],
      text: words.badPassword,
    });
  });

  test('a card', async () => {
    const client = await signedIn(gateway, account.key, language);
    const redeem = async (code: string) => told(await client.post('/account/redeem', { code }));
    const marks = { marked: ['code'], focus: ['code'] };
    expect(await redeem('PC-12')).toEqual({ ...marks, text: words.redeem.malformed });
    for (let i = 0; i < 5; i++) expect(await redeem(unissuedCode())).toEqual({ ...marks, text: words.redeem.refused });
    expect(await redeem(unissuedCode())).toEqual({ marked: [], focus: [], text: undefined });
  });

  test('a filter of the usage, which then shows nothing as if it were the answer', async () => {
    const client = await signedIn(gateway, account.key, language);
    await gateway.chat(account.key, { model: 'auto:free' });
    const { fields } = wordsOf(language);
    const filter = async (query: string) => {
      const response = await client.get(`/account/usage?${query}`);
      const html = await response.clone().text();
      const shown = [words.usage.totals('1', 'NT$0'), '/account/usage.csv', '<table'];
      return { status: response.status, shown: shown.map((part) => html.includes(part)), ...(await told(response)) };
    };
    const refused = { status: 400, shown: [false, false, false] };
    expect(await filter('from=2026-11-20&to=2026-11-01')).toEqual({
      ...refused,
      marked: ['from', 'to'],
      focus: ['from'],
      text: fields.from_after_to,
    });
    for (const name of ['from', 'to'] as const) {
      expect(await filter(`${name}=yesterday`)).toEqual({
        ...refused,
        marked: [name],
        focus: [name],
        text: fields[name],
      });
    }
    expect(await filter('cursor=none')).toEqual({ ...refused, marked: [], focus: [], text: undefined });
    const all = await (await client.get('/account/usage?from=2026-01-01')).text();
    for (const part of [words.usage.totals('1', 'NT$0'), '/account/usage.csv?from=2026-01-01', '<table']) {
      expect(all).toContain(part);
    }
    expect(all).not.toContain('aria-invalid');
  });

  test('a name and a password', async () => {
    const client = await signedIn(gateway, account.key, language);
    const save = async (name: string, password: string) =>
      told(await client.post('/account/access', { name, password }));
    const { badName, shortPassword } = words.access;
    expect(await save('no', 'long enough as it is')).toEqual({ marked: ['name'], focus: ['name'], text: badName });
    expect(await save('good', 'short')).toEqual({ marked: ['password'], focus: ['password'], text: shortPassword });
  });
});
