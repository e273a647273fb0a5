// Vectors and pictures through the official OpenAI SDK.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { APIError, BadRequestError } from 'openai';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { failure } from '../support/conversations.ts';
import { PICTURE, pictureAnswer, VECTOR, vectorAnswer } from '../support/media-answers.ts';
import { sseScript } from '../support/openai-chat.ts';

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

  test('more than the wallet can pay are refused', async () => {
    const error = await failure(client.images.generate({ model: 'paint-dear', prompt: 'a dot', n: 10 }));
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 402, code: 'insufficient_balance' });
  });
});
