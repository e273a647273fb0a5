// What the AI SDK must be able to do through the gateway, whichever of its providers it goes by: each speaks a format.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { APICallError, generateText, isStepCount, type LanguageModel, Output, streamText, tool } from 'ai';
import { type ClientGateway, type Kinds, startClientGateway } from '../support/client-gateway.ts';
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

// Its remarks about models it does not know are for others.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

export interface Address {
  url: string;
  key: string;
}

type Options = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;

export interface AiSdkProvider {
  name: string;
  kinds: Kinds;
  /** Tells the model only that JSON is wanted, not its shape. */
  isShapeless?: boolean;
  model(address: Address, id: string): LanguageModel;
  /** Options without which its tools cannot work through a gateway. */
  options?: Options;
}

export function describeAiSdk({ name, kinds, isShapeless, model: modelOf, options = {} }: AiSdkProvider): void {
  let gateway: ClientGateway;
  const model = (id: string, key = gateway.key) => modelOf({ url: gateway.url, key }, id);

  beforeAll(async () => {
    gateway = await startClientGateway({ limits: {} });
  });
  beforeEach(() => gateway.upstream.reset());
  afterAll(() => gateway.stop());

  const weather = () => {
    const asked: unknown[] = [];
    const lookUp = tool({
      description: WEATHER.description,
      inputSchema: WEATHER.input,
      execute: (input) => {
        asked.push(input);
        return WEATHER.told;
      },
    });
    return { asked, tools: { [WEATHER.name]: lookUp } };
  };

  describe.each([...kinds])(`${name}, on a channel of the kind $kind`, ({ model: id }) => {
    test('generates text', async () => {
      gateway.answer(saysHello);
      const result = await generateText({ model: model(id), system: 'Be brief.', prompt: 'Hi', maxRetries: 0 });
      expect(result.text).toBe('Hello there');
      expect(result.finishReason).toBe('stop');
      expect(result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
      expect(result.response.headers?.['x-svc-channel']).toBe(id);
      expect(await gateway.heard(0)).toMatchObject({ system: 'Be brief.', prompt: 'Hi' });
    });

    test('streams text', async () => {
      gateway.answer(saysHello);
      const result = streamText({ model: model(id), prompt: 'Hi', maxRetries: 0 });
      const pieces: string[] = [];
      for await (const piece of result.textStream) pieces.push(piece);
      expect(pieces).toEqual(['Hello', ' there']);
      expect(await result.finishReason).toBe('stop');
      expect(await result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    });

    test('calls a tool by itself and comes to the end', async () => {
      gateway.answer(asksForTheWeather);
      const { asked, tools } = weather();
      const result = await generateText({
        model: model(id),
        prompt: 'Weather?',
        tools,
        stopWhen: isStepCount(3),
        providerOptions: options,
      });
      expect(asked).toEqual([WEATHER.asked]);
      expect(result.text).toBe(WEATHER.answer);
      expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
      await expectToolRoundTrip(gateway);
    });

    test('calls a tool within a stream', async () => {
      gateway.answer(asksForTheWeather);
      const { asked, tools } = weather();
      const result = streamText({
        model: model(id),
        prompt: 'Weather?',
        tools,
        stopWhen: isStepCount(3),
        providerOptions: options,
      });
      await result.consumeStream();
      expect(asked).toEqual([WEATHER.asked]);
      expect(await result.text).toBe(WEATHER.answer);
      await expectToolRoundTrip(gateway);
    });

    test('answers in the shape that was asked for', async () => {
      gateway.answer(describesAPerson);
      const { output } = await generateText({
        model: model(id),
        prompt: 'Who?',
        output: Output.object({ schema: personShape }),
      });
      expect(output).toEqual(PERSON);
      if (!isShapeless) await expectShapeWasAsked(gateway);
    });

    test('tells what came inside a stream, after what came before', async () => {
      const breakOff = gateway.breakOff();
      const parts: [type: string, content: unknown][] = [];
      const { fullStream } = streamText({ model: model(id), prompt: 'Hi', maxRetries: 0, onError: () => {} });
      for await (const part of fullStream) {
        if (part.type === 'text-delta') {
          parts.push([part.type, part.text]);
          breakOff();
        }
        if (part.type === 'error') parts.push([part.type, part.error]);
      }
      expect(parts).toEqual([
        ['text-delta', 'Hello'],
        ['error', expect.anything()],
      ]);
      expect(Bun.inspect(parts.at(-1))).toContain('Every channel of this model failed');
    });
  });

  describe(`${name}, refused`, () => {
    const [{ model: id }] = kinds;
    const ask = (asked: LanguageModel) => generateText({ model: asked, prompt: 'Hi', maxRetries: 0 });

    test.each([
      ['a bad key', 401, 'Send a valid key', () => model(id, 'sk-svc-not-a-key')],
      ['no money', 402, 'Redeem a prepaid card', () => model('dear')],
      ['an unknown model', 404, "Model 'nope' does not exist", () => model('nope')],
    ])('%s: an APICallError that shows our words', async (_what, statusCode, words, asked) => {
      const error = await failure(ask(asked()));
      expect(error).toBeInstanceOf(APICallError);
      expect(error).toMatchObject({ statusCode, isRetryable: false, message: expect.stringContaining(words) });
    });

    test('too often: an APICallError that may be repeated', async () => {
      const { key } = await gateway.register();
      const asked = model('auto:free', key);
      for (let i = 0; i < 6; i++) await ask(asked);
      const error = await failure(
        generateText({ model: asked, prompt: 'Hi', maxRetries: 0, headers: { 'x-svc-no-wait': '1' } }),
      );
      expect(error).toMatchObject({ statusCode: 429, isRetryable: true });
    });

    test('what a repeat cannot mend is not repeated', async () => {
      const door = openDoorway(gateway.url);
      const asked = modelOf({ url: door.url, key: gateway.key }, 'dear');
      expect(await failure(generateText({ model: asked, prompt: 'Hi', maxRetries: 3 }))).toMatchObject({
        statusCode: 402,
      });
      expect(door.passages).toHaveLength(1);
      await door.close();
    });
  });
}
