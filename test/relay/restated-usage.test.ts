// An upstream that counts in a way of its own: a client of the same format sees its usage as it came, but for the figures
// that mean something else there.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, type Usage } from '../support/openai-chat.ts';
import { readSse } from '../support/sse.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';

const QUIRKS = ['deepseek', 'xai'] as const;

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => {
      const baseUrl = upstreamUrl(doc);
      return {
        ...doc,
        channels: [...doc.channels, ...QUIRKS.map((quirks) => openaiChannel(quirks, baseUrl, { quirks }))],
        models: [
          ...doc.models,
          ...QUIRKS.map((channel) =>
            upModel(channel, { price: { input: 10, output: 40 }, routes: [{ channel, model: 'scripted-2026-01' }] }),
          ),
        ],
      };
    },
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

const DEEPSEEK = {
  prompt_tokens: 100,
  completion_tokens: 7,
  total_tokens: 107,
  prompt_cache_hit_tokens: 70,
  prompt_cache_miss_tokens: 30,
  extra_unknown: { a: 1 },
};
const XAI = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 60,
  prompt_tokens_details: { cached_tokens: 5, text_tokens: 20 },
  completion_tokens_details: { reasoning_tokens: 31, audio_tokens: 0 },
  cost_in_usd_ticks: 12,
};
const cached = (tokens: number) => ({ prompt_tokens_details: { cached_tokens: tokens } });

describe.each([
  ['deepseek', 'hits that it tells once', DEEPSEEK, { ...DEEPSEEK, ...cached(70) }],
  ['deepseek', 'hits that it tells in both words', { ...DEEPSEEK, ...cached(70) }, { ...DEEPSEEK, ...cached(70) }],
  ['deepseek', 'no hits', { ...DEEPSEEK, prompt_cache_hit_tokens: 0 }, { ...DEEPSEEK, prompt_cache_hit_tokens: 0 }],
  ['xai', 'reasoning beside the completion', XAI, { ...XAI, completion_tokens: 40 }],
  [
    'xai',
    'reasoning that is not in the total either',
    { ...XAI, total_tokens: 29 },
    { ...XAI, completion_tokens: 40, total_tokens: 60 },
  ],
  [
    'xai',
    'a completion that only the total tells',
    { ...XAI, completion_tokens: null },
    { ...XAI, completion_tokens: 40 },
  ],
] as [string, string, Usage, Usage][])('%s: %s', (model, _, usage, shown) => {
  test('whole', async () => {
    gateway.upstream.next(chatAnswer({ usage }));
    const answer = await (await gateway.chat(key, { model })).json();
    expect(answer.usage).toEqual(shown);
  });

  test('streamed', async () => {
    gateway.upstream.next(chatStream({ usage }));
    const response = await gateway.chat(key, { model, stream: true, stream_options: { include_usage: true } });
    const told = (await readSse(response)).flatMap(({ json }) => json?.usage ?? []).at(-1);
    const { cost_ntd, cost_nano, ...rest } = told;
    expect(rest).toEqual(shown);
    expect([typeof cost_ntd, typeof cost_nano]).toEqual(['number', 'string']);
  });
});
