// Upstreams that count in a way of their own, recognised by what they report and not by their configuration: a client of the
// same format sees its usage as it came, but for the figures that mean something else there.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, type Usage } from '../support/openai-chat.ts';
import { readSse } from '../support/sse.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  gateway.upstream.reset();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

/** Input, cached, written, output, reasoning. */
async function recorded(): Promise<number[]> {
  const { data } = await gateway.get('/api/usage', key);
  const [record] = data;
  expect(record.estimated).toBe(false);
  return [
    record.input_tokens,
    record.cached_input_tokens,
    record.cache_write_5m_tokens,
    record.output_tokens,
    record.reasoning_tokens,
  ];
}

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

const MOONSHOT = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, cached_tokens: 60 };
const VLLM = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, num_cached_tokens: 50 };
/** Hidden thoughts are in its total, and nowhere else. */
const GEMINI = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 60 };
const CLAUDE = {
  prompt_tokens: 100,
  completion_tokens: 7,
  total_tokens: 107,
  cache_read_input_tokens: 40,
  cache_creation_input_tokens: 30,
};
const PLAIN = { prompt_tokens: 20, completion_tokens: 40, total_tokens: 60 };
const reasoned = (tokens: number) => ({ completion_tokens_details: { reasoning_tokens: tokens } });

describe.each([
  ['DeepSeek', 'hits that it tells once', DEEPSEEK, { ...DEEPSEEK, ...cached(70) }, [30, 70, 0, 7, 0]],
  [
    'DeepSeek',
    'hits under both names',
    { ...DEEPSEEK, ...cached(70) },
    { ...DEEPSEEK, ...cached(70) },
    [30, 70, 0, 7, 0],
  ],
  [
    'DeepSeek',
    'no hits',
    { ...DEEPSEEK, prompt_cache_hit_tokens: 0 },
    { ...DEEPSEEK, prompt_cache_hit_tokens: 0 },
    [100, 0, 0, 7, 0],
  ],
  ['Moonshot', 'cached tokens', MOONSHOT, { ...MOONSHOT, ...cached(60) }, [40, 60, 0, 7, 0]],
  ['vLLM', 'cached tokens', VLLM, { ...VLLM, ...cached(50) }, [50, 50, 0, 7, 0]],
  ['a proxy of Claude', 'cached tokens inside the prompt', CLAUDE, { ...CLAUDE, ...cached(40) }, [30, 40, 30, 7, 0]],
  [
    'a proxy of Claude',
    'cached tokens beside the prompt',
    { ...CLAUDE, prompt_tokens: 30 },
    { ...CLAUDE, prompt_tokens: 100, ...cached(40) },
    [30, 40, 30, 7, 0],
  ],
  [
    'a proxy of Claude',
    'no total',
    { ...CLAUDE, total_tokens: undefined },
    { ...CLAUDE, total_tokens: undefined, ...cached(40) },
    [30, 40, 30, 7, 0],
  ],
  ['xAI', 'reasoning beside the completion', XAI, { ...XAI, completion_tokens: 40 }, [15, 5, 0, 40, 31]],
  [
    'xAI',
    'a completion that only the total tells',
    { ...XAI, completion_tokens: null },
    { ...XAI, completion_tokens: 40 },
    [15, 5, 0, 40, 31],
  ],
  [
    'xAI and Claude',
    'reasoning and cached tokens beside',
    { ...CLAUDE, prompt_tokens: 30, total_tokens: 112, ...reasoned(5) },
    { ...CLAUDE, prompt_tokens: 100, completion_tokens: 12, total_tokens: 112, ...cached(40), ...reasoned(5) },
    [30, 40, 30, 12, 5],
  ],
  [
    'Gemini',
    'hidden thoughts in the total',
    GEMINI,
    { ...GEMINI, completion_tokens: 40, ...reasoned(31) },
    [20, 0, 0, 40, 31],
  ],
  ['OpenAI', 'reasoning inside', { ...PLAIN, ...reasoned(31) }, { ...PLAIN, ...reasoned(31) }, [20, 0, 0, 40, 31]],
  [
    'OpenAI',
    'no total, reasoning inside',
    { ...PLAIN, total_tokens: undefined, ...reasoned(31) },
    { ...PLAIN, total_tokens: undefined, ...reasoned(31) },
    [20, 0, 0, 40, 31],
  ],
  [
    'an upstream',
    'whose total fits nothing',
    { ...PLAIN, total_tokens: 1_000, ...reasoned(31) },
    { ...PLAIN, total_tokens: 1_000, ...reasoned(31) },
    [20, 0, 0, 40, 31],
  ],
] as [string, string, Usage, Usage, number[]][])('%s: %s', (_vendor, _what, usage, shown, billed) => {
  test('whole', async () => {
    gateway.upstream.next(chatAnswer({ usage }));
    const answer = await (await gateway.chat(key, { model: 'up-paid' })).json();
    expect(answer.usage).toEqual(JSON.parse(JSON.stringify(shown)));
    expect(await recorded()).toEqual(billed);
  });

  test('streamed', async () => {
    gateway.upstream.next(chatStream({ usage }));
    const response = await gateway.chat(key, {
      model: 'up-paid',
      stream: true,
      stream_options: { include_usage: true },
    });
    const told = (await readSse(response)).flatMap(({ json }) => json?.usage ?? []).at(-1);
    const { cost_ntd, cost_nano, ...rest } = told;
    expect(rest).toEqual(JSON.parse(JSON.stringify(shown)));
    expect(await recorded()).toEqual(billed);
    expect([typeof cost_ntd, typeof cost_nano]).toEqual(['number', 'string']);
  });
});
