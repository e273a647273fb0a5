// A receipt as people read it: every try in their own words, the price list by its name, and the way back to the list that
// they came from.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { money } from '../../src/site/format.ts';
import { wordsOf } from '../../src/site/language.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { cutAt, type Script } from '../support/script.ts';
import { signedIn } from './site-client.ts';

const OUTCOMES = outcomesOfDocs();
let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** The codes that docs/relay.md explains. */
function outcomesOfDocs(): string[] {
  const page = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'relay.md'), 'utf8');
  const [, table = ''] = /^\| outcome \|.*\n\|---.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
  return table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code = '']) => code));
}

/** The one request of the account, once it is closed. */
async function requestId(): Promise<string> {
  const records = async () => (await gateway.get('/api/usage', account.key)).data;
  await eventually('the request to be closed', async () => (await records()).length === 1);
  return (await records())[0].request_id;
}

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { account: words, pricing } = wordsOf(language);
  const read = async (path: string) => (await (await signedIn(gateway, account.key, language)).get(path)).text();
  const outcomesOn = (html: string) =>
    [...html.matchAll(/<td class="id">up<\/td><td class="number">([^<]*)</g)].map(([, outcome]) => outcome);

  test('each outcome that there is has words', () => {
    expect(Object.keys(words.outcomes).toSorted()).toEqual(OUTCOMES.toSorted());
  });

  test.each<[keyof typeof words.outcomes, Script]>([
    ['route_missing', errorScript(404, { message: 'gone' })],
    ['rate_limited', errorScript(429, { message: 'later' })],
    ['request_refused', errorScript(400, { message: 'no' })],
  ])('a try that ended as %s', async (outcome, script) => {
    gateway.upstream.otherwise(script);
    await gateway.chat(account.key, { model: 'up-paid' });
    const html = await read(`/account/receipts/${await requestId()}`);
    expect([...new Set(outcomesOn(html))]).toEqual([words.outcomes[outcome]]);
    expect(html).not.toContain(`>${outcome}<`);
    expect(html).toContain(`<a href="/pricing#history">${pricing.listNumber(1)}</a>`);
  });

  test('a line has its price as the price list writes it; what is not charged has none', async () => {
    gateway.upstream.next(chatAnswer({ usage: { prompt_tokens: 3, completion_tokens: 5_000 } }));
    expect((await gateway.chat(account.key, { model: 'up-paid', max_tokens: 20 })).status).toBe(200);
    const html = await read(`/account/receipts/${await requestId()}`);
    expect([...html.matchAll(/<span class="under number">([^<]*)/g)].map(([, price]) => price)).toEqual([
      `3 × ${words.usage.perMillion('NT$10')}`,
      `5,000 × ${words.usage.perMillion('NT$40.123')}`,
    ]);
    expect(html).toContain(`<td>${words.usage.aboveHeld}</td><td class="right number">−NT$`);
  });

  test('what is not charged says why, and what was reserved is told', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 2 };
    gateway.upstream.next(chatAnswer({ pieces: [], usage }));
    await gateway.chat(account.key, { model: 'up-paid', max_tokens: 20 });
    const id = await requestId();
    const html = await read(`/account/receipts/${id}`);
    expect(html).toContain(`<td>${words.usage.noOutput}</td><td class="right number">−NT$`);
    expect(html).not.toContain(words.usage.aboveHeld);
    const { held = 0n } = (await gateway.gateway.store.read.usageRecord(account.accountId, id)) ?? {};
    expect(html).toContain(`<span class="id">${account.accountId}</span><button`);
    expect(html).toContain(`<dt>${words.usage.held}</dt><dd class="id">${money(held)}</dd>`);
  });

  test('tries on several models name each, and that the request chose them', async () => {
    gateway.upstream.next(errorScript(404, { message: 'gone' }));
    await gateway.chat(account.key, { model: 'up-paid', models: ['demo-small'], max_tokens: 5 });
    const html = await read(`/account/receipts/${await requestId()}`);
    expect(
      [...html.matchAll(/<tr><td class="id">([^<]*)<\/td><td class="id">([^<]*)<\/td>/g)].map((row) => row.slice(1)),
    ).toEqual([
      ['up-paid', 'up'],
      ['demo-small', 'demo'],
    ]);
    expect(html).toContain(words.usage.callerRouting);
  });

  test('tries of a request that chose nothing name neither', async () => {
    await gateway.chat(account.key, { model: 'demo-small', max_tokens: 5 });
    const html = await read(`/account/receipts/${await requestId()}`);
    expect(html).toContain('<tr><td class="id">demo</td>');
    expect(html).not.toContain(words.usage.callerRouting);
  });

  test('a try whose client left is no success', async () => {
    const [role = '', word = ''] = (chatStream().body ?? []) as string[];
    gateway.upstream.next(cutAt(chatStream(), role.length + word.length, 'stall'));
    const leaving = new AbortController();
    const answer = await gateway.chat(account.key, { model: 'up-paid', stream: true }, { signal: leaving.signal });
    await answer.body?.getReader().read();
    leaving.abort();
    expect(outcomesOn(await read(`/account/receipts/${await requestId()}`))).toEqual([words.outcomes.client_gone]);
  });

  test('the way back leads to the list with its filters, in the other language too', async () => {
    gateway.upstream.otherwise(errorScript(404, { message: 'gone' }));
    await gateway.chat(account.key, { model: 'up-paid' });
    const query = '?model=up-paid&amp;status=upstream_failed';
    const list = await read(`/account/usage${query.replace('&amp;', '&')}&prompt=secret`);
    const path = `/account/receipts/${await requestId()}${query}`;
    expect(list).toContain(`href="${path}"`);
    const html = await read(path.replace('&amp;', '&'));
    expect(html).toContain(`<a href="/account/usage${query}">${words.usage.back}</a>`);
    expect(html).toContain(`href="${path}&amp;lang=`);
  });

  test('one that is not there leads back to the list with its filters', async () => {
    const client = await signedIn(gateway, account.key, language);
    const answer = await client.get('/account/receipts/req_none?model=up-paid');
    const html = await answer.text();
    expect(answer.status).toBe(404);
    expect(html).toContain(words.refusals.notFound(7, 100));
    expect(html).toContain(`<a href="/account/usage?model=up-paid">${words.usage.back}</a>`);
  });
});
