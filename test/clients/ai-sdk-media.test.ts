// Vectors and pictures through the AI SDK.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embed, embedMany, generateImage } from 'ai';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { PICTURE, pictureAnswer, VECTOR, vectorAnswer } from '../support/media-answers.ts';

let gateway: ClientGateway;

beforeAll(async () => {
  gateway = await startClientGateway();
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

describe.each([
  ['openai', () => createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key })],
  [
    'openai-compatible',
    () => createOpenAICompatible({ name: 'gateway', baseURL: `${gateway.url}/v1`, apiKey: gateway.key }),
  ],
])('%s', (_name, provider) => {
  test('makes a vector', async () => {
    gateway.upstream.next(vectorAnswer());
    const { embedding, usage } = await embed({ model: provider().embeddingModel('vectors'), value: 'Hello' });
    expect(embedding).toEqual(VECTOR);
    expect(usage.tokens).toBe(4);
  });

  test('makes several in one call', async () => {
    gateway.upstream.next(vectorAnswer(2));
    const { embeddings } = await embedMany({ model: provider().embeddingModel('vectors'), values: ['a', 'b'] });
    expect(embeddings).toEqual([VECTOR, VECTOR]);
    expect(gateway.upstream.requests).toHaveLength(1);
  });

  test('makes a picture', async () => {
    gateway.upstream.next(pictureAnswer());
    const { image } = await generateImage({ model: provider().imageModel('paint'), prompt: 'a dot' });
    expect(image.base64).toBe(PICTURE);
    expect((await gateway.upstream.request(0)).json).toMatchObject({ prompt: 'a dot', n: 1 });
  });
});
