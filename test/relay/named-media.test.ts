// A picture or a document that the client only names, for an upstream that takes none but what is in the request.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { publicMedia } from '../../src/channels/fetch-media.ts';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { geminiAnswer } from '../support/gemini.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { whilePassing } from '../support/pass-time.ts';
import { upstreamUrl } from '../support/test-document.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const MEGABYTE = 1024 * 1024;
const LARGE_PNG = Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(10 * MEGABYTE)]);
const HUGE_PNG = Buffer.concat([LARGE_PNG, Buffer.alloc(4 * MEGABYTE)]);

/** With a channel of the kind that fetches nothing itself. */
function withGoogle(channel: Record<string, unknown> = {}): NonNullable<TestGatewayOptions['document']> {
  return (standard) => ({
    ...standard,
    channels: [
      ...standard.channels,
      {
        name: 'google',
        kind: 'gemini',
        base_url: `${new URL(upstreamUrl(standard)).origin}/v1beta`,
        ...channel,
      },
      { name: 'files', kind: 'openai', base_url: upstreamUrl(standard), endpoints: ['chat'], quirks: 'openai' },
      { name: 'no-files', kind: 'openai', base_url: upstreamUrl(standard), endpoints: ['chat'] },
    ],
    models: [
      ...standard.models,
      ...['files', 'no-files'].map((name) => ({
        id: name,
        context_tokens: 20_000,
        price: { input: 10, output: 40 },
        routes: [{ channel: name, model: 'gpt-4.1' }],
      })),
      {
        id: 'gem',
        // What is fetched may fill the context, and a trial must pay for that.
        context_tokens: 20_000,
        price: { input: 10, output: 40 },
        routes: [{ channel: 'google', model: 'gemini-2.5-flash' }],
      },
    ],
  });
}

let server: Server;
let fetches = 0;
let base: string;
let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  const altNames = [{ type: 2 as const, value: 'media.test' }];
  const pair = await generate([{ name: 'commonName', value: 'media.test' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  server = createServer({ cert: pair.cert, key: pair.private }, ({ url }, response) => {
    fetches++;
    if (url === '/cat.png') response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(PNG, 'base64'));
    else if (url === '/huge.png') response.writeHead(200, { 'content-type': 'image/png' }).end(HUGE_PNG);
    else if (url?.startsWith('/large')) response.writeHead(200, { 'content-type': 'image/png' }).end(LARGE_PNG);
    else if (url === '/a.pdf') response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4');
    else if (url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>A cat</p>');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `https://media.test:${(server.address() as AddressInfo).port}`;
  gateway = await startTestGateway({
    media: { ...publicMedia, resolve: async () => ['127.0.0.1'], isAllowed: () => true, authorities: pair.cert },
    document: (standard) => ({
      ...withGoogle()(standard),
      guards: { ...standard.guards, body_megabytes_in_flight: 25 },
    }),
  });
  account = await gateway.register();
});
afterAll(async () => {
  await gateway.stop();
  server.closeAllConnections();
  server.close();
});

const question = (url: string) => ({
  model: 'gem',
  max_tokens: 50,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url } },
      ],
    },
  ],
});
/** A document and a picture by their addresses, in the two formats that can name a document. */
const readings = (model: string) => [
  {
    path: '/v1/messages',
    place: 'messages[0].content[0]',
    body: {
      model,
      max_tokens: 50,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'url', url: `${base}/a.pdf` }, title: 'a.pdf' },
            { type: 'image', source: { type: 'url', url: `${base}/cat.png` } },
            { type: 'text', text: 'Read it.' },
          ],
        },
      ],
    },
  },
  {
    path: '/v1/responses',
    place: 'input[0].content[0]',
    body: {
      model,
      max_output_tokens: 50,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_file', file_url: `${base}/a.pdf`, filename: 'a.pdf' },
            { type: 'input_image', image_url: `${base}/cat.png` },
            { type: 'input_text', text: 'Read it.' },
          ],
        },
      ],
    },
  },
];
const ask = (url: string) => gateway.chat(account.key, question(url));

test('is fetched and sent along', async () => {
  gateway.upstream.next(geminiAnswer());
  const response = await ask(`${base}/cat.png`);
  expect(response.status).toBe(200);
  const sent = JSON.parse(gateway.upstream.requests.at(-1)?.body ?? '');
  expect(sent.contents[0].parts[1]).toEqual({ inlineData: { mimeType: 'image/png', data: PNG } });
});

test('a document is fetched for a chat upstream that takes files; a picture goes by its address', async () => {
  for (const { path, body } of readings('files')) {
    gateway.upstream.next(chatAnswer());
    const response = await gateway.call(path, { key: account.key, body });
    expect(response.status, await response.text()).toBe(200);
    const { messages } = JSON.parse(gateway.upstream.requests.at(-1)?.body ?? '');
    const data = `data:application/pdf;base64,${Buffer.from('%PDF-1.4').toString('base64')}`;
    expect(messages[0].content).toEqual([
      { type: 'file', file: { filename: 'a.pdf', file_data: data } },
      { type: 'image_url', image_url: { url: `${base}/cat.png` } },
      { type: 'text', text: 'Read it.' },
    ]);
  }
});

test('a document that cannot be fetched for it is refused by its place', async () => {
  const asked = gateway.upstream.requests.length;
  for (const { path, place, body } of readings('files')) {
    const missing = JSON.parse(JSON.stringify(body).replace('/a.pdf', '/none.pdf'));
    const response = await gateway.call(path, { key: account.key, body: missing });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error.param).toBe(place);
  }
  expect(gateway.upstream.requests).toHaveLength(asked);
});

test('a chat upstream that takes no files is sent none, and nothing is fetched for it', async () => {
  const [asked, fetched] = [gateway.upstream.requests.length, fetches];
  for (const { path, place, body } of readings('no-files')) {
    const response = await gateway.call(path, { key: account.key, body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error.param).toBe(place);
  }
  expect(gateway.upstream.requests).toHaveLength(asked);
  expect(fetches).toBe(fetched);
});

test('is fetched inside the result of a tool, too, also if it is a document', async () => {
  gateway.upstream.next(geminiAnswer());
  const body = {
    model: 'gem',
    max_tokens: 50,
    messages: [
      { role: 'user', content: 'Read it.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'document', source: { type: 'url', url: `${base}/a.pdf` } }],
          },
        ],
      },
    ],
    tools: [{ name: 'read', input_schema: { type: 'object' } }],
  };
  const response = await gateway.call('/v1/messages', { key: account.key, body });
  expect(response.status).toBe(200);
  const pdf = Buffer.from('%PDF-1.4').toString('base64');
  expect(gateway.upstream.requests.at(-1)?.body).toContain(JSON.stringify({ mimeType: 'application/pdf', data: pdf }));
});

test('that cannot be had is a 400 that names the part; nothing is asked and nothing is charged', async () => {
  const asked = gateway.upstream.requests.length;
  const { balance_nano: before } = await gateway.get('/api/me', account.key);
  const response = await ask(`${base}/dog.png`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param: 'messages[0].content[1]' } });
  expect(gateway.upstream.requests).toHaveLength(asked);
  expect(await gateway.get('/api/me', account.key)).toMatchObject({ balance_nano: before, held_nano: '0' });
});

test('that turns out to be none is a 400 as well, and no fault of the channel', async () => {
  const asked = gateway.upstream.requests.length;
  for (let time = 0; time < 6; time++) {
    const response = await ask(`${base}/page`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_request', param: 'messages[0].content[1]' },
    });
  }
  expect(gateway.upstream.requests).toHaveLength(asked);
  gateway.upstream.next(geminiAnswer());
  expect((await ask(`${base}/cat.png`)).status).toBe(200);
});

test.each(['first_token_ms', 'total_ms'])('whose host is silent says nothing of the channel: %s', async (limit) => {
  const clock = createManualClock();
  const patient = await startTestGateway({
    clock,
    media: { ...publicMedia, resolve: () => new Promise(() => {}), timeoutMs: 1_000 },
    document: withGoogle({ timeouts: { [limit]: 300 } }),
  });
  const { key } = await patient.register();
  for (let time = 0; time < 6; time++) {
    const asking = patient.chat(key, { ...question('https://silent.test/cat.png'), stream: true });
    const response = await whilePassing(clock, asking);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
  }
  patient.upstream.next(geminiAnswer());
  expect((await patient.chat(key, { model: 'gem', max_tokens: 50 })).status).toBe(200);
  await patient.stop();
});

test('what is fetched for a second attempt takes no more memory', async () => {
  gateway.upstream.next({ status: 500 }, geminiAnswer());
  expect((await ask(`${base}/huge.png`)).status).toBe(200);
});

test('what is fetched takes memory of bodies until its call ends', async () => {
  const gate = createGate();
  const held = { ...geminiAnswer(), body: [gate.opened, ...(geminiAnswer().body ?? [])] };
  gateway.upstream.next(held, held);
  const asked = gateway.upstream.requests.length;
  const running = [0, 1].map((index) => ask(`${base}/large-${index}.png`));
  await gateway.upstream.request(asked + 1);
  const refused = await ask(`${base}/large-2.png`);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(await refused.json()).toMatchObject({ error: { code: 'unavailable' } });
  expect(gateway.upstream.requests).toHaveLength(asked + 2);
  gate.open();
  for (const call of running) expect((await call).status).toBe(200);
  await eventually('their room', async () => {
    gateway.upstream.next(geminiAnswer());
    return (await ask(`${base}/large-3.png`)).status === 200;
  });
});
