// A test of a channel asks for what a model serves, and believes an upstream nothing: neither that its answer ends, nor that
// a 200 is one.

import { describe, expect, test } from 'bun:test';
import { testChannel } from '../../../src/admin/actions/test-channel.ts';
import type { OperatingTools } from '../../../src/admin/actions/tools.ts';
import type { UpstreamRequest } from '../../../src/channels/upstream.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { openaiChannel, testDocument, upModel } from '../../support/test-document.ts';

const STANDARD = testDocument('http://127.0.0.1:9');

interface Asked {
  models?: Record<string, unknown>[];
  model?: string;
  /** Of the channel. */
  endpoints?: string[];
  quirks?: string;
  onSend?: (sent: UpstreamRequest) => void;
}

function ask(response: Response, { models = STANDARD.models, model, onSend, ...settings }: Asked = {}) {
  const up = openaiChannel('up', 'http://127.0.0.1:9', settings);
  const document = JSON.stringify({ ...STANDARD, channels: [{ name: 'demo', kind: 'demo' }, up], models });
  const send = async (sent: UpstreamRequest) => {
    onSend?.(sent);
    return response;
  };
  const tools = {
    clock: createManualClock(),
    findUpstream: () => ({ hidden: [], send }),
    store: {
      read: { newestRevision: async () => ({ revision: 1, createdAt: 0, document }) },
      commit: async () => undefined,
    },
  } as unknown as OperatingTools;
  return testChannel(tools, 'up', { model, actor: 'token' });
}

test('an answer without an end is left', async () => {
  let pieces = 0;
  const endless = new ReadableStream({
    async pull(controller) {
      // Stands for "for ever", so that the test ends where the answer is read whole.
      if (++pieces > 100) controller.close();
      else controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    },
  });
  expect(await ask(new Response(endless))).toMatchObject({ ok: false, detail: 'its answer is too large for a test' });
  expect(pieces).toBeLessThan(10);
});

test.each([
  ['a page', '<!doctype html><p>Sign in'],
  ['an error', '{"error":{"message":"no such model"}}'],
  ['nothing', ''],
])('a 200 with %s is no answer', async (_, body) => {
  expect(await ask(new Response(body))).toMatchObject({ ok: false });
});

test('a 200 with an object is one', async () => {
  expect(await ask(new Response('{"choices":[]}'))).toMatchObject({ ok: true, detail: 'ok' });
});

test.each([
  ['openai', 'max_completion_tokens'],
  ['azure', 'max_completion_tokens'],
  ['vllm', 'max_tokens'],
])('the bound has the name that the upstream gives it: %s', async (quirks, name) => {
  const bodies: unknown[] = [];
  const onSend = ({ body }: UpstreamRequest) => bodies.push(JSON.parse(String(body)));
  const thinker = upModel('thinker', { price: 'free', routes: [{ channel: 'up', model: 'gpt-5-mini' }] });
  const models = [...STANDARD.models, thinker];
  await ask(new Response('{"choices":[]}'), { models, model: 'thinker', quirks, onSend });
  const messages = [{ role: 'user', content: 'Say ok.' }];
  expect(bodies).toEqual([{ model: 'gpt-5-mini', messages, [name]: expect.any(Number) }]);
});

describe('the call is one that the model serves', () => {
  const of = (id: string, kinds: string[], price: Record<string, number>) =>
    upModel(id, { kinds, price, routes: [{ channel: 'up', model: `up-${id}` }] });
  const picture = of('picture', ['images'], { image: 1 });
  const vector = of('vector', ['embeddings'], { input: 1 });
  const ranked = of('ranked', ['rerank'], { search: 1 });
  const judged = of('judged', ['moderation'], { input: 1 });
  const spoken = of('spoken', ['speech'], { character: 1 });
  const chat = of('chat', ['chat'], { input: 1, output: 1 });
  const newer = { ...chat, routes: [{ channel: 'up', model: 'gpt-5.3-codex' }] };
  const free = STANDARD.models.slice(0, 1);

  test.each<[string, Asked, object]>([
    ['a chat before all others', { models: [picture, vector, chat] }, { model: 'up-chat', endpoint: 'chat' }],
    ['else embeddings', { models: [picture, vector] }, { model: 'up-vector', endpoint: 'embeddings' }],
    ['else a rerank', { models: [spoken, ranked] }, { model: 'up-ranked', endpoint: 'rerank' }],
    ['else a moderation', { models: [spoken, judged] }, { model: 'up-judged', endpoint: 'moderation' }],
    ['the named one', { models: [chat, vector], model: 'vector' }, { model: 'up-vector', endpoint: 'embeddings' }],
    [
      'the named one, as the upstream calls it',
      { models: [chat, vector], model: 'up-vector' },
      { endpoint: 'embeddings' },
    ],
    [
      'what the channel has of a chat',
      { models: [chat], endpoints: ['responses', 'embeddings'] },
      { endpoint: 'responses' },
    ],
    [
      'the one in which the vendor serves the model',
      { models: [newer], quirks: 'openai' },
      { model: 'gpt-5.3-codex', endpoint: 'responses' },
    ],
    ['and which the channel has', { models: [newer], quirks: 'openai', endpoints: ['chat'] }, { endpoint: 'chat' }],
  ])('%s', async (_, { models = [], ...asked }, expected) => {
    const answer = await ask(new Response('{"data":[]}'), { models: [...free, ...models], ...asked });
    expect(answer).toMatchObject({ ok: true, ...expected });
  });

  test.each([
    ['an images model', { models: [chat, picture], model: 'picture' }, 'picture'],
    ['a channel of images models', { models: [picture] }, 'up'],
    ['a channel of speech models', { models: [spoken] }, 'up'],
  ])('%s is refused: a test would pay', async (_, { models, ...asked }, subject) => {
    const refused = await ask(new Response('{"data":[]}'), { models: [...free, ...models], ...asked }).catch(
      (error: unknown) => error,
    );
    const message = `${subject} serves only images or audio and is not tested, because each one costs money`;
    expect(refused).toMatchObject({ code: 'only_images', message });
  });
});
