// What an operator typed into a form whose session had ended is in its form again after signing in, but for secrets; and
// nothing is done by it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { consoleWords } from '../../../src/admin/console/words/words.ts';
import { sentences } from '../../../src/site/format.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { operatorOf } from '../../support/operator.ts';
import { fieldOf, strangerOf, textAreaOf } from './operator-client.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const decoded = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
const actions = () => gateway.sql(`SELECT action FROM audit_log WHERE actor <> 'server'`);

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { signIn } = consoleWords(language);

  async function signInAfter(path: string, form: Record<string, string>): Promise<string> {
    const client = strangerOf(gateway, language);
    const door = await client.post(path, form);
    const html = await door.text();
    expect([door.status, html.includes(`<p>${sentences(signIn.notDone, signIn.typedKept)}</p>`)]).toEqual([401, true]);
    const sent = { next: decoded(fieldOf(html, 'next')), typed: decoded(fieldOf(html, 'typed')) };
    const entered = await client.post('/sign-in', { ...sent, token: operatorOf(gateway).token });
    expect([entered.status, entered.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect((await client.get('/cards')).status).toBe(200);
    return entered.text();
  }

  test('a credit, at its question, too', async () => {
    for (const step of ['credit/review', 'credit']) {
      const form = { kind: 'credit', amount: '12.5', reason: 'sorry & "thanks"', once: 'x', confirmed: 'yes' };
      const html = await signInAfter(`/accounts/${account.accountId}/${step}`, form);
      expect([fieldOf(html, 'amount'), decoded(fieldOf(html, 'reason'))]).toEqual(['12.5', 'sorry & "thanks"']);
      expect(html).toContain('<option value="credit" selected');
      expect(html).not.toContain('name="once"');
    }
    expect(actions()).toEqual([]);
  });

  test('the name of a key, and the reason of a freeze', async () => {
    expect(fieldOf(await signInAfter(`/accounts/${account.accountId}/keys`, { name: 'desk' }), 'name')).toBe('desk');
    const frozen = await signInAfter(`/accounts/${account.accountId}/freeze`, {
      reason: 'looks odd',
      confirmed: 'yes',
    });
    expect(fieldOf(frozen, 'reason')).toBe('looks odd');
    expect(actions()).toEqual([]);
  });

  test('cards, an incident, a price list and the prices of a model', async () => {
    const cards = await signInAfter('/cards', { amount: '100', count: '7', kind: 'promo', note: 'fair' });
    expect([fieldOf(cards, 'amount'), fieldOf(cards, 'count'), fieldOf(cards, 'note')]).toEqual(['100', '7', 'fair']);
    const incident = await signInAfter('/incidents', { titleEn: 'Slow', titleZh: '較慢', textEn: 'one\r\ntwo' });
    expect([fieldOf(incident, 'titleZh'), textAreaOf(incident, 'textEn')]).toEqual(['較慢', 'one\r\ntwo']);
    const list = await signInAfter('/models/import', { list: 'model,input\r\nx,1', rate: '31', file: 'not kept' });
    expect([fieldOf(list, 'rate'), textAreaOf(list, 'list')]).toEqual(['31', 'model,input\r\nx,1']);
    const prices = await signInAfter('/models/edit?model=up-paid', { 'sale-input': '77.5', base: '99' });
    expect([fieldOf(prices, 'sale-input'), fieldOf(prices, 'base')]).toEqual(['77.5', '99']);
    expect(actions()).toEqual([]);
  });

  test('after a wrong token it is still there', async () => {
    const typed = 'amount=100&note=%E5%B1%95';
    const wrong = await strangerOf(gateway, language).post('/sign-in', { next: '/cards', typed, token: 'wrong' });
    const html = await wrong.text();
    expect([wrong.status, fieldOf(html, 'next'), decoded(fieldOf(html, 'typed'))]).toEqual([401, '/cards', typed]);
  });

  test('a document is not kept: it may hold keys of upstreams', async () => {
    const client = strangerOf(gateway, language);
    const html = await (await client.post('/models/document', { yaml: 'api_key: a-fake-secret', base: '1' })).text();
    expect(html).toContain(`<p>${signIn.notDone}</p>`);
    expect(html).not.toContain('a-fake-secret');
    expect(html).not.toContain('name="typed"');
  });

  test('only fields of our forms are filled in, whatever is sent', async () => {
    const client = strangerOf(gateway, language);
    const typed = 'yaml=channels&token=x&once=y';
    const entered = await client.post('/sign-in', {
      next: '/models/document',
      typed,
      token: operatorOf(gateway).token,
    });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/models/document']);
  });
});
