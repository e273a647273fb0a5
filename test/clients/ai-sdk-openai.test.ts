// The AI SDK with OpenAI's own provider as it comes, which uses the responses format.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../support/client-gateway.ts';
import { asksForTheWeather, failure, WEATHER } from '../support/conversations.ts';
import { type Address, describeAiSdk } from './describe-ai-sdk.ts';

let gateway: ClientGateway;

beforeAll(async () => {
  gateway = await startClientGateway();
});
afterAll(() => gateway.stop());

const modelOf = ({ url, key }: Address, id: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key })(id);

describeAiSdk({
  name: 'openai()',
  kinds: KINDS_FOR.responses,
  model: modelOf,
  // Else it sends ids in place of what was said, and nobody here keeps what was said.
  options: { openai: { store: false } },
});

test.each([...KINDS_FOR.responses])(
  'without store: false a tool’s result is refused with that advice, on $kind',
  async ({ model }) => {
    gateway.answer(asksForTheWeather);
    const { name, input, description, told } = WEATHER;
    const error = await failure(
      generateText({
        model: modelOf(gateway, model),
        prompt: 'Weather?',
        tools: { [name]: tool({ description, inputSchema: input, execute: () => told }) },
        stopWhen: isStepCount(3),
      }),
    );
    expect(error).toMatchObject({ statusCode: 400, message: expect.stringContaining('store: false') });
  },
);
