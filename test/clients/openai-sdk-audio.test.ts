// Speech and moderations through the official OpenAI SDK, and reranks as the clients of Cohere and Jina read them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { BadRequestError } from 'openai';
import type { Answer } from '../support/answer.ts';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { failure } from '../support/conversations.ts';
import { rerankAnswer, SPOKEN, speechAnswer, verdictAnswer } from '../support/other-answers.ts';
import { cutAt } from '../support/script.ts';

let gateway: ClientGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startClientGateway();
  client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

describe('speech', () => {
  const SPEECH = { model: 'speech', input: 'Hello', voice: 'alloy' } as const;

  test('as bytes', async () => {
    gateway.upstream.next(speechAnswer());
    const response = await client.audio.speech.create(SPEECH);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(SPOKEN);
  });

  test('that breaks off is an error of the client, and no short file', async () => {
    gateway.upstream.next(cutAt({ ...speechAnswer(), body: [SPOKEN, SPOKEN] }, SPOKEN.length, 'fin', 20));
    const response = await client.audio.speech.create(SPEECH);
    expect(await failure(response.arrayBuffer())).toBeInstanceOf(Error);
  });

  test('of a model that chats is refused', async () => {
    const error = await failure(client.audio.speech.create({ ...SPEECH, model: 'on-openai' }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'unsupported_endpoint' });
  });

  test('in an unknown format is refused by the name of the field', async () => {
    const wrong = { ...SPEECH, response_format: 'midi' } as unknown as OpenAI.Audio.SpeechCreateParams;
    expect(await failure(client.audio.speech.create(wrong))).toMatchObject({ param: 'response_format', status: 400 });
  });
});

describe('moderations', () => {
  test.each([
    ['a text', 'Hello'],
    ['parts', [{ type: 'text' as const, text: 'Hello' }]],
  ])('of %s', async (_name, input) => {
    gateway.upstream.next(verdictAnswer());
    const { model, results } = await client.moderations.create({ model: 'moderation', input });
    expect(model).toBe('moderation');
    expect(results[0]).toMatchObject({ flagged: false, category_scores: { violence: 0.01 } });
  });
});

test.each(['/v2/rerank', '/v1/rerank'])('a rerank at %s is as both clients read it', async (path) => {
  gateway.upstream.next(rerankAnswer());
  const response = await gateway.call(path, {
    key: gateway.key,
    body: { model: 'rerank', query: 'q', documents: ['a', 'b'], top_n: 1, return_documents: true },
  });
  const answer: Answer = await response.json();
  expect(answer.results).toEqual([{ index: 0, relevance_score: 0.9, document: { text: 'a' } }]);
  expect(answer.meta.billed_units.search_units).toBe(1);
  expect(answer.usage.total_tokens).toBeGreaterThan(0);
});
