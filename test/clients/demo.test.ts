// What the helpers of SDKs and frameworks need, on the demo channel alone: tools that run, and answers of a given shape.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { ChatOpenAI } from '@langchain/openai';
import { generateObject, generateText, isStepCount, type LanguageModel, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const shape = z.object({
  name: z.string(),
  age: z.number().int().min(18),
  tags: z.array(z.string()),
  role: z.enum(['admin', 'guest']),
});
const INSTANCE = { name: 'demo', age: 18, tags: [], role: 'admin' as const };
/** For helpers that take bounds and choices out of the schema they send. */
const loose = z.object({ name: z.string(), age: z.number().int(), tags: z.array(z.string()) });
const LOOSE_INSTANCE = { name: 'demo', age: 0, tags: [] };
const MODEL = 'demo-small';
const messages = [{ role: 'user' as const, content: 'Who?' }];

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

describe('OpenAI SDK', () => {
  const client = () => new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });

  test('chat.completions.parse', async () => {
    const format = zodResponseFormat(shape, 'person');
    const { choices } = await client().chat.completions.parse({ model: MODEL, messages, response_format: format });
    expect(choices[0]?.message.parsed).toEqual(INSTANCE);
  });

  test('responses.parse, and as a stream', async () => {
    const request = { model: MODEL, input: 'Who?', text: { format: zodTextFormat(shape, 'person') } };
    expect((await client().responses.parse(request)).output_parsed).toEqual(INSTANCE);
    const final = await client().responses.stream(request).finalResponse();
    expect(final.output_parsed).toEqual(INSTANCE);
  });

  test('runTools calls the tool and comes to an end', async () => {
    const asked: unknown[] = [];
    const runner = client().chat.completions.runTools({
      model: MODEL,
      messages,
      tools: [
        {
          type: 'function',
          function: {
            name: 'look_up',
            description: 'Looks somebody up',
            parameters: z.toJSONSchema(shape) as Record<string, unknown>,
            parse: (text: string): object => JSON.parse(text),
            function: (input: object) => {
              asked.push(input);
              return 'found';
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain('demo channel');
    expect(asked).toEqual([INSTANCE]);
  });
});

test('Anthropic SDK: messages.parse, and a stream with a forced tool', async () => {
  const client = new Anthropic({ authToken: key, apiKey: null, baseURL: gateway.url, maxRetries: 0 });
  const format = zodOutputFormat(loose);
  const parsed = await client.messages.parse({ model: MODEL, max_tokens: 500, messages, output_config: { format } });
  expect(parsed.parsed_output).toEqual(LOOSE_INSTANCE);
  const stream = client.messages.stream({
    model: MODEL,
    max_tokens: 500,
    messages,
    tools: [{ name: 'look_up', input_schema: { ...z.toJSONSchema(shape), type: 'object' } }],
    tool_choice: { type: 'tool', name: 'look_up' },
  });
  const { content, stop_reason } = await stream.finalMessage();
  expect(content).toMatchObject([{ type: 'tool_use', name: 'look_up', input: INSTANCE }]);
  expect(stop_reason).toBe('tool_use');
});

const ADDRESSES = () => ({ baseURL: `${gateway.url}/v1`, apiKey: key });
const AI_SDK: [name: string, model: () => LanguageModel][] = [
  ['openai', () => createOpenAI(ADDRESSES())(MODEL)],
  ['openai.chat', () => createOpenAI(ADDRESSES()).chat(MODEL)],
  ['anthropic', () => createAnthropic(ADDRESSES())(MODEL)],
  [
    'openai-compatible',
    () => createOpenAICompatible({ name: 'gateway', supportsStructuredOutputs: true, ...ADDRESSES() })(MODEL),
  ],
];

describe.each(AI_SDK)('AI SDK, %s', (_, model) => {
  const providerOptions = { openai: { store: false } };

  test('generateObject', async () => {
    const { object } = await generateObject({ model: model(), schema: shape, prompt: 'Who?' });
    expect(object).toEqual(INSTANCE);
  });

  test.each(['whole', 'streamed'])('calls a tool and comes to an end, %s', async (how) => {
    const asked: unknown[] = [];
    const lookUp = tool({
      inputSchema: shape,
      execute: (input) => {
        asked.push(input);
        return 'found';
      },
    });
    const options = { model: model(), prompt: 'Who?', tools: { lookUp }, stopWhen: isStepCount(3), providerOptions };
    const text = how === 'whole' ? (await generateText(options)).text : await streamText(options).text;
    expect(text).toContain('demo channel');
    expect(asked).toEqual([INSTANCE]);
  });
});

const LANGCHAIN: [name: string, model: () => BaseChatModel][] = [
  ['ChatOpenAI', () => new ChatOpenAI({ model: MODEL, apiKey: key, configuration: { baseURL: `${gateway.url}/v1` } })],
  [
    'ChatAnthropic',
    () =>
      new ChatAnthropic({ model: MODEL, apiKey: key, maxTokens: 500, anthropicApiUrl: gateway.url }) as BaseChatModel,
  ],
];

describe.each(LANGCHAIN)('LangChain, %s', (_, model) => {
  test.each(['jsonSchema', 'functionCalling'] as const)('withStructuredOutput by %s', async (method) => {
    expect(await model().withStructuredOutput(loose, { method }).invoke('Who?')).toEqual(LOOSE_INSTANCE);
  });
});
