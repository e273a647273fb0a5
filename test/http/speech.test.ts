// POST /v1/audio/speech: bytes or events, whichever the upstream sends, in the form that the client asked for; charged by the
// character or by the reported token, and never for audio that broke off.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import OpenAI from 'openai';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { twoRoutes, useMediaGateway } from '../support/media-gateway.ts';
import { errorScript, jsonScript, sseScript, sseText } from '../support/openai-chat.ts';
import { cutAt, type Part, type Script } from '../support/script.ts';
import { readSse } from '../support/sse.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

/** NT$487.5 for a million characters. */
const CHARACTER = 487_500n;
const TOKENS = { input: 19_500n, output: 390_000n };
const SPEECH = { kinds: ['speech'], price: { character: 487.5 } };
/** Each with a model of its own, because breakers are for a model. */
const CUT = ['cut-sized', 'cut-reset', 'cut-chunked', 'cut-in-events', 'cut-events', 'dead'];
/** Every value of a byte, twice: a byte that was taken for text would change. */
const AUDIO = Uint8Array.from({ length: 512 }, (_, index) => index % 256);

const media = useMediaGateway({
  channels: (url) => [openaiChannel('spare', url)],
  models: [
    upModel('speak', SPEECH),
    ...CUT.map((id) => upModel(id, { ...SPEECH, routes: [{ channel: 'up', model: id }] })),
    upModel('speak-free', { ...SPEECH, price: 'free' }),
    upModel('speak-tokens', {
      kinds: ['speech'],
      price: { input: 19.5, output: 390 },
      max_output_tokens: 2_000,
      routes: [{ channel: 'up', model: 'gpt-4o-mini-tts' }],
    }),
    upModel('speak-blind', { kinds: ['speech'], price: { input: 19.5, output: 390 }, max_output_tokens: 2_000 }),
    upModel('speak-twice', {
      ...SPEECH,
      routes: twoRoutes('spare'),
    }),
  ],
});

const audio = (body: readonly Part[] = [AUDIO], rest: Partial<Script> = {}): Script => ({
  status: 200,
  headers: { 'content-type': 'audio/mpeg' },
  body,
  ...rest,
});
const delta = (bytes: Uint8Array) =>
  sseText(JSON.stringify({ type: 'speech.audio.delta', audio: Buffer.from(bytes).toString('base64') }));
const done = (usage?: unknown) => sseText(JSON.stringify({ type: 'speech.audio.done', ...(usage ? { usage } : {}) }));
const USAGE = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
const events = (usage: unknown = USAGE) =>
  sseScript([delta(AUDIO.slice(0, 300)), delta(AUDIO.slice(300)), done(usage)]);

const speak = (body: Record<string, unknown> = {}, signal?: AbortSignal) =>
  media.gateway.call('/v1/audio/speech', {
    key: media.account.key,
    body: { model: 'speak', input: 'Hello there', voice: 'alloy', ...body },
    ...(signal ? { signal } : {}),
  });
const bytesIn = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe('the audio', () => {
  test.each([
    ['bytes of known length', 'speak', audio()],
    ['bytes in chunks', 'speak', audio([AUDIO.slice(0, 100), AUDIO.slice(100)], { framing: 'chunked' })],
    ['events', 'speak-tokens', events()],
  ])('arrives as it was, from %s', async (_name, model, script) => {
    media.gateway.upstream.next(script);
    const response = await speak({ model });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('x-svc-channel')).toBe('up');
    expect(await bytesIn(response)).toEqual(AUDIO);
  });

  test.each([
    ['mp3', 'audio/mpeg'],
    ['opus', 'audio/ogg'],
    ['aac', 'audio/aac'],
    ['flac', 'audio/flac'],
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm'],
  ])('%s has its type', async (response_format, type) => {
    media.gateway.upstream.next(audio([AUDIO], { headers: { 'content-type': 'application/octet-stream' } }));
    const response = await speak({ response_format });
    expect(response.headers.get('content-type')).toBe(type);
    await response.arrayBuffer();
    expect(media.gateway.upstream.requests.at(-1)?.json).toMatchObject({ response_format });
  });

  test.each([
    ['bytes', audio()],
    ['events', events()],
  ])('is events with usage and cost from %s, if the client asks for them', async (_name, script) => {
    media.gateway.upstream.next(script);
    const response = await speak({ stream_format: 'sse' });
    expect(response.headers.get('content-type')).toStartWith('text/event-stream');
    const read = (await readSse(response)).map(({ data }) => JSON.parse(data));
    const spoken = read.slice(0, -1).map(({ type, audio }) => {
      expect(type).toBe('speech.audio.delta');
      return Buffer.from(audio, 'base64');
    });
    expect(new Uint8Array(Buffer.concat(spoken))).toEqual(AUDIO);
    const cost = 11n * CHARACTER;
    expect(read.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { cost_nano: cost.toString() } });
  });

  test('is sent while it is made', async () => {
    const gate = createGate();
    media.gateway.upstream.next(audio([AUDIO, gate.opened, AUDIO], { framing: 'chunked' }));
    const response = await speak();
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toEqual(AUDIO);
    gate.open();
    expect((await reader?.read())?.value).toEqual(AUDIO);
    expect((await reader?.read())?.done).toBe(true);
  });

  test('is read from the upstream only as fast as the client reads it', async () => {
    const CHUNK = new Uint8Array(64 * 1024);
    const CHUNKS = 1_000;
    let made = 0;
    function* rest() {
      for (; made < CHUNKS; made++) yield CHUNK;
    }
    media.gateway.upstream.next(audio([AUDIO], { framing: 'chunked', rest: rest() }));
    const response = await speak();
    const reader = response.body?.getReader();
    // The first part may already have some of the rest.
    let bytes = (await reader?.read())?.value?.length ?? 0;
    // What sockets and streams hold is far less than the whole.
    let before = -1;
    await eventually('the upstream waits', async () => {
      const isStill = made === before;
      before = made;
      await Bun.sleep(200);
      return isStill && made === before;
    });
    expect(made).toBeWithin(1, CHUNKS / 2);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) bytes += part.value.length;
    expect(bytes).toBe(AUDIO.length + CHUNKS * CHUNK.length);
    expect(await media.receiptOf(response)).toMatchObject({ status: 'ok', cost_nano: (11n * CHARACTER).toString() });
  });

  test('reaches the official SDK', async () => {
    media.gateway.upstream.next(audio());
    const client = new OpenAI({ baseURL: `${media.gateway.url}/v1`, apiKey: media.account.key });
    const spoken = await client.audio.speech.create({ model: 'speak', input: 'Hello', voice: 'alloy' });
    expect(new Uint8Array(await spoken.arrayBuffer())).toEqual(AUDIO);
  });
});

describe('what is sent', () => {
  test('is what the client said, with the name of the model', async () => {
    media.gateway.upstream.next(audio());
    const said = { input: 'Hi', voice: 'nova', speed: 0.5, instructions: 'Softly.', response_format: 'wav' };
    const response = await speak(said);
    await response.arrayBuffer();
    expect(response.headers.get('x-svc-dropped')).toBeNull();
    const seen = media.gateway.upstream.requests.at(-1);
    expect(seen?.path).toBe('/v1/audio/speech');
    expect(seen?.headers.accept).toBe('audio/*, text/event-stream');
    expect(seen?.json).toEqual({ model: 'scripted-2026-01', ...said });
  });

  test('asks models for events that can report their usage', async () => {
    media.gateway.upstream.next(events());
    await (await speak({ model: 'speak-tokens' })).arrayBuffer();
    expect(media.gateway.upstream.requests.at(-1)?.json).toMatchObject({
      model: 'gpt-4o-mini-tts',
      stream_format: 'sse',
    });
  });
});

describe('the charge', () => {
  test.each([
    ['Hello', 5],
    ['你好，世界', 5],
    ['👩‍🚀', 3],
    ['e\u0301', 2],
  ])('of %p is for its code points, as held', async (input, characters) => {
    media.gateway.upstream.next(audio());
    const response = await speak({ input });
    await response.arrayBuffer();
    const receipt = await media.receiptOf(response);
    const cost = (BigInt(characters) * CHARACTER).toString();
    expect(receipt).toMatchObject({ characters, cost_nano: cost, estimated: false, rule: 'served', status: 'ok' });
    const [row] = media.gateway.sql<{ held_nano: bigint }>(
      'SELECT held_nano FROM usage_records WHERE request_id = ?',
      receipt.request_id,
    );
    expect(row?.held_nano.toString()).toBe(cost);
  });

  test('by the token is what was reported', async () => {
    media.gateway.upstream.next(events());
    const response = await speak({ model: 'speak-tokens' });
    await response.arrayBuffer();
    expect(await media.receiptOf(response)).toMatchObject({
      input_tokens: 14,
      output_tokens: 101,
      cost_nano: (14n * TOKENS.input + 101n * TOKENS.output).toString(),
      estimated: false,
    });
  });

  test('by the token without a report is counted from the length of the audio', async () => {
    media.gateway.upstream.next(audio([new Uint8Array(160_000)]));
    const response = await speak({ model: 'speak-blind' });
    await response.arrayBuffer();
    const receipt = await media.receiptOf(response);
    expect(receipt).toMatchObject({ output_tokens: 200, estimated: true });
    const cost = BigInt(receipt.input_tokens) * TOKENS.input + 200n * TOKENS.output;
    expect(receipt.cost_nano).toBe(cost.toString());
  });

  test('of a free model is nothing', async () => {
    media.gateway.upstream.next(audio());
    const response = await speak({ model: 'speak-free' });
    await response.arrayBuffer();
    expect(await media.receiptOf(response)).toMatchObject({ cost_nano: '0', status: 'ok' });
  });

  test('is the characters, whatever the text and however the audio is cut into chunks', async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }), pieces, async (input, body) => {
        await media.renewAccount();
        media.gateway.upstream.next(audio(body, { framing: 'chunked' }));
        const response = await speak({ input });
        expect(await bytesIn(response)).toEqual(new Uint8Array(Buffer.concat(body)));
        const { cost_nano } = await media.receiptOf(response);
        expect(BigInt(cost_nano)).toBe(BigInt([...input].length) * CHARACTER);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a channel that fails before the first byte is replaced', () => {
  test.each([
    ['an error', errorScript(500, { message: 'down' })],
    ['no audio', audio([])],
    ['something else', { ...audio(['<html>'], { headers: { 'content-type': 'text/html' } }) }],
    ['JSON', jsonScript(200, { ok: true })],
    ['events without audio', sseScript([done(USAGE)])],
  ])('%s', async (_name, script) => {
    media.gateway.upstream.next(script);
    media.gateway.upstream.otherwise(audio());
    const response = await speak({ model: 'speak-twice' });
    expect(await bytesIn(response)).toEqual(AUDIO);
    const receipt = await media.receiptOf(response);
    expect(receipt.attempts.length).toBeGreaterThan(1);
    expect(receipt.cost_nano).toBe((11n * CHARACTER).toString());
  });

  test('if all of them fail, the client gets an error as JSON, and pays nothing', async () => {
    media.gateway.upstream.otherwise(audio([]));
    const response = await speak({ model: 'dead' });
    expect(response.status).toBe(502);
    expect((await response.json()) as Answer).toMatchObject({ error: { code: 'upstream_failed' } });
    expect(await media.receiptOf(response)).toMatchObject({ cost_nano: '0', rule: 'upstream_failed' });
  });
});

describe('audio that breaks off is cut, and free', () => {
  const sized = audio([AUDIO, AUDIO]);
  test.each([
    ['cut-sized', cutAt(sized, 600, 'fin', 20)],
    ['cut-reset', cutAt(sized, 600, 'rst', 20)],
    ['cut-chunked', cutAt({ ...sized, framing: 'chunked' }, 600, 'fin', 20)],
    ['cut-in-events', cutAt(sseScript([delta(AUDIO), delta(AUDIO), done()]), delta(AUDIO).length + 20, 'fin', 20)],
  ])('%s', async (model, script) => {
    media.gateway.upstream.next(script);
    const response = await speak({ model });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    const receipt = await eventually('the receipt', () => media.receiptOf(response));
    expect(receipt).toMatchObject({ cost_nano: '0', rule: 'upstream_failed', status: 'upstream_failed' });
  });

  test('a client of events gets the error as an event', async () => {
    media.gateway.upstream.next(cutAt(sized, 600, 'fin', 20));
    const read = await readSse(await speak({ model: 'cut-events', stream_format: 'sse' }));
    expect(JSON.parse(read.at(-1)?.data ?? '')).toMatchObject({ error: { code: 'upstream_failed' } });
  });
});

test('a client that leaves pays for the text, and the upstream is stopped', async () => {
  const gate = createGate();
  const leaving = new AbortController();
  media.gateway.upstream.next(audio([AUDIO, gate.opened, AUDIO], { framing: 'chunked' }));
  const response = await speak({}, leaving.signal);
  await response.body?.getReader().read();
  leaving.abort();
  const receipt = await eventually('the receipt', async () => {
    const found = await media.receiptOf(response);
    return found.status === 'client_gone' ? found : undefined;
  });
  gate.open();
  expect(receipt).toMatchObject({ rule: 'hung_up', cost_nano: (11n * CHARACTER).toString() });
});

test.each([
  ['input', { input: '' }],
  ['input', { input: 'x'.repeat(100_001) }],
  ['voice', { voice: undefined }],
  ['voice', { voice: 3 }],
  ['response_format', { response_format: 'midi' }],
  ['response_format', { response_format: {} }],
  ['response_format', { response_format: { toString: 1 } }],
  ['response_format', { response_format: ['mp3'] }],
  ['stream_format', { stream_format: 'json' }],
])('%s is refused by its name', async (param, body) => {
  const response = await speak(body);
  expect(response.status).toBe(400);
  expect((await response.json()) as Answer).toMatchObject({ error: { param, code: 'invalid_request' } });
});

test('a text that the balance does not cover is refused with what it would cost', async () => {
  const response = await speak({ input: 'x'.repeat(90_000) });
  expect(response.status).toBe(402);
  const { error }: Answer = await response.json();
  expect(error.code).toBe('insufficient_balance');
  expect(error.hint).toContain('NT$43.875 for 90000 characters');
});

test('a quote is what the call holds', async () => {
  const body = { model: 'speak', input: 'Hello there', voice: 'alloy' };
  const quoted = await media.gateway.call('/api/quote', {
    key: media.account.key,
    body: { endpoint: '/v1/audio/speech', body },
  });
  const cost = (11n * CHARACTER).toString();
  expect((await quoted.json()) as Answer).toMatchObject({ max_cost_nano: cost, likely_cost_nano: cost });
});
