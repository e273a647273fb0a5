// The official Anthropic SDK, as its users call it, over every kind of upstream.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../support/client-gateway.ts';
import {
  asksForTheWeather,
  describesAPerson,
  expectShapeWasAsked,
  expectToolRoundTrip,
  PERSON,
  personShape,
  saysHello,
  WEATHER,
} from '../support/conversations.ts';

let gateway: ClientGateway;
let client: Anthropic;

beforeAll(async () => {
  gateway = await startClientGateway();
  client = new Anthropic({ authToken: gateway.key, apiKey: null, baseURL: gateway.url, maxRetries: 0 });
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

const user = (content: string) => ({ role: 'user' as const, content });
const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const tool = { name: WEATHER.name, description: WEATHER.description, input_schema: WEATHER.schema };

describe('models', () => {
  test('are listed', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) if (model.lifecycle === 'active') ids.push(model.id);
    expect(ids).toEqual(expect.arrayContaining(['auto:free', 'demo-small', 'on-anthropic']));
  });

  test('one is retrieved, the colon in its name and all', async () => {
    expect(await client.models.retrieve('auto:free')).toMatchObject({ id: 'auto:free', display_name: 'Auto (free)' });
  });
});

describe.each([...KINDS_FOR.messages])('on a channel of the kind $kind', ({ model }) => {
  test('answers, with the channel and the cost in its headers', async () => {
    gateway.answer(saysHello);
    const { data, response, request_id } = await client.messages
      .create({ model, max_tokens: 100, system: 'Be brief.', messages: [user('Hi')] })
      .withResponse();
    expect(data).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' });
    expect(textOf(data)).toBe('Hello there');
    expect(data.usage).toMatchObject({ input_tokens: 11, output_tokens: 7 });
    expect(response.headers.get('x-svc-channel')).toBe(model);
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.000018');
    expect(request_id).toBe(response.headers.get('request-id'));
    expect(await gateway.heard(0)).toMatchObject({ system: 'Be brief.', prompt: 'Hi' });
  });

  test('streams through the helper that collects everything', async () => {
    gateway.answer(saysHello);
    const stream = client.messages.stream({ model, max_tokens: 100, messages: [user('Hi')] });
    const pieces: string[] = [];
    stream.on('text', (piece) => pieces.push(piece));
    const message = await stream.finalMessage();
    expect(pieces.join('')).toBe('Hello there');
    expect(textOf(message)).toBe('Hello there');
    expect(message).toMatchObject({ model, stop_reason: 'end_turn', usage: { output_tokens: 7 } });
  });

  test('streams event by event', async () => {
    gateway.answer(saysHello);
    const types: string[] = [];
    const stream = await client.messages.create({ model, max_tokens: 100, messages: [user('Hi')], stream: true });
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  test.each(['whole', 'streamed'])('a tool is called and its result told, %s', async (how) => {
    gateway.answer(asksForTheWeather);
    const ask = (messages: Anthropic.MessageParam[]) => {
      const body = { model, max_tokens: 100, tools: [tool], messages };
      return how === 'whole' ? client.messages.create(body) : client.messages.stream(body).finalMessage();
    };
    const first = await ask([user('Weather?')]);
    expect(first.stop_reason).toBe('tool_use');
    expect(textOf(first)).toBe('Let me look.');
    const call = first.content.find((block) => block.type === 'tool_use');
    expect(call).toMatchObject({ name: WEATHER.name, input: WEATHER.asked });
    const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? 'none', content: WEATHER.told };
    const last = await ask([
      user('Weather?'),
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ]);
    expect(textOf(last)).toBe(WEATHER.answer);
    await expectToolRoundTrip(gateway);
  });

  test('the runner that calls tools by itself comes to the end, though no thread is kept here', async () => {
    gateway.answer(asksForTheWeather);
    const asked: unknown[] = [];
    const weather = betaZodTool({
      name: WEATHER.name,
      description: WEATHER.description,
      inputSchema: WEATHER.input,
      run: (input) => {
        asked.push(input);
        return WEATHER.told;
      },
    });
    const message = await client.beta.messages.toolRunner({
      model,
      max_tokens: 100,
      tools: [weather],
      messages: [user('Weather?')],
    });
    expect(asked).toEqual([WEATHER.asked]);
    expect(message.content).toMatchObject([{ type: 'text', text: WEATHER.answer }]);
    await expectToolRoundTrip(gateway);
  });

  test('counts the tokens of a request', async () => {
    gateway.answer(saysHello);
    const { input_tokens } = await client.messages.countTokens({
      model,
      messages: [user('Hello there')],
      tools: [tool],
    });
    expect(input_tokens).toBeGreaterThan(0);
  });

  test('output has the shape that was asked for', async () => {
    gateway.answer(describesAPerson);
    const message = await client.messages.parse({
      model,
      max_tokens: 100,
      messages: [user('Who?')],
      output_config: { format: zodOutputFormat(personShape) },
    });
    expect(message.parsed_output).toEqual(PERSON);
    await expectShapeWasAsked(gateway);
  });
});
