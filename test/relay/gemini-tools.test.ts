// Tools that Google runs, called by clients of its own format: passed on where the price of the model lists them, held, and
// charged by the calls that the answer shows. Everywhere else they are refused by their place, or left out and named.

import { describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { GEMINI_USAGE, geminiError } from '../support/gemini.ts';
import { useMediaGateway } from '../support/media-gateway.ts';
import { chatAnswer, jsonScript, sseScript, sseText } from '../support/openai-chat.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';
import { wireClient } from '../support/wire-clients.ts';

/** Nano-NT$: a token of input and of output, a search, a program. */
const INPUT = 10_000n;
const OUTPUT = 40_000n;
const SEARCH = 300_000_000n;
const RUN = 50_000_000n;
const CONTEXT = 10_000;
const PRICE = { input: 10, output: 40 };
const LISTED = { ...PRICE, tools: { web_search: 0.3, code_execution: 0.05 } };
const onGoogle = (price: unknown, routes: object[] = []) => ({
  ...{ price, context_tokens: CONTEXT, max_output_tokens: 100 },
  routes: [{ channel: 'google', model: 'gemini-2.5-pro', priority: 1 }, ...routes],
});

const media = useMediaGateway({
  channels: (url) => [wireClient('gemini').channel('google', url), openaiChannel('chat', url, { endpoints: ['chat'] })],
  models: [
    upModel('listed', onGoogle(LISTED)),
    upModel('plain', onGoogle(PRICE)),
    upModel('gratis', onGoogle('free')),
    upModel('backed', onGoogle(LISTED, [{ channel: 'chat', model: 'scripted-2026-01', priority: 2 }])),
  ],
  cardNano: 100_000_000_000n,
});

const FUNCTION = { functionDeclarations: [{ name: 'look' }] };
const QUESTION = [{ role: 'user', parts: [{ text: 'Who won?' }] }];
const ask = (tools: unknown, { model = 'listed', method = 'generateContent', contents = QUESTION as unknown } = {}) =>
  media.gateway.call(`/v1beta/models/${model}:${method}`, { key: media.account.key, body: { contents, tools } });
const chunk = (parts: object[], rest: object = {}, end: object = {}) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...rest }],
  ...end,
});
const END = { finishReason: 'STOP' };
const USED = {
  usageMetadata: { ...GEMINI_USAGE, promptTokenCount: 11, toolUsePromptTokenCount: 30, totalTokenCount: 48 },
};
/** 11 and 30 tokens of input, 7 of output. */
const TOKENS = 41n * INPUT + 7n * OUTPUT;
const found = (...webSearchQueries: string[]) => ({ groundingMetadata: { webSearchQueries } });
const sent = () => media.gateway.upstream.requests.at(-1)?.json;
const heldFor = (receipt: Answer) =>
  media.gateway.sql<{ held_nano: bigint }>(
    'SELECT held_nano FROM usage_records WHERE request_id = ?',
    receipt.request_id,
  )[0]?.held_nano ?? 0n;

describe('a search that the price lists', () => {
  const SEARCHED = [{ text: 'It was ' }, { text: 'the other one.' }];

  test('is passed on, held for five calls, and charged by those of the answer', async () => {
    const tools = [{ googleSearch: { excludeDomains: ['x.test'] } }, { ...FUNCTION, google_search: null }];
    media.gateway.upstream.next(jsonScript(200, chunk(SEARCHED, { ...END, ...found('who', 'won') }, USED)));
    const response = await ask(tools);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-dropped')).toBeNull();
    expect(((await response.json()) as Answer).candidates[0]).toMatchObject(found('who', 'won'));
    expect(sent().tools).toEqual(tools);
    const receipt = await media.receiptOf(response);
    expect(receipt).toMatchObject({ tool_calls: { web_search: 2 }, cost_nano: String(TOKENS + 2n * SEARCH) });
    expect(heldFor(receipt)).toBeGreaterThan(5n * SEARCH + 5n * 8_000n * INPUT);
  });

  test('of a stream is counted once, whatever chunk tells of it', async () => {
    const chunks = [
      chunk([{ text: 'It was ' }], found('who')),
      chunk([{ text: 'the other one.' }], { ...END, ...found('who', 'won', 'when') }, USED),
    ];
    media.gateway.upstream.next(sseScript(chunks.map((one) => sseText(JSON.stringify(one)))));
    const response = await ask([{ google_search: {} }], { method: 'streamGenerateContent?alt=sse' });
    expect(await response.text()).toContain('webSearchQueries');
    expect(await media.receiptOf(response)).toMatchObject({
      tool_calls: { web_search: 3 },
      cost_nano: String(TOKENS + 3n * SEARCH),
    });
  });

  test('that was not made costs nothing', async () => {
    media.gateway.upstream.next(jsonScript(200, chunk(SEARCHED, END, USED)));
    expect(await media.receiptOf(await ask([{ googleSearch: {} }]))).toMatchObject({ cost_nano: String(TOKENS) });
  });

  test('is left out on a channel of another format, beside a function, and named', async () => {
    media.gateway.upstream.otherwise(({ path }) =>
      path.includes('v1beta') ? geminiError(500, { message: 'down', status: 'INTERNAL' }) : chatAnswer(),
    );
    const response = await ask([{ googleSearch: {} }, FUNCTION], { model: 'backed' });
    expect([response.headers.get('x-svc-channel'), response.headers.get('x-svc-dropped')]).toEqual([
      'chat',
      'googleSearch',
    ]);
    expect(JSON.stringify(sent())).not.toContain('oogleSearch');
  });
});

test('a program of Google is held for a context of each of five runs, and each run is charged', async () => {
  const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } };
  const result = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } };
  const chunks = [chunk([code]), chunk([result]), chunk([{ text: 'It is 1.' }], END, USED)];
  media.gateway.upstream.next(sseScript(chunks.map((one) => sseText(JSON.stringify(one)))));
  const response = await ask([{ codeExecution: {} }], { method: 'streamGenerateContent?alt=sse' });
  const text = await response.text();
  for (const part of ['executableCode', 'codeExecutionResult', 'It is 1.']) expect(text).toContain(part);
  const receipt = await media.receiptOf(response);
  expect(receipt).toMatchObject({ tool_calls: { code_execution: 1 }, cost_nano: String(TOKENS + RUN) });
  expect(heldFor(receipt)).toBeGreaterThan(5n * RUN + 5n * BigInt(CONTEXT) * INPUT);

  media.gateway.upstream.next(jsonScript(200, chunk([{ text: 'Yes.' }], END, USED)));
  const contents = [...QUESTION, { role: 'model', parts: [code, result] }, ...QUESTION];
  expect((await ask([{ codeExecution: {} }], { contents })).status).toBe(200);
  expect(sent().contents[1].parts).toEqual([code, result]);
});

describe('where the price does not list it', () => {
  test.each([
    ['a search', { googleSearch: {} }, 'plain'],
    ['a search on a free model', { googleSearch: {} }, 'gratis'],
    ['a fetch', { urlContext: {} }, 'listed'],
    ['a map', { googleMaps: {} }, 'listed'],
    ['a search with settings of unknown cost', { googleSearch: { searchTypes: { imageSearch: {} } } }, 'listed'],
  ])('%s alone is refused by its place', async (_, tool, model) => {
    const response = await ask([tool], { model });
    const { error }: Answer = await response.json();
    expect([response.status, error.details[0].metadata.param]).toEqual([400, 'tools[0]']);
    expect(error.message).toContain(Object.keys(tool)[0] ?? '');
    expect(media.gateway.upstream.requests).toEqual([]);
  });

  test.each(['plain', 'gratis'])('beside a function it is left out, and named (%s)', async (model) => {
    media.gateway.upstream.next(jsonScript(200, chunk([{ text: 'Hm.' }], END, USED)));
    const response = await ask([{ googleSearch: {} }, FUNCTION], { model });
    expect([response.status, response.headers.get('x-svc-dropped')]).toEqual([200, 'googleSearch']);
    expect(JSON.stringify(sent())).not.toContain('oogleSearch');
    expect((await media.receiptOf(response)).tool_calls).toEqual({});
  });
});
