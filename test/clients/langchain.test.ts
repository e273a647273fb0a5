// LangChain with its packages for OpenAI and Anthropic, over every kind of upstream.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../support/client-gateway.ts';
import {
  asksForTheWeather,
  describesAPerson,
  expectShapeWasAsked,
  expectToolRoundTrip,
  failure,
  PERSON,
  personShape,
  saysHello,
  WEATHER,
} from '../support/conversations.ts';
import { openDoorway } from '../support/doorway.ts';
import { VECTOR, vectorAnswer } from '../support/media-answers.ts';

let gateway: ClientGateway;

beforeAll(async () => {
  gateway = await startClientGateway({ limits: {} });
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

interface Way {
  key?: string;
  url?: string;
  maxRetries?: number;
}

const viaOpenai = (model: string, { key = gateway.key, url = gateway.url, maxRetries = 0 }: Way = {}): BaseChatModel =>
  new ChatOpenAI({ model, apiKey: key, maxRetries, configuration: { baseURL: `${url}/v1` } });
const viaAnthropic = (model: string, { key = gateway.key, url = gateway.url, maxRetries = 0 }: Way = {}) =>
  new ChatAnthropic({ model, apiKey: key, maxRetries, maxTokens: 200, anthropicApiUrl: url }) as BaseChatModel;

const CLIENTS = [
  { name: 'ChatOpenAI', kinds: KINDS_FOR.chat, chat: viaOpenai },
  { name: 'ChatAnthropic', kinds: KINDS_FOR.messages, chat: viaAnthropic },
];
const CASES = CLIENTS.flatMap(({ name, kinds, chat }) => kinds.map((kind) => ({ ...kind, name, chat })));

const weather = tool(() => WEATHER.told, {
  name: WEATHER.name,
  description: WEATHER.description,
  schema: WEATHER.input,
});

describe.each(CASES)('$name, on a channel of the kind $kind', ({ model, chat }) => {
  const client = () => chat(model);

  test('answers', async () => {
    gateway.answer(saysHello);
    const message = await client().invoke([new SystemMessage('Be brief.'), new HumanMessage('Hi')]);
    expect(message.text).toBe('Hello there');
    expect(message.usage_metadata).toMatchObject({ input_tokens: 11, output_tokens: 7 });
    expect(await gateway.heard(0)).toMatchObject({ system: 'Be brief.', prompt: 'Hi' });
  });

  test('streams', async () => {
    gateway.answer(saysHello);
    const pieces: string[] = [];
    for await (const chunk of await client().stream('Hi')) pieces.push(chunk.text);
    expect(pieces.join('')).toBe('Hello there');
  });

  test.each(['whole', 'streamed'])('a tool is called and its result told, %s', async (how) => {
    gateway.answer(asksForTheWeather);
    const bound = client().bindTools?.([weather]);
    if (!bound) throw new Error('this client has no tools');
    const first = new HumanMessage('Weather?');
    const ask = async (messages: BaseMessage[]) => {
      if (how === 'whole') return bound.invoke(messages);
      const [begun, ...chunks] = await Array.fromAsync(await bound.stream(messages));
      return chunks.reduce((whole, chunk) => whole.concat(chunk), begun as NonNullable<typeof begun>);
    };
    const asked = await ask([first]);
    expect(asked.tool_calls).toMatchObject([{ name: WEATHER.name, args: WEATHER.asked }]);
    const result = new ToolMessage({ content: WEATHER.told, tool_call_id: asked.tool_calls?.[0]?.id ?? 'none' });
    expect((await ask([first, asked, result])).text).toBe(WEATHER.answer);
    await expectToolRoundTrip(gateway);
  });

  test.each(['jsonSchema', 'functionCalling'] as const)('answers in the shape asked for, by %s', async (method) => {
    gateway.answer(describesAPerson);
    expect(await client().withStructuredOutput(personShape, { method }).invoke('Who?')).toEqual(PERSON);
    await expectShapeWasAsked(gateway);
  });

  test('throws what came inside a stream, after what came before', async () => {
    const breakOff = gateway.breakOff();
    let text = '';
    const read = async () => {
      for await (const chunk of await client().stream('Hi')) {
        text += chunk.text;
        if (text !== '') breakOff();
      }
    };
    expect(await failure(read())).toMatchObject({
      message: expect.stringContaining('Every channel of this model failed'),
    });
    expect(text).toBe('Hello');
  });
});

describe.each(CLIENTS)('$name, refused', ({ chat, kinds: [{ model }] }) => {
  test.each([
    ['a bad key', 401, 'Send a valid key', () => chat(model, { key: 'sk-svc-not-a-key' })],
    ['no money', 402, 'Redeem a prepaid card', () => chat('dear')],
    ['an unknown model', 404, "Model 'nope' does not exist", () => chat('nope')],
  ])('%s: shows our words', async (_what, status, words, asked) => {
    const error = await failure(asked().invoke('Hi'));
    expect(error).toMatchObject({ status, message: expect.stringContaining(words) });
  });

  test('what a repeat cannot mend is not repeated', async () => {
    const door = openDoorway(gateway.url);
    expect(await failure(chat('dear', { url: door.url, maxRetries: 3 }).invoke('Hi'))).toMatchObject({ status: 402 });
    expect(door.passages).toHaveLength(1);
    await door.close();
  });
});

test('vectors, which it asks for as base64', async () => {
  gateway.upstream.next(vectorAnswer());
  const vectors = new OpenAIEmbeddings({
    model: 'vectors',
    apiKey: gateway.key,
    configuration: { baseURL: `${gateway.url}/v1` },
  });
  expect([...(await vectors.embedQuery('Hello'))]).toEqual(VECTOR);
});
