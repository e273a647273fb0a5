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
  expect(visitor.problems).toEqual([]);
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
  await page.click('#send');
}

const LAST = '#turns > .turn:last-child';
const ANSWER = `${LAST} .turn-text`;
const SERVED = `${LAST} .served`;

/** Waits until the line under the last answer says it. */
const told = (page: Page, text: string) =>
  page.waitForFunction(({ place, wanted }) => document.querySelector(place)?.textContent?.includes(wanted), {
    place: SERVED,
    wanted: text,
  });

/** Waits until the last answer is this text. */
const answered = (page: Page, text: string) =>
  page.waitForFunction(({ place, wanted }) => document.querySelector(place)?.textContent === wanted, {
    place: ANSWER,
    wanted: text,
  });

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
    await answered(page, 'Half a ');
    expect(await page.textContent('#send')).toBe(account.play.stop);
    gate.open();
    await told(page, 'NT$');
    const [record] = (await gateway.get('/api/usage', key)).data;
    expect(await page.textContent(ANSWER)).toBe('Half a thought');
    const served = (await page.textContent(SERVED)) ?? '';
    expect(served).toStartWith(`${account.play.by('up')} · NT$`);
    expect(served).toContain(account.play.tokens(String(record.output_tokens)));
    expect(served).toMatch(new RegExp(account.play.firstToken('\\d+\\.\\d\\d')));
    expect(await page.getAttribute(`${SERVED} .cost`, 'title')).toBe(money(BigInt(record.cost_nano)));
    expect(await page.getAttribute(`${SERVED} a`, 'href')).toBe(`/account/receipts/${record.request_id}`);
    await page.waitForFunction((text) => document.querySelector('#send')?.textContent === text, account.play.send);
    expect(record).toMatchObject({ model: 'up-paid', channel: 'up', status: 'ok', stream: true });
  });

  test('a fault is told in the words of the page, and the next try is free to succeed', async () => {
    const { page } = await openPlayground(language);
    gateway.upstream.next(errorScript(500, { message: 'secret detail' }));
    await ask(page, `refuses-${language.toLowerCase()}`, 'Hi');
    await told(page, failed);
    expect(await page.textContent(ANSWER)).toBe('');
    gateway.upstream.next(chatStream({ pieces: ['All is well'] }));
    await ask(page, 'up-paid', 'Hi');
    await told(page, 'NT$');
    expect(await page.textContent(ANSWER)).toBe('All is well');
  });

  test('a page of failure from a proxy in between is told as no answer, not as the end of the session', async () => {
    const { page } = await openPlayground(language);
    await page.route('**/account/play', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>502 Bad Gateway</h1>' }),
    );
    await ask(page, 'auto:free', 'Hi');
    await told(page, account.play.unanswered);
    expect(await page.getAttribute(SERVED, 'class')).toContain('bad');
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
    await answered(page, 'Half');
    gate.open();
    await told(page, failed);
    expect(await page.textContent(ANSWER)).toBe('Half');
    expect(await page.getAttribute(SERVED, 'class')).toContain('bad');
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
    await answered(page, answer);
    const [record] = (await gateway.get('/api/usage', key)).data;
    expect(await page.getAttribute(`${SERVED} .cost`, 'title')).toBe(money(BigInt(record.cost_nano)));
    const endings: Readonly<Record<string, string>> = account.play.endings;
    const ending = endings[script.finish ?? 'stop'];
    const by = account.play.by('up');
    expect(await page.textContent(SERVED)).toStartWith(ending === undefined ? by : `${ending} ${by}`);
    expect((await page.getAttribute(SERVED, 'class'))?.includes('bad')).toBe(ending !== undefined);
  });

  test('without JavaScript the page says what to do, and nothing can be sent', async () => {
    const { page } = await openPlayground(language, { javaScript: false });
    expect(await page.locator('.notice').allTextContents()).toEqual([account.play.needsScript]);
    expect(await page.locator('.notice').isVisible()).toBe(true);
    expect(await page.isDisabled('#send')).toBe(true);
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
    const said = (content: unknown, role = 'user') => ({ model: 'auto:free', messages: [{ role, content }] });
    const empty = [undefined, '', ' \n\u3000'].map((content) => said(content));
    for (const body of [...empty, { model: 'auto:free', messages: [] }, said('Hi', 'tool'), { model: 'auto:free' }]) {
      expect(await refusal(body)).toEqual([400, faults.invalid_request]);
    }
    expect(await refusal(said('x'.repeat(100_001)))).toEqual([400, fields.prompt]);
    expect((await gateway.get('/api/usage', key)).data).toEqual([]);
  });

  test('a form that comes all the same is refused, and its prompt is in no address and on no page', async () => {
    const { page, key } = await openPlayground(language, { javaScript: false });
    await page.fill('#prompt', 'Remember PROMPT-MARK-8e02');
    await page.evaluate(() => document.querySelector('#send')?.removeAttribute('disabled'));
    const refused = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.click('#send');
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
  await page.route('**/assets/play-*.js', async (route) => {
    await gate.opened;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await page.selectOption('#model', 'up-paid');
  await page.fill('#prompt', 'Too early');
  expect(await page.isDisabled('#send')).toBe(true);
  expect(await page.locator('.notice').allTextContents()).toEqual([wordsOf('en').account.play.needsScript]);
  await page.press('#model', 'Enter');
  gate.open();
  gateway.upstream.next(chatStream({ pieces: ['In time'] }));
  await page.click('#send');
  await told(page, 'NT$');
  expect(await page.textContent(ANSWER)).toBe('In time');
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
  expect(await page.isVisible('#no-turns')).toBe(true);
  await ask(page, 'auto:free', ' Hi ');
  await told(page, 'NT$');
  expect(sent).toEqual([JSON.stringify({ model: 'auto:free', messages: [{ role: 'user', content: ' Hi ' }] })]);
  expect((await gateway.get('/api/usage', key)).data).toHaveLength(1);
});

test('Stop stops it: the upstream is let go, and what was answered is billed', async () => {
  const { page, key } = await openPlayground();
  const gate = createGate();
  const [first = '', second = ''] = chatChunks({ pieces: ['Begun'] }).map((chunk) => sseText(JSON.stringify(chunk)));
  gateway.upstream.reset();
  gateway.upstream.next(sseScript([first, second, gate.opened]));
  await ask(page, 'up-paid', 'Go on for ever');
  await answered(page, 'Begun');
  await page.click('#send');
  await told(page, 'Stopped.');
  expect(await page.textContent(ANSWER)).toBe('Begun');
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
  expect(await page.getAttribute(`${SERVED} a`, 'href')).toBe('/account/redeem');
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
  expect((await page.textContent('#price'))?.trim()).toBe(play.demo);
  await page.selectOption('#model', 'up-paid');
  expect(await page.textContent('#price')).toBe(play.prices('NT$10', 'NT$40.123'));
});

test('nothing of it is stored: neither prompt nor answer is in any file', async () => {
  const { page } = await openPlayground();
  gateway.upstream.next(chatStream({ pieces: ['ANSWER-', 'MARK-93bd'] }));
  await ask(page, 'up-paid', 'Remember PROMPT-MARK-51fa');
  await told(page, 'NT$');
  expect(await page.textContent(ANSWER)).toBe('ANSWER-MARK-93bd');
  const files = readdirSync(gateway.dataDir).map((name) => readFileSync(join(gateway.dataDir, name), 'latin1'));
  expect(files.join('')).toContain('up-paid');
  expect(files.join('') + gateway.log.text()).not.toMatch(/PROMPT-MARK|MARK-93bd/);
  const kept = 'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])';
  expect(await page.evaluate(kept)).toBe('[[],[]]');
  await page.reload();
  expect(await page.content()).not.toMatch(/PROMPT-MARK|MARK-93bd/);
});

test('a chat: each turn goes with those before it, with the system prompt and the settings; a new one begins empty', async () => {
  const { page } = await openPlayground();
  gateway.upstream.reset();
  gateway.upstream.next(
    chatStream({ pieces: ['One'] }),
    chatStream({ pieces: ['Two'] }),
    chatStream({ pieces: ['New'] }),
  );
  await page.click('.play-settings summary');
  await page.fill('#system', 'Be brief.');
  await page.fill('#temperature', '0.3');
  await page.fill('#max_tokens', '50');
  await page.selectOption('#model', 'up-paid');
  await page.fill('#prompt', 'First');
  await page.press('#prompt', 'Control+Enter');
  await answered(page, 'One');
  await told(page, 'NT$');
  await ask(page, 'up-paid', 'Second');
  await answered(page, 'Two');
  await told(page, 'NT$');
  const bodyOf = async (index: number) => JSON.parse((await gateway.upstream.request(index)).body);
  const before = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'First' },
  ];
  expect(await bodyOf(0)).toMatchObject({ messages: before, temperature: 0.3, max_tokens: 50 });
  const next = [...before, { role: 'assistant', content: 'One' }, { role: 'user', content: 'Second' }];
  expect((await bodyOf(1)).messages).toEqual(next);
  expect(await page.locator('.turn').count()).toBe(4);
  await page.click('#restart');
  expect(await page.locator('.turn').count()).toBe(0);
  await ask(page, 'up-paid', 'Third');
  await answered(page, 'New');
  expect((await bodyOf(2)).messages).toEqual([before[0], { role: 'user', content: 'Third' }]);
});

test('Markdown of an answer becomes elements, and nothing in it runs or leads astray', async () => {
  const { page } = await openPlayground();
  const answer = [
    '## Plan\n\n1. **Bold** and *soft*\n2. `code`\n   - inner\n\n> quoted\n\n',
    '| a | b |\n|---|---|\n| 1 | <b>2</b> |\n\n```js\nlet x = "<i>";\n```\n\n',
    '<img src=x onerror="window.hit = 1"> [bad](javascript:window.hit=1) [good](https://example.com/a_b)',
    ' https://example.org/x.',
  ];
  gateway.upstream.next(chatStream({ pieces: answer }));
  await ask(page, 'up-paid', 'Hi');
  await told(page, 'NT$');
  const text = page.locator(ANSWER);
  expect(await text.locator('h3').textContent()).toBe('Plan');
  expect(await text.locator('ol > li').count()).toBe(2);
  expect(await text.locator('ol ul li').textContent()).toBe('inner');
  expect(await text.locator('strong').textContent()).toBe('Bold');
  expect(await text.locator('blockquote').textContent()).toBe('quoted');
  expect(await text.locator('td').allTextContents()).toEqual(['1', '<b>2</b>']);
  expect(await text.locator('pre').textContent()).toBe('let x = "<i>";');
  expect(await text.locator('img, script, b, i').count()).toBe(0);
  expect(await text.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    'https://example.com/a_b',
    'https://example.org/x',
  ]);
  expect(await text.textContent()).toContain('[bad](javascript:window.hit=1)');
  expect(await page.evaluate('window.hit')).toBeUndefined();
  expect(await visitor.axe()).toEqual([]);
});

test('an answer that is nested without end is shown to its last word, in elements of a few levels', async () => {
  const { page } = await openPlayground();
  const list = Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}${depth % 2 ? '-' : '1.'} item${depth}`);
  const parts = [`${'>'.repeat(30_000)} quoted`, list.join('\n'), `${'`a` '.repeat(15_000)}**end**`];
  await page.evaluate(`document.querySelector('#turns').append(
    ...playParts.markdownNodes(${JSON.stringify(parts.join('\n\n'))}, { label: 'Copy', done: 'Copied' }))`);
  const text = page.locator('#turns');
  expect(await text.textContent()).toContain('> quoted');
  expect(await text.locator('li').count()).toBe(300);
  expect(await text.locator('li').last().textContent()).toBe('item299');
  expect([await text.locator('code').count(), await text.locator('strong').textContent()]).toEqual([15_000, 'end']);
  const deepest = (name: string) => text.locator(Array(13).fill(name).join(' ')).count();
  expect([await deepest('blockquote'), await deepest(':is(ol, ul)')]).toEqual([0, 0]);
});

test('what a model thinks is folded above its answer, is not copied, and does not go with the next turn', async () => {
  const { page } = await openPlayground('en');
  const { context } = visitor;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { play } = wordsOf('en').account;
  const gate = createGate();
  const thinking = ['First <b>this</b>, ', 'then that.'];
  const chunks = chatChunks({ reasoning: thinking, pieces: ['So it is'] }).map((chunk) =>
    sseText(JSON.stringify(chunk)),
  );
  gateway.upstream.next(sseScript([...chunks.slice(0, 3), gate.opened, ...chunks.slice(3), sseText('[DONE]')]));
  await ask(page, 'up-paid', 'Think');
  await told(page, play.thinking);
  const thought = page.locator(`${LAST} details.thought`);
  expect(await thought.locator('div').isVisible()).toBe(false);
  gate.open();
  await told(page, 'NT$');
  await thought.locator('summary').click();
  expect(await thought.locator('summary').textContent()).toBe(play.reasoning);
  expect(await thought.locator('div').innerText()).toBe(thinking.join(''));
  expect(await page.textContent(ANSWER)).toBe('So it is');
  await page.click(`${LAST} .turn-actions button`);
  await page.waitForSelector(`${LAST} .turn-actions button:text-is("${wordsOf('en').frame.copied}")`);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('So it is');
  gateway.upstream.reset();
  gateway.upstream.next(chatStream());
  await ask(page, 'up-paid', 'And?');
  await told(page, 'NT$');
  const sent: { content: string }[] = gateway.upstream.requests[0]?.json.messages;
  expect(sent.map(({ content }) => content)).toEqual(['Think', 'So it is', 'And?']);
  expect(await page.locator(`${LAST} details`).count()).toBe(0);
  expect(await visitor.axe()).toEqual([]);
});

test('what failed can be asked again, or of a model that works now', async () => {
  const { page } = await openPlayground('en');
  gateway.upstream.next(errorScript(500, { message: 'broken' }));
  await ask(page, 'refuses-en', 'Hi');
  await told(page, faultText('en', fault('upstream_failed')));
  const { play } = wordsOf('en').account;
  await page.click(`text=${play.askInstead('auto:free')}`);
  await told(page, 'NT$');
  expect(await page.inputValue('#model')).toBe('auto:free');
  expect(await page.textContent(`${LAST} .turn-who`)).toBe('auto:free');
  expect(await page.textContent('#price')).toBe(play.demo);
  await ask(page, 'dear', 'Hi');
  await told(page, wordsOf('en').faults.insufficient_balance);
  const offered = page.locator(`${LAST} .turn-actions button`);
  await offered.nth(1).waitFor();
  const free = ['auto:free', 'up-free', ...FAILING].map((id) => play.askInstead(id));
  for (const text of (await offered.allTextContents()).slice(1)) expect(free).toContain(text);
});
