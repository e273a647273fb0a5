// Parts whose size cannot be read from the request, in every format: the model's context is held for them, so that whatever
// the upstream reports is paid.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { OPEN_FILES, png, wave } from '../support/media-samples.ts';
import { upModel } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { WIRE_CLIENTS, wireClient } from '../support/wire-clients.ts';

const CONTEXT = 60_000;
const WHOLE = BigInt(CONTEXT) * 10_000n;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;

const ENDPOINTS: Record<string, { endpoints: string[] }> = { chat: { endpoints: ['chat'] } };

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        ...WIRE_CLIENTS.map(({ name, channel }) => channel(name, upstream.baseUrl, ENDPOINTS[name])),
      ],
      models: [
        ...standard.models,
        ...WIRE_CLIENTS.map(({ name }) =>
          upModel(name, {
            context_tokens: CONTEXT,
            price: { input: 10, output: 40 },
            routes: [{ channel: name, model: 'scripted-2026-01' }],
          }),
        ),
      ],
    }),
  });
});
beforeEach(async () => {
  upstream.reset();
  account = await gateway.register();
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

const base64 = (name: string) => (OPEN_FILES[name] ?? Buffer.alloc(0)).toString('base64');
const asPng = (name: string) => `data:image/png;base64,${base64(name)}`;
const source = (name: string, media_type: string) => ({ type: 'base64', media_type, data: base64(name) });
const fetched = (document: object) => ({
  type: 'web_fetch_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: { type: 'web_fetch_result', url: 'https://x.test', content: document },
});

const OPEN: [string, object][] = [
  ['chat', { type: 'image_url', image_url: { url: asPng('a PDF') } }],
  ['chat', { type: 'image_url', image_url: { url: asPng('an MP4') } }],
  ['chat', { type: 'file', file: { filename: 'a.docx', file_data: `data:;base64,${base64('a DOCX')}` } }],
  ['chat', { type: 'input_audio', input_audio: { data: base64('an Ogg'), format: 'wav' } }],
  ['responses', { type: 'input_image', image_url: asPng('a PDF') }],
  ['responses', { type: 'input_image', image_url: asPng('a WebM') }],
  ['responses', { type: 'input_file', filename: 'a.xlsx', file_data: base64('a DOCX') }],
  ['responses', { type: 'input_file', file_url: 'https://x.test/a.pdf' }],
  ['responses', { type: 'input_file', file_id: 'file-1' }],
  ['responses', { type: 'input_audio', input_audio: { data: base64('an MP3'), format: 'mp3' } }],
  ['messages', { type: 'image', source: source('a PDF', 'image/png') }],
  ['messages', { type: 'document', source: source('a DOCX', 'text/plain') }],
  ['messages', { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } }],
  ['messages', { type: 'document', source: { type: 'file', file_id: 'file_1' } }],
  [
    'messages',
    {
      type: 'document',
      source: { type: 'content', content: [{ type: 'image', source: source('an MP4', 'image/png') }] },
    },
  ],
  [
    'messages',
    {
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'image', source: source('a PDF', 'image/jpeg') }],
    },
  ],
  ['messages', fetched({ type: 'document', source: source('a PDF', 'application/pdf') })],
];

const saying = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });

async function ask(name: string, fields: object): Promise<Response> {
  const { path, body } = wireClient(name).call({ model: name, max_tokens: 20, ...fields });
  return gateway.call(path, { key: account.key, body });
}

function heldBy(response: Response): bigint {
  const [row] = gateway.sql<{ held_nano: bigint }>(
    'SELECT held_nano FROM usage_records WHERE request_id = ?',
    response.headers.get('x-request-id') ?? '',
  );
  return (row?.held_nano ?? 0n) - 20n * 40_000n;
}

test.each(OPEN)('is held at the context, and paid as it is reported: %s %j', async (name, part) => {
  upstream.otherwise(wireClient(name).whole({ tokens: { input: CONTEXT - 1, output: 5 } }));
  const response = await ask(name, saying(part));
  expect(response.status).toBe(200);
  expect(response.headers.get('x-svc-cost-ntd')).toBe('0.60019');
  expect(heldBy(response)).toBe(WHOLE);
  expect(gateway.log.alarms('usage_above_hold')).toEqual([]);
});

test.each([
  ['responses', { type: 'input_file', file_url: 'https://x.test/a.pdf' }],
  ['chat', { type: 'image_url', image_url: { url: asPng('an MP4') } }],
  ['messages', { type: 'document', source: source('a PDF', 'application/pdf') }],
])('is charged at the context where the upstream reports nothing: %s %j', async (name, part) => {
  upstream.otherwise(wireClient(name).whole({ tokens: null }));
  const response = await ask(name, saying(part));
  expect(response.status).toBe(200);
  const receipt = await gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
  expect(receipt).toMatchObject({ input_tokens: CONTEXT, estimated: true });
});

describe('in an item that a tool of a Responses client has put out', () => {
  test('is open as well', async () => {
    upstream.otherwise(wireClient('responses').whole());
    const output = [{ type: 'input_image', image_url: asPng('an MP4') }];
    const response = await ask('responses', {
      messages: [
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output },
      ],
    });
    expect(response.status).toBe(200);
    expect(heldBy(response)).toBe(WHOLE);
  });
});

test('is no reason to call a prompt too long, however long its base64', async () => {
  upstream.otherwise(wireClient('chat').whole());
  const file_data = `data:application/pdf;base64,${base64('a PDF')}${'AbC9'.repeat(200_000)}`;
  const response = await ask('chat', saying({ type: 'file', file: { filename: 'a.pdf', file_data } }));
  expect(response.status).toBe(200);
  expect(heldBy(response)).toBe(WHOLE);
});

test('is counted for a client that asks before: by its bytes, not at the context', async () => {
  const body = { model: 'messages', ...saying({ type: 'document', source: source('a PDF', 'application/pdf') }) };
  const response = await gateway.call('/v1/messages/count_tokens', { key: account.key, body });
  const { input_tokens }: Answer = await response.json();
  expect(input_tokens).toBeWithin(5, 200);
});

test.each([
  ['an image', { type: 'image_url', image_url: { url: `data:;base64,${png(800, 600).toString('base64')}` } }, 5_000n],
  ['speech', { type: 'input_audio', input_audio: { data: wave(10).toString('base64'), format: 'wav' } }, 2_001n],
  ['text', { type: 'file', file: { file_data: Buffer.from('a b '.repeat(500)).toString('base64') } }, 2_000n],
])('holds less for %s, whose bytes bound its tokens', async (_, part, most) => {
  upstream.otherwise(wireClient('chat').whole());
  const response = await ask('chat', saying(part));
  expect(response.status).toBe(200);
  expect(heldBy(response)).toBeGreaterThanOrEqual(most * 10_000n);
  expect(heldBy(response)).toBeLessThan((most * 2n + 200n) * 10_000n);
});
