// A Gemini client at an upstream of its own format: its text goes through, with nothing changed but what the gateway sets. What it
// cannot pass is translated, and a failure moves on to a channel of another format.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { packReasoning } from '../../src/dialects/translate/opaque.ts';
import type { Answer } from '../support/answer.ts';
import { NO_JITTER, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { geminiAnswer, geminiError, geminiStream } from '../support/gemini.ts';
import { readGeminiStream, readGeminiWhole } from '../support/grammar/gemini-answer.ts';
import { chatAnswer, chatStream, jsonScript, sseScript } from '../support/openai-chat.ts';
import { cutAt } from '../support/script.ts';
import { parseSse } from '../support/sse.ts';
import { openaiChannel, UPSTREAM_KEY, upstreamUrl } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const SIGNATURE = 'c2lnbmVkIGJ5IEdvb2dsZQ==';
const PRICE = { input: 10, output: 40 };
const MODELS = 40;

let gateway: TestGateway;
let other: ScriptedUpstream;
let key: string;
let used = 0;
let model: string;

beforeAll(async () => {
  other = await startUpstream();
  gateway = await startTestGateway({
    random: NO_JITTER,
    limits: { paid_per_minute: 10_000 },
    document: (standard) => {
      const root = upstreamUrl(standard).replace(/\/v1$/, '');
      return {
        ...standard,
        channels: [
          ...standard.channels,
          { name: 'google', kind: 'gemini', base_url: `${root}/v1beta`, api_key: UPSTREAM_KEY },
          openaiChannel('other', other.baseUrl, { endpoints: ['chat'] }),
        ],
        models: [
          ...standard.models,
          ...Array.from({ length: MODELS }, (_, n) => ({
            id: `both-${n}`,
            max_output_tokens: 1_000,
            price: PRICE,
            routes: [
              { channel: 'google', model: `gemini-3-pro-${n}`, priority: 1 },
              { channel: 'other', model: `scripted-${n}`, priority: 2 },
            ],
          })),
          { id: 'free', price: 'free', routes: [{ channel: 'google', model: 'gemini-3-pro' }] },
        ],
      };
    },
  });
  ({ key } = await gateway.register());
});
beforeEach(() => {
  gateway.upstream.reset();
  other.reset();
  model = `both-${used++}`;
});
afterAll(async () => {
  await gateway.stop();
  await other.close();
});

const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Hello there.' }] }] };
const ask = (method: string, body: unknown = HELLO, id = model) =>
  gateway.call(`/v1beta/models/${id}:${method}`, { key, body });
const sent = async () => (await gateway.upstream.request(0)).body;

describe('a request', () => {
  test('keeps its text, with the output bound set', async () => {
    gateway.upstream.next(geminiAnswer());
    const settings =
      '"generation_config": {"temperature": 0.10, "thinkingConfig": {"thinkingBudget": 99}, "max_output_tokens": 50}';
    const tools = '"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","x-own":1.0}}]}]';
    const safety = '"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]';
    const contents = '"contents":[{"role":"user","parts":[{"text":"H\\u0069"}]}]';
    const response = await ask('generateContent', `{${contents}, ${tools},${safety},${settings}}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe('google');
    expect(response.headers.get('x-svc-dropped')).toBeNull();
    expect(response.headers.get('x-svc-translated')).toBeNull();
    const body = await sent();
    for (const part of [contents, tools, safety, '"temperature": 0.10', '"thinkingConfig": {"thinkingBudget": 99}']) {
      expect(body).toContain(part);
    }
    const { generation_config: config, ...rest } = JSON.parse(body);
    expect(config.maxOutputTokens).toBe(50);
    expect(Object.keys(rest).sort()).toEqual(['contents', 'safetySettings', 'tools']);
  });

  test('without settings gets the bound alone', async () => {
    gateway.upstream.next(geminiAnswer());
    await ask('generateContent');
    expect(JSON.parse(await sent()).generationConfig).toEqual({ maxOutputTokens: 1_000 });
  });

  test('brings Google its own signatures and calls back, without empty parts', async () => {
    gateway.upstream.next(geminiAnswer());
    const call = `{"functionCall":{"name":"f","args":{"n":12345678901234567890}},"thoughtSignature":"${SIGNATURE}"}`;
    const result = '{"functionResponse":{"name":"f","response":{"output":"1"}}}';
    await ask(
      'generateContent',
      `{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":""},${call}]},
       {"role":"model","parts":[{"text":""}]},{"role":"user","parts":[${result}]}]}`,
    );
    const body = await sent();
    expect(body).toContain(`{"role":"model","parts":[${call}]}`);
    expect(body).toContain(result);
    expect(JSON.parse(body).contents).toHaveLength(3);
  });

  test.each([
    ['a tool that Google runs', { tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }] }],
    ['a resolution of media', { generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_HIGH' } }],
    ['both spellings of a field', { generationConfig: {}, generation_config: { maxOutputTokens: 900_000 } }],
  ])('with %s is translated, and loses it', async (_, fields) => {
    gateway.upstream.next(geminiAnswer());
    const response = await ask('generateContent', { ...HELLO, ...fields });
    expect(response.status).toBe(200);
    const json = JSON.parse(await sent());
    expect(json.generationConfig).toEqual({ maxOutputTokens: 1_000 });
    expect([json.cachedContent, json.generation_config]).toEqual([undefined, undefined]);
    expect(JSON.stringify(json)).not.toContain('googleSearch');
  });

  test.each([
    ['cachedContent', { cachedContent: 'cachedContents/1' }],
    ['generationConfig.responseModalities', { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }],
  ])('with %s is refused by its name', async (param, fields) => {
    const response = await ask('generateContent', { ...HELLO, ...fields });
    const { error }: Answer = await response.json();
    expect([response.status, error.details[0].metadata.param]).toEqual([400, param]);
    expect(gateway.upstream.requests).toEqual([]);
  });

  test.each([
    { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    {
      responseMimeType: 'text/x.enum',
      responseSchema: { type: 'STRING', enum: ['yes', 'no'] },
    },
  ])('passes with %j', async (generationConfig) => {
    gateway.upstream.next(geminiAnswer());
    const response = await ask('generateContent', { ...HELLO, generationConfig });
    expect(response.headers.get('x-svc-dropped')).toBeNull();
    expect(JSON.parse(await sent()).generationConfig).toMatchObject(generationConfig);
  });

  test('for a free model passes, too', async () => {
    gateway.upstream.next(geminiAnswer());
    const generationConfig = { temperature: 0.5 };
    expect((await ask('generateContent', { ...HELLO, generationConfig }, 'free')).status).toBe(200);
    expect(JSON.parse(await sent()).generationConfig).toMatchObject(generationConfig);
  });
});

describe('an answer', () => {
  test('keeps what the gateway does not know, and the usage that Google reports', async () => {
    const usage = {
      promptTokenCount: 11,
      candidatesTokenCount: 7,
      totalTokenCount: 18,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 11 }],
    };
    const parts = [{ text: 'Hello', thoughtSignature: SIGNATURE }];
    const candidates = [{ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0, avgLogprobs: -0.5 }];
    gateway.upstream.next(jsonScript(200, { candidates, usageMetadata: usage, modelVersion: 'x', responseId: 'r' }));
    const response = await ask('generateContent');
    expect(await response.json()).toEqual({ candidates, usageMetadata: usage, modelVersion: model, responseId: 'r' });
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.00039');
  });

  test('with nothing in it because the model failed moves on', async () => {
    gateway.upstream.otherwise(geminiAnswer({ pieces: [], finish: 'MALFORMED_FUNCTION_CALL' }));
    other.next(chatAnswer());
    const response = await ask('generateContent');
    expect(response.headers.get('x-svc-channel')).toBe('other');
    expect(readGeminiWhole(await response.json()).text).toBe('Hello there');
  });

  test('that came as a stream is joined', async () => {
    gateway.upstream.next(geminiStream());
    expect(readGeminiWhole(await (await ask('generateContent')).json())).toMatchObject({
      text: 'Hello there',
      usage: { totalTokenCount: 18 },
    });
  });
});

describe('a stream', () => {
  const chunk = (parts: string, rest = '') =>
    `{"candidates":[{"content":{"parts":[${parts}],"role":"model"},"index":0${rest}}],"modelVersion":"x","responseId":"r"`;
  const usage = '"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18,"own":[1]}';
  const call = `{"functionCall":{"id":"1","name":"f","args":{"n":12345678901234567890}},"thoughtSignature":"${SIGNATURE}"}`;

  test('keeps signatures and numbers, also where the last chunk has everything', async () => {
    const chunks = [
      `${chunk('{"text":"One"}')},${usage}}`,
      `${chunk(`{"text":" two"},${call}`, ',"finishReason":"STOP"')},${usage}}`,
    ];
    gateway.upstream.next(sseScript(chunks.map((data) => `data: ${data}\r\n\r\n`)));
    const text = await (await ask('streamGenerateContent?alt=sse')).text();
    expect(text).toContain(call);
    const told = readGeminiStream(text);
    expect(told).toMatchObject({ text: 'One two', ends: 'tool', complete: true, models: [model] });
    expect(told.usage).toMatchObject({ totalTokenCount: 18, own: [1] });
    expect(told.usage.cost_nano).toBe('390000');
    expect(parseSse(text).filter(({ json }) => json.usageMetadata)).toHaveLength(1);
  });

  test('with a reason in each chunk says it once', async () => {
    const chunks = ['One', ' two'].map(
      (text) => `${chunk(JSON.stringify({ text }), ',"finishReason":"STOP"')},${usage}}`,
    );
    gateway.upstream.next(sseScript(chunks.map((data) => `data: ${data}\n\n`)));
    const told = readGeminiStream(await (await ask('streamGenerateContent?alt=sse')).text());
    expect(told).toMatchObject({ text: 'One two', complete: true });
  });

  test('that is blocked is shown as Google says it, and is free', async () => {
    const blocked = `{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11}}`;
    gateway.upstream.next(sseScript([`data: ${blocked}\n\n`]));
    const response = await ask('streamGenerateContent?alt=sse');
    const [last] = parseSse(await response.text()).slice(-1);
    expect(last?.json).toMatchObject({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { cost_ntd: 0 } });
  });

  test('that fails before its first word is served by another format', async () => {
    gateway.upstream.otherwise(geminiError(503, { message: 'overloaded', status: 'UNAVAILABLE' }));
    other.next(chatStream());
    const response = await ask('streamGenerateContent?alt=sse');
    expect(response.headers.get('x-svc-channel')).toBe('other');
    expect(readGeminiStream(await response.text())).toMatchObject({ text: 'Hello there', complete: true });
  });

  test('that breaks off is continued by another format, with no word twice', async () => {
    const script = geminiStream({ pieces: ['Hello', ' there', ', you'] });
    const begun = String(script.body?.[0]).length;
    gateway.upstream.otherwise(cutAt(script, begun, 'fin', 20));
    other.next(chatStream({ pieces: ['Hel', 'lo there', ', you'] }));
    const told = readGeminiStream(await (await ask('streamGenerateContent?alt=sse')).text());
    expect(told).toMatchObject({ text: 'Hello there, you', complete: true });
  });
});

test('a history of another format goes to Google without the signatures of the gateway', async () => {
  gateway.upstream.next(geminiAnswer());
  const ours = Buffer.from(packReasoning('another', { text: 'Hm.', signature: 'sealed' })).toString('base64');
  const contents = [
    ...HELLO.contents,
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} }, thoughtSignature: ours }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: '1' } } }] },
  ];
  expect((await ask('generateContent', { contents })).status).toBe(200);
  const body = await sent();
  expect(body).not.toContain(ours);
  expect(body).toContain('skip_thought_signature_validator');
});

test('calls without a signature are translated for a model that wants one', async () => {
  gateway.upstream.next(geminiAnswer());
  const contents = [
    ...HELLO.contents,
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: '1' } } }] },
  ];
  expect((await ask('generateContent', { contents })).status).toBe(200);
  expect(await sent()).toContain('skip_thought_signature_validator');
});
