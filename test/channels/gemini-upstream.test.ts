// What a Gemini upstream is sent, and how a list that should have been events becomes events.

import { describe, expect, test } from 'bun:test';
import { asEventStream } from '../../src/channels/gemini-event-stream.ts';
import { createGeminiUpstream } from '../../src/channels/http-upstreams.ts';
import { SseReader } from '../../src/dialects/stream/sse.ts';
import { geminiChunks, geminiList } from '../support/gemini.ts';
import { bytesOf, isBytes } from '../support/script.ts';

const KEY = 'fake-google-key';

async function sent({ model = 'gemini-2.5-flash', stream = false, headers = {} }) {
  const calls: { url: string; init: RequestInit }[] = [];
  const upstream = createGeminiUpstream(
    { baseUrl: 'https://up.example/v1beta', apiKey: KEY, gatewayId: 'gw1' },
    async (url, init) => {
      calls.push({ url, init });
      return new Response('{}', { headers: { 'content-type': 'application/json' } });
    },
  );
  const { signal } = new AbortController();
  await upstream.send({ endpoint: 'gemini', model, body: '{"a":1}', stream, headers, signal });
  const [call] = calls;
  if (!call) throw new Error('nothing was sent');
  return { ...call, headers: new Headers(call.init.headers), hidden: upstream.hidden };
}

test('the address says which model, and whether the answer is streamed', async () => {
  const root = 'https://up.example/v1beta/models/gemini-2.5-flash';
  expect((await sent({})).url).toBe(`${root}:generateContent`);
  expect((await sent({ stream: true })).url).toBe(`${root}:streamGenerateContent?alt=sse`);
});

test.each([
  ['models/gemini-2.5-pro', '/v1beta/models/gemini-2.5-pro:generateContent'],
  ['tunedModels/mine', '/v1beta/tunedModels/mine:generateContent'],
  ['../../v1/files?key=a#b', '/v1beta/models/..%2F..%2Fv1%2Ffiles%3Fkey%3Da%23b:generateContent'],
  ['..', '/v1beta/models/..:generateContent'],
])('the model %s cannot leave its place', async (model, path) => {
  const { pathname, search, hash } = new URL((await sent({ model })).url);
  expect(pathname + search + hash).toBe(path);
});

test('headers are ours, and the key is hidden', async () => {
  const { headers, init, hidden } = await sent({ headers: { cookie: 'x', 'x-svc-loop': 'gw0' } });
  expect(headers.get('x-goog-api-key')).toBe(KEY);
  expect(headers.get('authorization')).toBeNull();
  expect(headers.get('cookie')).toBeNull();
  expect(headers.get('x-svc-loop')).toBe('gw0,gw1');
  expect(headers.get('accept-encoding')).toBe('identity');
  expect(init).toMatchObject({ method: 'POST', body: '{"a":1}', redirect: 'manual' });
  expect(hidden).toEqual(['up.example', 'up.example', KEY]);
});

describe('a list', () => {
  const calls = [{ name: 'look', args: '{"a": "]}\\"\\\\",\n"b":[{}]}' }];
  const options = { pieces: ['Grüß', ' dich 🎉'], calls };
  const list = Buffer.concat((geminiList(options).body ?? []).filter(isBytes).map(bytesOf));

  async function events(bytes: Uint8Array, size: number, type = 'application/json'): Promise<unknown[]> {
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
        controller.close();
      },
    });
    const response = asEventStream(new Response(body, { headers: { 'content-type': type } }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const sse = new SseReader();
    const read = [];
    for await (const piece of response.body ?? []) read.push(...sse.push(piece));
    return read.map(({ data = '' }) => JSON.parse(data));
  }

  test.each([1, 3, 7, 100_000])('in chunks of %d bytes is the same events', async (size) => {
    expect(await events(list, size)).toEqual(geminiChunks(options).map((chunk) => JSON.parse(chunk)));
  });

  test('an error alone is an event, in a list or not', async () => {
    const error = '{\n  "error": {"code": 500}\n}';
    expect(await events(bytesOf(error), 5)).toEqual([{ error: { code: 500 } }]);
    expect(await events(bytesOf(`[${error}\n]`), 5)).toEqual([{ error: { code: 500 } }]);
  });

  test('events and refusals stay as they are', () => {
    const stream = new Response('data: {}\n\n', { headers: { 'content-type': 'text/event-stream' } });
    expect(asEventStream(stream)).toBe(stream);
    const refusal = new Response('{}', { status: 400, headers: { 'content-type': 'application/json' } });
    expect(asEventStream(refusal)).toBe(refusal);
  });
});
