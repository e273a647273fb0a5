// Vectors, pictures and recordings through the official OpenAI SDK.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { APIError, BadRequestError, toFile } from 'openai';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { failure } from '../support/conversations.ts';
import { seenFile, seenForm } from '../support/forms.ts';
import { PICTURE, pictureAnswer, VECTOR, vectorAnswer } from '../support/media-answers.ts';
import { jsonScript, sseScript } from '../support/openai-chat.ts';
import { wavOf } from '../support/recordings.ts';

let gateway: ClientGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startClientGateway();
  client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

describe('embeddings', () => {
  test.each([undefined, 'float', 'base64'] as const)('asked for as %p', async (encoding_format) => {
    gateway.upstream.next(vectorAnswer(2));
    const { data, usage } = await client.embeddings.create({
      model: 'vectors',
      input: ['Hello', 'there'],
      ...(encoding_format ? { encoding_format } : {}),
    });
    // Whoever asks for base64 by name decodes it.
    const packed = Buffer.from(new Float32Array(VECTOR).buffer).toString('base64');
    const expected: unknown = encoding_format === 'base64' ? packed : VECTOR;
    expect(data.map(({ embedding }) => (Array.isArray(embedding) ? [...embedding] : embedding) as unknown)).toEqual([
      expected,
      expected,
    ]);
    expect(usage.prompt_tokens).toBe(4);
  });

  test('of a model that chats are refused', async () => {
    const error = await failure(client.embeddings.create({ model: 'on-openai', input: 'Hello' }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'unsupported_endpoint' });
  });
});

describe('images', () => {
  test('whole', async () => {
    gateway.upstream.next(pictureAnswer());
    const { data } = await client.images.generate({ model: 'paint', prompt: 'a dot' });
    expect(data?.[0]?.b64_json).toBe(PICTURE);
  });

  test('streamed', async () => {
    const event = (type: string, rest = {}) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: PICTURE, ...rest })}\n\n`;
    gateway.upstream.next(
      sseScript([
        event('image_generation.partial_image', { partial_image_index: 0 }),
        event('image_generation.completed', { usage: { input_tokens: 3, output_tokens: 9, total_tokens: 12 } }),
      ]),
    );
    const stream = await client.images.generate({ model: 'paint', prompt: 'a dot', stream: true, partial_images: 1 });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type, b64_json }) => [type, b64_json])).toEqual([
      ['image_generation.partial_image', PICTURE],
      ['image_generation.completed', PICTURE],
    ]);
  });

  test('edited, from one file and from several', async () => {
    gateway.upstream.otherwise(pictureAnswer());
    const picture = (name: string) => toFile(Buffer.from(PICTURE, 'base64'), name, { type: 'image/png' });
    const one = await client.images.edit({ model: 'paint', prompt: 'a hat', image: await picture('a.png') });
    expect(one.data?.[0]?.b64_json).toBe(PICTURE);
    await client.images.edit({
      ...{ model: 'paint', prompt: 'a hat', n: 1 },
      image: [await picture('a.png'), await picture('b.png')],
      mask: await picture('mask.png'),
    });
    const hash = (await seenFile(new File([Buffer.from(PICTURE, 'base64')], ''))).hash;
    const forms = await Promise.all(gateway.upstream.requests.map(seenForm));
    const files = forms.map((form) =>
      form.flatMap(([name, value]) => (typeof value === 'string' ? [] : [`${name} ${value.hash === hash}`])),
    );
    expect(files.map((names) => names.toSorted())).toEqual([
      ['image true'],
      ['image[] true', 'image[] true', 'mask true'],
    ]);
  });

  test('edited as a stream', async () => {
    const event = (type: string) => `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: PICTURE })}\n\n`;
    gateway.upstream.next(sseScript([event('image_edit.partial_image'), event('image_edit.completed')]));
    const image = await toFile(Buffer.from(PICTURE, 'base64'), 'a.png', { type: 'image/png' });
    const stream = await client.images.edit({ model: 'paint', prompt: 'a hat', image, stream: true });
    const types = (await Array.fromAsync(stream)).map(({ type }) => type);
    expect(types).toEqual(['image_edit.partial_image', 'image_edit.completed']);
  });

  test('varied', async () => {
    gateway.upstream.next(pictureAnswer());
    const image = await toFile(Buffer.from(PICTURE, 'base64'), 'a.png', { type: 'image/png' });
    const { data } = await client.images.createVariation({ model: 'paint', image });
    expect(data?.[0]?.b64_json).toBe(PICTURE);
  });

  test('more than the wallet can pay are refused', async () => {
    const error = await failure(client.images.generate({ model: 'paint-dear', prompt: 'a dot', n: 10 }));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 402, code: 'insufficient_balance' });
  });
});

describe('transcripts', () => {
  const file = () => toFile(wavOf(2), 'call.wav', { type: 'audio/wav' });
  const usage = { type: 'duration', seconds: 2 } as const;

  test('whole, as JSON and as text', async () => {
    gateway.upstream.otherwise(jsonScript(200, { text: 'Good morning.', usage }));
    const whole = await client.audio.transcriptions.create({ model: 'hear', file: await file() });
    expect(whole).toMatchObject({ text: 'Good morning.', usage });
    const text = await client.audio.transcriptions.create({
      model: 'hear',
      file: await file(),
      response_format: 'text',
    });
    expect(String(text)).toBe('Good morning.\n');
  });

  test('with the times of segments and words', async () => {
    const segments = [{ id: 0, start: 0, end: 2, text: ' Good morning.' }];
    gateway.upstream.next(jsonScript(200, { text: 'Good morning.', language: 'english', duration: 2, segments }));
    const verbose = await client.audio.transcriptions.create({
      ...{ model: 'hear', response_format: 'verbose_json', timestamp_granularities: ['segment', 'word'] },
      file: await file(),
    });
    expect(verbose.segments?.[0]?.end).toBe(2);
    const [seen] = gateway.upstream.requests;
    const granularities = (seen ? await seenForm(seen) : []).filter(([name]) => name === 'timestamp_granularities[]');
    expect(granularities.map(([, value]) => value)).toEqual(['segment', 'word']);
  });

  test('streamed', async () => {
    const event = (type: string, rest: Record<string, unknown>) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
    gateway.upstream.next(
      sseScript([
        event('transcript.text.delta', { delta: 'Good morning.' }),
        event('transcript.text.done', { text: 'Good morning.', usage }),
      ]),
    );
    const stream = await client.audio.transcriptions.create({ model: 'hear', file: await file(), stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.map(({ type }) => type)).toEqual(['transcript.text.delta', 'transcript.text.done']);
  });

  test('in English', async () => {
    gateway.upstream.next(jsonScript(200, { text: 'Good morning.', usage }));
    const { text } = await client.audio.translations.create({ model: 'hear', file: await file() });
    expect(text).toBe('Good morning.');
  });

  test('of a model that chats are refused', async () => {
    const error = await failure(client.audio.transcriptions.create({ model: 'on-openai', file: await file() }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'unsupported_endpoint' });
  });
});
