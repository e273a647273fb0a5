// The page of a model: its facts, its prices and tiers, its channels from real traffic, and how to call it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wordsOf } from '../../src/site/language.ts';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { PICTURE, pictureAnswer } from '../support/media-answers.ts';
import { chatStream, jsonScript } from '../support/openai-chat.ts';
import { wavOf } from '../support/recordings.ts';
import { openaiChannel, type TestDocument, upModel, upstreamUrl } from '../support/test-document.ts';
import { createSiteClient, signedIn } from './site-client.ts';

const DESCRIPTION = { en: 'Reads <long> documents.', 'zh-TW': '適合長文件。' };

function documentOf(standard: TestDocument): TestDocument {
  const tiered = {
    input: 10,
    cached_input: 1,
    output: 40,
    tiers: [{ above_input_tokens: 50_000, input: 20, cached_input: 2, output: 60 }],
    service_tiers: { flex: 0.5 },
    tools: { web_search: 0.3 },
  };
  const only = (endpoint: string) =>
    openaiChannel(endpoint.replace('_', '-'), upstreamUrl(standard), { endpoints: [endpoint] });
  return {
    ...standard,
    channels: [...standard.channels, ...['image_edits', 'image_variations', 'audio_translation'].map(only)],
    models: [
      ...standard.models,
      ...['edits', 'variations'].map((name) =>
        upModel(name, { kinds: ['images'], price: { image: 1 }, routes: [{ channel: `image-${name}`, model: 'm' }] }),
      ),
      upModel('translator', {
        kinds: ['transcription'],
        price: { second: 0.01 },
        routes: [{ channel: 'audio-translation', model: 'm' }],
      }),
      upModel('tiered', {
        name: 'Tiered One',
        aliases: ['tiered-latest'],
        description: DESCRIPTION,
        features: ['vision', 'tools', 'vision'],
        price: tiered,
        fallbacks: ['up-paid'],
      }),
      upModel('only-en', { description: { en: 'English only.' }, price: 'free' }),
      upModel('leaving', { price: { input: 1, output: 2 }, retires_at: '2099-01-01', replaced_by: 'tiered' }),
      upModel('gone', { price: { input: 1, output: 2 }, retires_at: '2020-01-01', replaced_by: 'tiered' }),
      upModel('vectors', { kinds: ['embeddings'], price: { input: 3 } }),
    ],
  };
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ document: documentOf });
});
afterAll(() => gateway.stop());

const pageOf = async (path: string, language = 'en') => {
  const response = await createSiteClient(gateway, language).get(path);
  return { status: response.status, headers: response.headers, html: await response.text() };
};

/** The text of each cell, by row. */
function rowsOf(html: string, label: string): string[][] {
  const [, table = ''] = new RegExp(`aria-label="${label}">([\\s\\S]*?)</table>`).exec(html) ?? [];
  return [...table.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) => cell.replace(/<[^>]+>/g, '').trim()),
  );
}

describe.each(['en', 'zh-TW'] as const)('in %s', (language) => {
  const { models, pricing, status } = wordsOf(language);

  test('shows what the document says of the model', async () => {
    const { html } = await pageOf('/models/tiered', language);
    expect(html).toContain('<h1>Tiered One</h1>');
    expect(html).toContain(Bun.escapeHTML(DESCRIPTION[language]));
    expect(html).toContain(models.also('tiered-latest'));
    expect(html).toContain(`<li>${models.feature.tools}</li><li>${models.feature.vision}</li></ul>`);
    expect((await pageOf('/models/up-paid', language)).html).not.toContain('class="features"');
    expect(rowsOf(html, models.prices).map((row) => row.slice(1))).toEqual([
      [models.now, pricing.aboveInput('50,000')],
      ['10', '20'],
      ['1', '2'],
      ['40', '60'],
    ]);
    expect(html).toContain(pricing.serviceTiers('flex × 0.5'));
    expect(html).toContain(pricing.toolFee('web_search', 'NT$0.3'));
    expect(html).toContain(models.fallbackTo('up-paid'));
    for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages']) expect(html).toContain(path);
    expect(html).toContain('href="/account/sign-in?next=%2Faccount%2Fplay%3Fmodel%3Dtiered"');
  });

  test('says from which channels it is served, and how they did', async () => {
    const { key } = await gateway.register();
    gateway.upstream.next(chatStream());
    await (await gateway.chat(key, { model: 'up-paid', stream: true })).text();
    const fresh = await pageOf('/models/vectors', language);
    expect(fresh.html).toContain(models.noTraffic);
    expect(rowsOf(fresh.html, models.speed)[1]?.slice(0, 4)).toEqual(['up', status.unknown, '–', '–']);
    expect(fresh.html).not.toContain('model%3Dvectors');
    expect(fresh.html).toContain('/v1/embeddings');
  });

  test('says when it retires and what replaces it; a retired one says so with 410', async () => {
    const { html } = await pageOf('/models/leaving', language);
    expect(html).toContain(pricing.retires('2099-01-01'));
    expect(html).toContain('href="/models/tiered"');
    const gone = await pageOf('/models/gone', language);
    expect(gone.status).toBe(410);
    expect(gone.html).toContain(models.goneTitle('gone'));
    expect(gone.html).toContain('href="/models/tiered"');
  });
});

test('a description in one language is shown in the other as what it is', async () => {
  const { html } = await pageOf('/models/only-en', 'zh-TW');
  expect(html).toContain('lang="en">English only.</p>');
});

test('an alias, and the list, lead on; a model that is not there is no page', async () => {
  const alias = await pageOf('/models/tiered-latest');
  expect([alias.status, alias.headers.get('location')]).toEqual([302, '/models/tiered']);
  const list = await pageOf('/models');
  expect([list.status, list.headers.get('location')]).toEqual([302, '/pricing']);
  expect((await pageOf('/models/nothing')).status).toBe(404);
  expect((await pageOf('/models/auto:free')).html).toContain('<code>auto:free</code>');
});

test('is found from the price list, the status page, the sitemap and llms.txt', async () => {
  for (const path of ['/pricing', '/status']) expect((await pageOf(path)).html).toContain('href="/models/auto:free"');
  expect((await pageOf('/sitemap.txt')).html).toContain(`${gateway.url}/models/tiered?lang=zh-TW`);
  expect((await pageOf('/llms.txt')).html).toContain(`(${gateway.url}/models/tiered)`);
});

test('the prices say what they are for', async () => {
  const { pricing } = wordsOf('en');
  const captionOf = async (path: string) => /<caption>(.*?)<\/caption>/.exec((await pageOf(path)).html)?.[1];
  expect(await captionOf('/models/tiered')).toBe(pricing.caption);
  expect(await captionOf('/models/edits')).toBe(pricing.captionOfUnits);
  expect(await captionOf('/pricing')).toBe(pricing.captionOfBoth);
  expect((await pageOf('/models/tiered')).html).toContain(pricing.buysTokens('2.5M'));
  expect((await pageOf('/pricing')).html).toContain(`<span class="under">${pricing.embeddings}</span>`);
});

test('is Markdown for who asks for no HTML', async () => {
  const response = await createSiteClient(gateway).get('/models/tiered', { accept: '*/*' });
  expect(response.headers.get('content-type')).toStartWith('text/markdown');
  const text = await response.text();
  expect(text).toContain('# Tiered One');
  expect(text).toContain('| Cached input | 1 |');
  expect(text).toContain('"model": "tiered"');
});

test('shows the last seven days by channel, with times as the bounds that they are', async () => {
  const own = await startTestGateway({ document: documentOf });
  try {
    const hour = Math.floor(Date.now() / 3_600_000);
    // Most were in the step that ends at 500 ms, but on the day before the week.
    const steps = [0, 0, 0, 0, 3];
    const sum = { channel: 'up', model: 'up-free', ok: 3, failed: 1, firstToken: steps, total: steps };
    const sums = [
      { ...sum, hour: hour - 100 },
      { ...sum, hour: hour - 200, failed: 50 },
    ];
    await own.gateway.store.commit('traffic', { sums });
    const { models } = wordsOf('en');
    const htmlOf = async (model: string) => (await createSiteClient(own).get(`/models/${model}`)).text();
    const html = await htmlOf('up-free');
    expect(rowsOf(html, models.speed)[1]?.slice(2, 5)).toEqual(['75.0 %', '≤\u00a0500 ms', '–']);
    expect(html).toContain(models.firstTokenChart);
    expect(rowsOf(html, models.firstTokenChart).filter(([, figure]) => figure === '≤\u00a0500 ms')).toHaveLength(1);
    expect(await htmlOf('tiered')).not.toContain(models.firstTokenChart);
  } finally {
    await own.stop();
  }
});

/** Runs the example of a model's page with a key, in a folder with the files that it names. */
async function runExample(model: string): Promise<Answer> {
  const { key } = await gateway.register();
  const { html } = await pageOf(`/models/${model}`);
  const [, code = ''] = /<summary>curl<\/summary>[\s\S]*?<code>([\s\S]*?)<\/code>/.exec(html) ?? [];
  const plain = code
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'");
  const folder = mkdtempSync(join(tmpdir(), 'example-'));
  writeFileSync(join(folder, 'photo.png'), Buffer.from(PICTURE, 'base64'));
  writeFileSync(join(folder, 'recording.mp3'), wavOf(2));
  const child = Bun.spawn(['sh', '-ec', plain.replace('YOUR_KEY', key)], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', no_proxy: '127.0.0.1' },
  });
  const answer: Answer = JSON.parse(await new Response(child.stdout).text());
  rmSync(folder, { recursive: true });
  return answer;
}

test('the example with a key is a call that works', async () => {
  expect((await runExample('auto:free')).choices[0].message.content).toBeString();
});

test.each([
  ['edits', '/v1/images/edits', pictureAnswer()],
  ['variations', '/v1/images/variations', pictureAnswer()],
  ['translator', '/v1/audio/translations', jsonScript(200, { text: 'Good morning' })],
] as const)('so is that of a model with no other path: %s', async (model, path, script) => {
  gateway.upstream.reset();
  gateway.upstream.next(script);
  expect((await runExample(model)).error).toBeUndefined();
  expect(gateway.upstream.requests.map((request) => request.path)).toEqual([path]);
});

test('the playground opens with the model of the link chosen, through signing in, too', async () => {
  const { key } = await gateway.register();
  const html = await (await (await signedIn(gateway, key)).get('/account/play?model=tiered')).text();
  expect(html).toMatch(/<option value="tiered"[^>]* selected/);
  const { headers } = await createSiteClient(gateway).post('/account/sign-in', {
    next: '/account/play?model=tiered',
    key,
  });
  expect(headers.get('location')).toBe('/account/play?model=tiered');
});

test('the catalog and /v1/models have the description and the features', async () => {
  const { key } = await gateway.register();
  const stated = { description: DESCRIPTION, features: ['tools', 'vision'] };
  expect(await gateway.get('/v1/models/tiered', key)).toMatchObject(stated);
  const { data } = await gateway.get('/api/public/catalog', key);
  const described = data.filter(({ description }: Answer) => description !== undefined);
  expect(described.map(({ id }: Answer) => id)).toEqual(['tiered', 'only-en']);
  expect(described[0]).toMatchObject(stated);
  expect(described[1]).not.toHaveProperty('features');
});
