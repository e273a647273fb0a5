// Chats, tools and shaped answers through the official OpenAI SDK, over every kind of upstream.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
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
import { eventually } from '../support/eventually.ts';

let gateway: ClientGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startClientGateway();
  client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

const user = (content: string) => ({ role: 'user' as const, content });
const described = { name: WEATHER.name, description: WEATHER.description, parameters: WEATHER.schema };

describe.each([...KINDS_FOR.chat])('on a channel of the kind $kind', ({ model }) => {
  test('answers, with the channel and the cost in its headers', async () => {
    gateway.answer(saysHello);
    const { data, response } = await client.chat.completions
      .create({ model, messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')] })
      .withResponse();
    expect(data).toMatchObject({ object: 'chat.completion', model });
    expect(data.choices).toMatchObject([{ message: { content: 'Hello there' }, finish_reason: 'stop' }]);
    expect(data.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 });
    expect(response.headers.get('x-svc-channel')).toBe(model);
    expect(response.headers.get('x-svc-cost-ntd')).toBe('0.000018');
    expect(await gateway.heard(0)).toMatchObject({ system: 'Be brief.', prompt: 'Hi' });
  });

  test('streams through the helper that collects everything', async () => {
    gateway.answer(saysHello);
    const stream = client.chat.completions.stream({
      model,
      messages: [user('Hi')],
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    stream.on('content', (piece) => pieces.push(piece));
    const final = await stream.finalChatCompletion();
    expect(pieces).toEqual(['Hello', ' there']);
    expect(final.choices).toMatchObject([{ message: { content: 'Hello there' }, finish_reason: 'stop' }]);
    expect(final.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 });
  });

  test.each(['whole', 'streamed'])('a tool is called and its result told, %s', async (how) => {
    gateway.answer(asksForTheWeather);
    const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
      const body = { model, messages, tools: [{ type: 'function' as const, function: described }] };
      const answer =
        how === 'whole'
          ? await client.chat.completions.create(body)
          : await client.chat.completions.stream(body).finalChatCompletion();
      return answer.choices[0];
    };
    const first = await ask([user('Weather?')]);
    expect(first?.finish_reason).toBe('tool_calls');
    const call = first?.message.tool_calls?.[0];
    if (!first || call?.type !== 'function') throw new Error('no function was called');
    expect(first.message).toMatchObject({
      content: 'Let me look.',
      tool_calls: [{ function: { name: WEATHER.name } }],
    });
    expect(JSON.parse(call.function.arguments)).toEqual(WEATHER.asked);
    const last = await ask([
      user('Weather?'),
      first.message,
      { role: 'tool', tool_call_id: call.id, content: WEATHER.told },
    ]);
    expect(last?.message.content).toBe(WEATHER.answer);
    await expectToolRoundTrip(gateway);
  });

  test.each([false, true])('the runner that calls tools by itself comes to the end, streamed: %p', async (stream) => {
    gateway.answer(asksForTheWeather);
    const asked: unknown[] = [];
    const look = (input: object) => {
      asked.push(input);
      return WEATHER.told;
    };
    const tool = {
      type: 'function' as const,
      function: { ...described, parse: (text: string): object => JSON.parse(text), function: look },
    };
    const body = { model, messages: [user('Weather?')], tools: [tool] };
    const runner = stream
      ? client.chat.completions.runTools({ ...body, stream: true })
      : client.chat.completions.runTools(body);
    expect(await runner.finalContent()).toBe(WEATHER.answer);
    expect(asked).toEqual([WEATHER.asked]);
    await expectToolRoundTrip(gateway);
  });

  test('answers in the shape that was asked for', async () => {
    gateway.answer(describesAPerson);
    const { choices } = await client.chat.completions.parse({
      model,
      messages: [user('Who?')],
      response_format: zodResponseFormat(personShape, 'person'),
    });
    expect(choices[0]?.message.parsed).toEqual(PERSON);
    await expectShapeWasAsked(gateway);
  });

  test('throws what came inside a stream, after what came before', async () => {
    const breakOff = gateway.breakOff();
    let text = '';
    const read = async () => {
      const stream = await client.chat.completions.create({ model, messages: [user('Hi')], stream: true });
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        if (text !== '') breakOff();
      }
    };
    const error = await failure(read());
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'upstream_failed' });
    expect(text).toBe('Hello');
  });

  test('ends the call when its stream is left', async () => {
    gateway.stall();
    const stream = await client.chat.completions.create({ model, messages: [user('Hi')], stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    const seen = await gateway.upstream.request(0);
    await eventually('the upstream to be left', () => seen.abortedAt);
  });
});
