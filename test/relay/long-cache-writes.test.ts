// OpenAI reports cache writes as one figure, and charges more for those that the request keeps for 12 hours.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { messageAnswer } from '../support/anthropic-messages.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { responseAnswer, responseStream } from '../support/openai-responses.ts';
import { upModel } from '../support/test-document.ts';
import { wireClient } from '../support/wire-clients.ts';

const PRICE = { input: 10, cached_input: 1, cache_write_5m: 12.5, cache_write_1h: 20, output: 40 };
const CHAT_USAGE = {
  ...{ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
  prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 70 },
};
const RESPONSE_USAGE = {
  ...{ input_tokens: 100, output_tokens: 5, total_tokens: 105 },
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 70 },
};
const LONG = { cache_write_5m_tokens: 0, cache_write_1h_tokens: 70 };
const SHORT = { cache_write_5m_tokens: 70, cache_write_1h_tokens: 0 };

const chat = (stream: boolean) => (stream ? chatStream : chatAnswer)({ usage: CHAT_USAGE });
const responses = (stream: boolean) => (stream ? responseStream : responseAnswer)({ usage: RESPONSE_USAGE });

describe.each([
  ['chat', chat],
  ['responses', responses],
] as const)('%s', (name, answer) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab(wireClient(name), {
      main: { price: PRICE },
      models: [
        upModel('without-long-price', {
          price: { input: 10, cache_write_5m: 12.5, output: 40 },
          routes: [{ channel: 'first', model: 'scripted' }],
        }),
      ],
    });
  });
  beforeEach(() => lab.first.reset());
  afterAll(() => lab.stop());

  const written = async (fields: Record<string, unknown>, stream = false) => {
    lab.first.next(answer(stream));
    const { record, status } = await lab.ask({ stream, ...fields });
    expect(status).toBe(200);
    return record;
  };

  test.each([false, true])('a write for 12 hours has the price of a long one, streamed: %p', async (stream) => {
    const record = await written({ prompt_cache_options: { ttl: '12h' } }, stream);
    const cost = String(10 * 10_000 + 20 * 1_000 + 70 * 20_000 + 5 * 40_000);
    expect(record).toMatchObject({ ...LONG, input_tokens: 10, cached_input_tokens: 20, cost_nano: cost });
    expect(lab.first.requests[0]?.json).toMatchObject({ prompt_cache_options: { ttl: '12h' } });
  });

  test.each([
    {},
    { prompt_cache_options: { ttl: '30m' } },
    { prompt_cache_options: { mode: 'explicit' } },
    { prompt_cache_options: null },
    { prompt_cache_options: '12h' },
    { prompt_cache_retention: '24h' },
  ])('a write with %j has the price of a short one', async (fields) => {
    expect(await written(fields)).toMatchObject(SHORT);
  });

  test('so has one for 12 hours where the model has no price for long ones, which would be lower', async () => {
    const record = await written({ model: 'without-long-price', prompt_cache_options: { ttl: '12h' } });
    expect(record).toMatchObject(SHORT);
  });
});

test('a translated request is charged as its upstream reports', async () => {
  const lab = await startLab(wireClient('chat'), {
    first: { kind: 'anthropic' },
    second: { kind: 'anthropic' },
    main: { price: PRICE },
  });
  const usage = { input_tokens: 10, cache_creation_input_tokens: 70, output_tokens: 5 };
  lab.first.next(messageAnswer({ usage }));
  const { record } = await lab.ask({ prompt_cache_options: { ttl: '12h' } });
  expect(record).toMatchObject(SHORT);
  await lab.stop();
});
