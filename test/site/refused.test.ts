// A refused request as its customer sees it: its cause, that nothing was charged, and what to do; in a list, by its id and
// counted by key. Others see none of it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { FAULT_CODES, FAULTS } from '../../src/faults/table.ts';
import { wordsOf } from '../../src/site/language.ts';
import { type CreatedKey, createKey } from '../support/create-key.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { signedIn } from './site-client.ts';

let gateway: TestGateway;
let account: TestAccount;
let top: CreatedKey;
let child: CreatedKey;
/** Of the managing key, and of the child. */
let [ofManager, ofChild] = ['', ''];
beforeAll(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
  top = await createKey(gateway, account.key, { name: 'top', delegate: true });
  child = await createKey(gateway, top.key, { name: 'child', budgets: { day_ntd: 0.0001 } });
  ofManager = await refuse(account.key, { model: 'no-such-model' });
  ofChild = await refuse(child.key, { model: 'up-paid' });
});
afterAll(() => gateway.stop());

async function refuse(key: string, body: Record<string, unknown>): Promise<string> {
  const response = await gateway.chat(key, body);
  const requestId = response.headers.get('x-request-id') ?? '';
  expect(response.status).toBeLessThan(500);
  const { read } = gateway.gateway.store;
  await eventually('the refused request', async () => (await read.refusedRequests({ requestId })).length > 0);
  return requestId;
}

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { keys, refusals, usageView } = wordsOf(language).account;
  const open = async (key: string, path: string) => {
    const response = await (await signedIn(gateway, key, language)).get(path);
    return { status: response.status, html: await response.text() };
  };

  test('every refusal that a client can meet has a cause and a remedy', () => {
    const refused = FAULT_CODES.filter((code) => FAULTS[code].status < 500);
    expect(refused.filter((code) => !Object.hasOwn(refusals.causes, code))).toEqual([]);
  });

  test('its id shows the cause, that nothing was charged, and what to do', async () => {
    const { status, html } = await open(account.key, `/account/receipts/${ofManager}`);
    const [cause, remedy] = refusals.causes.model_not_found;
    expect(status).toBe(200);
    for (const said of [cause, usageView.free, remedy, '404 model_not_found', ofManager]) expect(html).toContain(said);
    expect(html).not.toContain('no-such-model');
  });

  test('the figures of the response are shown, with the name of the key whose budget it was', async () => {
    const { html } = await open(account.key, `/account/receipts/${ofChild}`);
    expect(html).toContain(`<dt>${refusals.names.limit_ntd}</dt><dd class="id">NT$0.0001</dd>`);
    expect(html).toContain(`<dt>${refusals.names.key_id}</dt><dd class="id">child</dd>`);
    expect(html).toContain(`<dt>${refusals.names.budget}</dt><dd class="id">${keys.limits.dayBudget}</dd>`);
    expect(html).not.toContain('_nano');
  });

  test('the list has those of all keys or of one, and the page of keys counts them', async () => {
    const all = await open(account.key, '/account/refused');
    expect([ofManager, ofChild].map((id) => all.html.includes(id))).toEqual([true, true]);
    expect(all.html).toContain(refusals.kept(7, 100));
    const one = await open(account.key, `/account/refused?key=${child.id}`);
    expect([ofManager, ofChild].map((id) => one.html.includes(id))).toEqual([false, true]);
    const keyPage = await open(account.key, '/account/keys');
    const counts = [account.keyId, top.id, child.id].map(
      (id) => new RegExp(`href="/account/refused\\?key=${id}">(\\d+)<`).exec(keyPage.html)?.[1],
    );
    expect(counts).toEqual(['1', '0', '1']);
    expect((await open(account.key, '/account/usage')).html).toContain('href="/account/refused"');
  });

  test('a child key and another account see nothing of it', async () => {
    expect((await open(child.key, `/account/receipts/${ofManager}`)).status).toBe(404);
    expect((await open(child.key, '/account/refused')).html).not.toContain(ofManager);
    expect((await open(child.key, `/account/receipts/${ofChild}`)).status).toBe(200);
    const other = await gateway.register();
    const { status, html } = await open(other.key, `/account/receipts/${ofManager}`);
    expect([status, html.includes(refusals.notFound(7, 100))]).toEqual([404, true]);
    expect((await open(other.key, '/account/refused')).html).toContain(refusals.none(7));
    for (const id of ['req_none', '%00', "x'"]) {
      expect([id, (await open(other.key, `/account/receipts/${id}`)).status]).toEqual([id, 404]);
    }
  });
});
