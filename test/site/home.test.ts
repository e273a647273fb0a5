// The example of the front page and what NT$100 buys: figures of this server's own catalog.

import { afterEach, expect, test } from 'bun:test';
import { money } from '../../src/site/format.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';
import { createSiteClient } from './site-client.ts';

let gateway: TestGateway;
afterEach(() => gateway.stop());

const pageOf = async (path: string, language = 'en') => (await createSiteClient(gateway, language).get(path)).text();

test('a model with two channels shows which one takes over, what is held and what is charged', async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [...standard.channels, openaiChannel('spare', upstreamUrl(standard))],
      models: [
        ...standard.models,
        upModel('twice', {
          price: { input: 10, cache_write_1h: 20, output: 40 },
          routes: [
            { channel: 'spare', model: 'scripted-2026-01', priority: 2 },
            { channel: 'up', model: 'scripted-2026-01', priority: 1 },
          ],
        }),
      ],
    }),
  });
  const html = await pageOf('/');
  const [, picture = ''] = /<figure class="how"[^>]*>(.*?)<\/figure>/s.exec(html) ?? [];
  const names = [...picture.matchAll(/<span class="id">([^<]+)</g)].map(([, name]) => name);
  expect(names.slice(0, 2)).toEqual(['up', 'spare']);
  for (const said of ['<code>twice</code>', 'up fails', 'spare answers', 'x-svc-channel: spare']) {
    expect(html).toContain(said);
  }
  // The hold takes a token per byte, each at the highest price of input.
  const [held, cost] = [(4_800n * 20n + 1_000n * 40n) * 1_000n, (1_200n * 10n + 340n * 40n) * 1_000n];
  expect(html).toContain(`>${money(held)}<`);
  expect(html).toContain(`>${money(cost)}<`);
  expect(html).toContain('x-svc-cost-ntd: 0.0256');
  expect(await pageOf('/', 'zh-TW')).toContain('spare 開始回答');
});

test('without a second channel nothing is said to take over', async () => {
  gateway = await startTestGateway();
  const html = await pageOf('/');
  expect(html).toContain('<code>up-paid</code>');
  expect(html).toContain('x-svc-channel: up');
  expect(html).not.toContain('is-failed');
});

test('what NT$100 buys can be read at a glance', async () => {
  gateway = await startTestGateway();
  expect(await pageOf('/pricing')).toContain('>1.5M output tokens<');
  expect(await pageOf('/pricing', 'zh-TW')).toContain('>153.8 萬個輸出 Token<');
});
