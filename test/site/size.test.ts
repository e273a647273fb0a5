// Pages are light: script and style together stay far below what was promised, and no page waits for a script.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createSiteClient, signedIn } from './site-client.ts';

const MAX_BYTES = 60_000;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test.each(['/', '/pricing', '/docs/errors', '/status', '/account/play'])('%s', async (path) => {
  const { key } = await gateway.register();
  const html = await (await (await signedIn(gateway, key)).get(path)).text();
  const [head = ''] = html.split('</head>');
  // In the head only what does not hold up the page; nothing is loaded from elsewhere, and no font at all.
  const scripts = path === '/account/play' ? ['play', 'site'] : ['site'];
  expect(head.match(/<script[^>]*>/g)?.toSorted()).toEqual(
    scripts.map((name) => expect.stringMatching(new RegExp(` src="/assets/${name}-[^"]+" defer=""`))),
  );
  expect(html.match(/<script/g)).toHaveLength(scripts.length);
  expect(html.match(/(?:src|href)="(?:https?:)?\/\/[^"]*\.(?:js|css|woff2?)"/g)).toBeNull();
  const files = [...head.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file);
  expect(files).toHaveLength(scripts.length + 1);
  const sizes = await Promise.all(files.map((file) => transferred(file)));
  const sum = sizes.reduce((total, size) => total + size, 0);
  console.log(
    `${path}: ${sum} bytes of script and style, ${Bun.gzipSync(Buffer.from(html)).length} of page, compressed`,
  );
  expect(sum).toBeLessThan(MAX_BYTES);
});

/** Bytes on the wire. */
async function transferred(file: string): Promise<number> {
  const response = await fetch(gateway.url + file, { headers: { 'accept-encoding': 'gzip' }, decompress: false });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  return (await response.arrayBuffer()).byteLength;
}

test('who cannot unpack gets them as they are', async () => {
  const html = await (await createSiteClient(gateway).get('/')).text();
  const [file = ''] = /\/assets\/site-\w+\.css/.exec(html) ?? [];
  const response = await fetch(gateway.url + file, { headers: { 'accept-encoding': 'identity' } });
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(await response.text()).toContain(':root');
});
