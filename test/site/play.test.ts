// The playground: an answer as it comes, its channel and its cost, a stop, and faults in plain words; and nothing of it is
// kept.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fault } from '../../src/faults/fault.ts';
import { faultText } from '../../src/site/fault-text.ts';
import { money } from '../../src/site/format.ts';
import { wordsOf } from '../../src/site/language.ts';
import type { Answer } from '../support/answer.ts';
import { startBrowser, type TestBrowser, type Visitor, type VisitorOptions } from '../support/browser.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { USED_IN } from '../support/looks.ts';
import { type ChatOptions, chatChunks, chatStream, errorScript, sseScript, sseText } from '../support/openai-chat.ts';
import { openaiChannel, type TestDocument, upModel } from '../support/test-document.ts';

/** What a channel's failures leave behind in one test must not decide another. */
const FAILING = ['refuses-en', 'refuses-zh-tw', 'breaks-en', 'breaks-zh-tw'];

function documentOf(standard: TestDocument): TestDocument {
  const baseUrl = String(standard.channels.find(({ name }) => name === 'up')?.base_url);
  return {
    ...standard,
    channels: [...standard.channels, ...FAILING.map((name) => openaiChannel(name, baseUrl))],
    models: [
      ...standard.models,
      upModel('dear', { price: { input: 1_000_000, output: 1_000_000 } }),
      ...FAILING.map((name) => upModel(name, { price: 'free', routes: [{ channel: name, model: name }] })),
    ],
  };
}

let gateway: TestGateway;
let browser: TestBrowser;
let visitor: Visitor;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([startTestGateway({ document: documentOf }), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.stop();
});
afterEach(async () => {
  expect(visitor.troubles).toEqual([]);
  await visitor.leave();
});

type Enter = (page: Page, key: string) => Promise<unknown>;

const enterByForm: Enter = async (page, key) => {
  await page.goto(`${gateway.url}/account/sign-in?next=/account/play`);
  await page.fill('#key', key);
  await page.click('form:has(#key) button');
};

/** With the cookie that the form gives. */
const enterSignedIn: Enter = async (page, key) => {
  const response = await gateway.call('/account/sign-in', {
    body: new URLSearchParams({ key }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const [name = '', value = ''] = response.headers.get('set-cookie')?.split(';')[0]?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url: gateway.url, httpOnly: true, sameSite: 'Lax' }]);
  await page.goto(`${gateway.url}/account/play`);
};

async function openPlayground(
  language: 'en' | 'zh-TW' = 'en',
  options: VisitorOptions = {},
  enter = enterSignedIn,
): Promise<{ page: Page; key: string }> {
  const { key } = await gateway.register();
  visitor = await browser.visit({ language, ...options });
  const { page } = visitor;
  await enter(page, key);
  await page.waitForSelector('#play');
  return { page, key };
}

async function ask(page: Page, model: string, prompt: string): Promise<void> {
  await page.selectOption('#model', model);
  await page.fill('#prompt', prompt);
  await page.click('#play button');
}

/** Waits until the line under the answer says it. */
const told = (page: Page, text: string) =>
  page.waitForFunction((wanted) => document.getElementById('served')?.textContent?.includes(wanted), text);

describe.each(USED_IN)('in %s', (language) => {
  const { account, faults, fields } = wordsOf(language);
  const failed = faultText(language, fault('upstream_failed'));

  test('an answer appears as it comes, then its channel and its cost', async () => {
    const { page, key } = await openPlayground(language, {}, enterByForm);
    const gate = createGate();
    const [first = '', second = '', third = '', ...rest] = chatChunks({ pieces: ['Half a ', 'thought'] }).map((chunk) =>
      sseText(JSON.stringify(chunk)),
    );
    gateway.upstream.next(sseScript([first, second, gate.opened, third, ...rest, sseText('[DONE]')]));
    await ask(page, 'up-paid', 'Think of PROMPT-MARK-7c1e');
    await page.waitForFunction(() => document.getElementById('answer')?.textContent === 'Half a ');
    expect(await page.textContent('#play button')).toBe(account.play.stop);
    gate.open();
    await told(page, 'NT$');
    const [record] = (await gateway.get('/api/usage', key)).data;
    expect(await page.textContent('#answer')).toBe('Half a thought');
    const served = account.play.served('up', money(BigInt(record.cost_nano)));
    expect(await page.textContent('#served')).toBe(`${served} ${account.usage.receipt}`);
    expect(await page.getAttribute('#served a', 'href')).toBe(`/account/receipts/${record.request_id}`);
    await page.waitForFunction(
      (text) => document.querySelector('#play button')?.textContent === text,
      account.play.send,
    );
    expect(record).toMatchObject({ model: 'up-paid', channel: 'up', status: 'ok', stream: true });
  });

  test('a fault is told in the words of the page, and the next try is free to succeed', async () => {
    const { page } = await openPlayground(language);
    gateway.upstream.next(errorScript(500, { message: 'secret detail' }));
    await ask(page, `refuses-${language.toLowerCase()}`, 'Hi');
    await told(page, failed);
    expect(await page.textContent('#answer')).toBe('');
    gateway.upstream.next(chatStream({ pieces: ['All is well'] }));
    await ask(page, 'up-paid', 'Hi');
    await told(page, 'NT$');
    expect(await page.textContent('#answer')).toBe('All is well');
  });

  test('a page of failure from a proxy in between is told as no answer, not as the end of the session', async () => {
    const { page } = await openPlayground(language);
    await page.route('**/account/play', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>502 Bad Gateway</h1>' }),
    );
    await ask(page, 'auto:free', 'Hi');
    await told(page, account.play.unanswered);
    expect(await page.getAttribute('#served', 'class')).toContain('bad');
  });

  test('a frozen wallet is told as such, not as something that passes', async () => {
    const { page, key } = await openPlayground(language);
    const { account_id: accountId } = await gateway.get('/api/me', key);
    await gateway.gateway.store.commit('freeze', { accountId, frozen: true, at: Date.now() });
    await ask(page, 'auto:free', 'Hi');
    await told(page, faults.wallet_frozen);
    await page.reload();
    expect(((await page.textContent('.notice.is-bad')) ?? '').trim()).toBe(faults.wallet_frozen);
  });

  test('an answer that breaks off stays, and is told to be broken', async () => {
    const { page } = await openPlayground(language);
    const [first = '', second = ''] = chatChunks({ pieces: ['Half'] }).map((chunk) => sseText(JSON.stringify(chunk)));
    const gate = createGate();
    gateway.upstream.next(sseScript([first, second, gate.opened]));
    await ask(page, `breaks-${language.toLowerCase()}`, 'Hi');
    await page.waitForFunction(() => document.getElementById('answer')?.textContent === 'Half');
    gate.open();
    await told(page, failed);
    expect(await page.textContent('#answer')).toBe('Half');
    expect(await page.getAttribute('#served', 'class')).toContain('bad');
  });

  test.each<[what: string, script: ChatOptions, answer: string]>([
    ['no text at all', { pieces: [], reasoning: ['Let me think'] }, account.play.noText],
    ['a refusal', { pieces: [], refusal: 'I cannot help.' }, 'I cannot help.'],
    ['half an answer', { pieces: ['Half'], finish: 'length' }, 'Half'],
    ['a thought that took all the room', { pieces: [], reasoning: ['Hm'], finish: 'length' }, account.play.noText],
    ['a filtered answer', { pieces: ['Half'], finish: 'content_filter' }, 'Half'],
  ])('%s is told as what it is, with its cost', async (_, script, answer) => {
    const { page, key } = await openPlayground(language);
    gateway.upstream.next(chatStream(script));
    await ask(page, 'up-paid', 'Hi');
    await told(page, 'NT$');
    await page.waitForFunction((text) => document.getElementById('answer')?.textContent === text, answer);
    const [record] = (await gateway.get('/api/usage', key)).data;
    const served = `${account.play.served('up', money(BigInt(record.cost_nano)))} ${account.usage.receipt}`;
    const endings: Readonly<Record<string, string>> = account.play.endings;
    const ending = endings[script.finish ?? 'stop'];
    expect(await page.textContent('#served')).toBe(ending === undefined ? served : `${ending} ${served}`);
  });

  test('without JavaScript the page says what to do, and nothing can be sent', async () => {
    const { page } = await openPlayground(language, { javaScript: false });
    expect(await page.locator('.notice').allTextContents()).toEqual([account.play.needsScript]);
    expect(await page.locator('.notice').isVisible()).toBe(true);
    expect(await page.isDisabled('#play button')).toBe(true);
  });

  test('what its script did not send is refused for that, whatever shape it has', async () => {
    const { page, key } = await openPlayground(language);
    const form = new FormData();
    form.set('prompt', 'Hi');
    const cookie = (await visitor.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const send = (body: FormData | string, headers: Record<string, string> = {}) =>
      fetch(page.url(), { method: 'POST', body, headers: { cookie, 'accept-language': language, ...headers } });
    for (const body of [form, 'model=auto:free\r\nprompt=Hi']) {
      const refused = await send(body);
      expect(refused.status).toBe(400);
      const text = await refused.text();
      expect(text).toContain(account.play.needsScript);
      expect(text).not.toContain(fields.prompt);
    }
    const refusal = async (body: unknown) => {
      const refused = await send(JSON.stringify(body), { 'content-type': 'application/json' });
      return [refused.status, ((await refused.json()) as Answer).error.message];
    };
    for (const prompt of [undefined, '', ' \n\u3000']) {
      expect(await refusal({ model: 'auto:free', prompt })).toEqual([400, faults.invalid_request]);
    }
    expect(await refusal({ model: 'auto:free', prompt: 'x'.repeat(100_001) })).toEqual([400, fields.prompt]);
    expect((await gateway.get('/api/usage', key)).data).toEqual([]);
  });

  test('a form that comes all the same is refused, and its prompt is in no address and on no page', async () => {
    const { page, key } = await openPlayground(language, { javaScript: false });
    await page.fill('#prompt', 'Remember PROMPT-MARK-8e02');
    await page.evaluate(() => document.querySelector('#play button')?.removeAttribute('disabled'));
    const refused = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.click('#play button');
    expect((await refused).status()).toBe(400);
    await page.waitForSelector('.notice[role=alert]');
    expect(await page.locator('.notice').allTextContents()).toEqual([account.play.needsScript]);
    expect(await page.getAttribute('html', 'lang')).toBe(language);
    expect(page.url()).toBe(`${gateway.url}/account/play`);
    expect(await page.content()).not.toContain('PROMPT-MARK');
    expect((await gateway.get('/api/usage', key)).data).toEqual([]);
  });
});

test('until its script is there nothing can be sent; then what was typed is asked', async () => {
  const { page } = await openPlayground();
  const gate = createGate();
  await page.route('**/assets/site-*.js', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await page.selectOption('#model', 'up-paid');
  await page.fill('#prompt', 'Too early');
  expect(await page.isDisabled('#play button')).toBe(true);
  expect(await page.locator('.notice').allTextContents()).toEqual([wordsOf('en').account.play.needsScript]);
  await page.press('#model', 'Enter');
  gate.open();
  gateway.upstream.next(chatStream({ pieces: ['In time'] }));
  await page.click('#play button');
  await told(page, 'NT$');
  expect(await page.textContent('#answer')).toBe('In time');
  expect(await page.locator('.notice').count()).toBe(0);
  expect(page.url()).toBe(`${gateway.url}/account/play`);
});

test('a prompt of blanks alone is not sent, and a real one is, afterwards', async () => {
  const { page, key } = await openPlayground();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.postData() ?? '');
  });
  await ask(page, 'auto:free', '  \n\u3000 ');
  expect(await page.inputValue('#prompt')).toBe('');
  expect(await page.textContent('#answer')).toBe(wordsOf('en').account.play.waiting);
  await ask(page, 'auto:free', ' Hi ');
  await told(page, 'NT$');
  expect(sent).toEqual([JSON.stringify({ model: 'auto:free', prompt: ' Hi ' })]);
  expect((await gateway.get('/api/usage', key)).data).toHaveLength(1);
});

test('Stop stops it: the upstream is let go, and what was answered is billed', async () => {
  const { page, key } = await openPlayground();
  const gate = createGate();
  const [first = '', second = ''] = chatChunks({ pieces: ['Begun'] }).map((chunk) => sseText(JSON.stringify(chunk)));
  gateway.upstream.reset();
  gateway.upstream.next(sseScript([first, second, gate.opened]));
  await ask(page, 'up-paid', 'Go on for ever');
  await page.waitForFunction(() => document.getElementById('answer')?.textContent === 'Begun');
  await page.click('#play button');
  await told(page, 'Stopped.');
  expect(await page.textContent('#answer')).toBe('Begun');
  await eventually('the request is closed', async () => (await gateway.get('/api/usage', key)).data.length === 1);
  const seen = await gateway.upstream.request(0);
  await eventually('the upstream is let go', () => seen.abortedAt !== undefined);
  await page.goto(`${gateway.url}/account/usage`);
  expect(await page.textContent('.call .how')).toStartWith('Client disconnected');
  expect(await page.textContent('.call .how')).toContain('estimated');
  expect(await page.textContent('.call .paid')).not.toBe('NT$0');
  gate.open();
});

test('too little money, a model that is gone and a session that ended are told', async () => {
  const { page, key } = await openPlayground();
  const { account_id: accountId } = await gateway.get('/api/me', key);
  await ask(page, 'dear', 'Hi');
  await told(page, wordsOf('en').faults.insufficient_balance);
  expect(await page.getAttribute('#served a', 'href')).toBe('/account/redeem');
  await page.evaluate(() => document.querySelector('#model')?.append(new Option('gone-model', 'gone-model')));
  await ask(page, 'gone-model', 'Hi');
  await told(page, wordsOf('en').faults.model_not_found);
  await gateway.gateway.store.commit('closeSessions', { accountId });
  await ask(page, 'auto:free', 'Hi');
  await told(page, wordsOf('en').account.notDone);
});

test('what a model costs stands beside it, before anything is asked', async () => {
  const { page } = await openPlayground();
  const { play } = wordsOf('en').account;
  const options = await page.locator('#model option').allTextContents();
  expect(options).toContain(`auto:free · ${wordsOf('en').pricing.free}`);
  expect(options).toContain('up-paid · NT$10 / NT$40.123');
  expect(await page.textContent('label[for="model"]')).toContain(wordsOf('en').pricing.caption);
  expect(await page.getAttribute('#model', 'aria-describedby')).toBe('price');
  expect((await page.textContent('#price'))?.trim()).toBe(wordsOf('en').pricing.free);
  await page.selectOption('#model', 'up-paid');
  expect(await page.textContent('#price')).toBe(play.prices('NT$10', 'NT$40.123'));
});

test('nothing of it is stored: neither prompt nor answer is in any file', async () => {
  const { page } = await openPlayground();
  gateway.upstream.next(chatStream({ pieces: ['ANSWER-', 'MARK-93bd'] }));
  await ask(page, 'up-paid', 'Remember PROMPT-MARK-51fa');
  await told(page, 'NT$');
  expect(await page.textContent('#answer')).toBe('ANSWER-MARK-93bd');
  const files = readdirSync(gateway.dataDir).map((name) => readFileSync(join(gateway.dataDir, name), 'latin1'));
  expect(files.join('')).toContain('up-paid');
  expect(files.join('') + gateway.log.text()).not.toMatch(/PROMPT-MARK|MARK-93bd/);
  const kept = 'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])';
  expect(await page.evaluate(kept)).toBe('[[],[]]');
  await page.reload();
  expect(await page.content()).not.toMatch(/PROMPT-MARK|MARK-93bd/);
});
