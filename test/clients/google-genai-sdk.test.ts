// Google's Gen AI SDK, as its users call it, over every kind of upstream.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
} from '@google/genai';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../support/client-gateway.ts';
import {
  asksForTheWeather,
  describesAPerson,
  expectShapeWasAsked,
  expectToolRoundTrip,
  failure,
  PERSON,
  saysHello,
  WEATHER,
} from '../support/conversations.ts';
import { vectorAnswer } from '../support/media-answers.ts';

let gateway: ClientGateway;
let client: GoogleGenAI;
const clientWith = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });

beforeAll(async () => {
  gateway = await startClientGateway();
  client = clientWith(gateway.key);
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const weather = { name: WEATHER.name, description: WEATHER.description, parametersJsonSchema: WEATHER.schema };
const tools = [{ functionDeclarations: [weather] }];

async function collect(stream: AsyncGenerator<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test('models are listed, and one is retrieved, the colon in its name and all', async () => {
  const names: (string | undefined)[] = [];
  for await (const { name } of await client.models.list()) names.push(name);
  expect(names).toEqual(expect.arrayContaining(['models/auto:free', 'models/on-gemini']));
  expect(await client.models.get({ model: 'auto:free' })).toMatchObject({ name: 'models/auto:free' });
});

test('a fault has its status and our message', async () => {
  const unknown = await failure(clientWith('nothing').models.generateContent({ model: 'on-gemini', contents: 'Hi' }));
  expect(unknown).toBeInstanceOf(ApiError);
  expect(unknown).toMatchObject({ status: 401, message: expect.stringContaining('invalid_api_key') });
  const missing = await failure(client.models.generateContent({ model: 'no-such-model', contents: 'Hi' }));
  expect(missing).toMatchObject({ status: 404, message: expect.stringContaining('no-such-model') });
});

describe.each([...KINDS_FOR.gemini])('on a channel of the kind $kind', ({ model }) => {
  test('answers, with the usage', async () => {
    gateway.answer(saysHello);
    const config = { systemInstruction: 'Be brief.', maxOutputTokens: 100 };
    const response = await client.models.generateContent({ model, contents: 'Hi', config });
    expect(response.text).toBe('Hello there');
    expect(response).toMatchObject({ modelVersion: model, candidates: [{ finishReason: 'STOP' }] });
    expect(response.usageMetadata).toMatchObject({
      promptTokenCount: 11,
      candidatesTokenCount: 7,
      totalTokenCount: 18,
    });
    expect(response.sdkHttpResponse?.headers?.['x-svc-channel']).toBe(model);
    expect(await gateway.heard(0)).toMatchObject({ system: 'Be brief.', prompt: 'Hi' });
  });

  test('streams, and the last chunk has the usage', async () => {
    gateway.answer(saysHello);
    const chunks = await collect(await client.models.generateContentStream({ model, contents: 'Hi' }));
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Hello there');
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { totalTokenCount: 18 },
    });
  });

  test('a function is called and its result told', async () => {
    gateway.answer(asksForTheWeather);
    const ask = (contents: Content[]) => client.models.generateContent({ model, contents, config: { tools } });
    const first = await ask([user('Weather?')]);
    const [call] = first.functionCalls ?? [];
    expect(call).toMatchObject({ name: WEATHER.name, args: WEATHER.asked });
    const said = first.candidates?.[0]?.content ?? {};
    const result = { ...(call?.id ? { id: call.id } : {}), name: WEATHER.name, response: { output: WEATHER.told } };
    const last = await ask([user('Weather?'), said, { role: 'user', parts: [{ functionResponse: result }] }]);
    expect(last.text).toBe(WEATHER.answer);
    await expectToolRoundTrip(gateway);
  });

  test('a chat keeps a streamed call in its history, and goes on with it', async () => {
    gateway.answer(asksForTheWeather);
    const chat = client.chats.create({ model, config: { tools } });
    const chunks = await collect(await chat.sendMessageStream({ message: 'Weather?' }));
    const [call] = chunks.flatMap(({ functionCalls }) => functionCalls ?? []);
    const result = { ...(call?.id ? { id: call.id } : {}), name: WEATHER.name, response: { output: WEATHER.told } };
    const last = await chat.sendMessage({ message: [{ functionResponse: result }] });
    expect(last.text).toBe(WEATHER.answer);
    await expectToolRoundTrip(gateway);
  });

  test('a stream that fails midway throws after what came before', async () => {
    const breakOff = gateway.breakOff();
    let text = '';
    const read = async () => {
      for await (const chunk of await client.models.generateContentStream({ model, contents: 'Hi' })) {
        text += chunk.text ?? '';
        if (text !== '') breakOff();
      }
    };
    const error = await failure(read());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ message: expect.stringContaining('upstream_failed') });
    expect(text).toBe('Hello');
  });

  test('answers in the shape asked for', async () => {
    gateway.answer(describesAPerson);
    const schema = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'number' } } };
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema };
    const { text } = await client.models.generateContent({ model, contents: 'Who?', config });
    expect(JSON.parse(text ?? '')).toEqual(PERSON);
    await expectShapeWasAsked(gateway);
  });

  test('counts the tokens of a request', async () => {
    const { totalTokens } = await client.models.countTokens({ model, contents: 'Hello there' });
    expect(totalTokens).toBeGreaterThan(0);
    expect(gateway.upstream.requests).toEqual([]);
  });
});

describe('texts', () => {
  const contents = ['first', 'second'];

  test('are embedded, and what no upstream takes is reported', async () => {
    gateway.upstream.otherwise(vectorAnswer(2));
    const config = { outputDimensionality: 3, taskType: 'RETRIEVAL_QUERY' };
    const { embeddings, sdkHttpResponse } = await client.models.embedContent({ model: 'vectors', contents, config });
    expect(embeddings).toHaveLength(2);
    for (const { values } of embeddings ?? []) expect(values?.every(Number.isFinite)).toBe(true);
    expect(sdkHttpResponse?.headers).toMatchObject({ 'x-svc-channel': 'up', 'x-svc-dropped': 'taskType' });
    expect(Number(sdkHttpResponse?.headers?.['x-svc-cost-ntd'])).toBeGreaterThan(0);
    expect((await gateway.upstream.request(0)).json).toMatchObject({ input: contents, dimensions: 3 });
  });

  test('of a model that embeds nothing are refused in a form that the SDK reads', async () => {
    const refused = await failure(client.models.embedContent({ model: 'on-gemini', contents }));
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('unsupported_endpoint') });
  });
});

test('a function that must be called is', async () => {
  gateway.answer(asksForTheWeather);
  const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } };
  const config = { tools, toolConfig };
  const { functionCalls } = await client.models.generateContent({ model: 'on-openai', contents: 'Weather?', config });
  expect(functionCalls).toMatchObject([{ name: WEATHER.name }]);
});
