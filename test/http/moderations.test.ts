// POST /v1/moderations: passed through, free or priced by the token of input.

import { describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { twoRoutes, useMediaGateway } from '../support/media-gateway.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

const TOKEN = 2_000n;
const VERDICT = { flagged: true, categories: { violence: true }, category_scores: { violence: 0.91 } };
const IMAGE = { type: 'image_url', image_url: { url: 'https://x.test/a.png' } };

const media = useMediaGateway({
  channels: (url) => [openaiChannel('spare', url)],
  models: [
    upModel('judge', { kinds: ['moderation'], price: { input: 2 } }),
    upModel('judge-free', { kinds: ['moderation'], price: 'free' }),
    upModel('judge-twice', {
      kinds: ['moderation'],
      price: { input: 2 },
      aliases: ['omni-moderation-latest'],
      routes: twoRoutes('spare'),
    }),
  ],
});

const verdicts = (rest: Record<string, unknown> = {}, results: unknown = [VERDICT]) =>
  jsonScript(200, { id: 'modr-1', model: 'scripted-2026-01', results, ...rest });
const judge = (body: Record<string, unknown> = {}) =>
  media.gateway.call('/v1/moderations', { key: media.account.key, body: { model: 'judge', input: 'Hello', ...body } });

describe('what is passed on', () => {
  test.each([
    ['a text', 'Hello', [VERDICT]],
    ['texts', ['Hello', '你好'], [VERDICT, VERDICT]],
    ['parts', [{ type: 'text', text: 'Hello' }, IMAGE], [VERDICT]],
  ])('%s', async (_name, input, results) => {
    media.gateway.upstream.next(verdicts({}, results));
    const response = await judge({ input });
    expect(await response.json()).toEqual({ id: 'modr-1', model: 'judge', results });
    expect(response.headers.get('x-svc-channel')).toBe('up');
    const seen = media.gateway.upstream.requests.at(-1);
    expect(seen?.path).toBe('/v1/moderations');
    expect(seen?.json).toEqual({ model: 'scripted-2026-01', input });
  });

  test('the official SDK reads the verdict', async () => {
    media.gateway.upstream.next(verdicts());
    const client = new OpenAI({ baseURL: `${media.gateway.url}/v1`, apiKey: media.account.key });
    const { results } = await client.moderations.create({ model: 'judge', input: 'Hello' });
    expect(results[0]).toMatchObject({ flagged: true, category_scores: { violence: 0.91 } });
  });
});

test('a list of texts with a verdict missing is no answer: the call is retried', async () => {
  media.gateway.upstream.next(verdicts(), verdicts({}, [VERDICT, VERDICT]));
  const response = await judge({ model: 'judge-twice', input: ['Hello', '你好'] });
  expect(((await response.json()) as Answer).results).toHaveLength(2);
  expect((await media.receiptOf(response)).attempts).toHaveLength(2);
});

describe('the charge', () => {
  test('is the reported input', async () => {
    media.gateway.upstream.next(verdicts({ usage: { prompt_tokens: 4, total_tokens: 4 } }));
    expect(await media.receiptOf(await judge({ input: 'Hello, how are you?' }))).toMatchObject({
      input_tokens: 4,
      cost_nano: (4n * TOKEN).toString(),
      estimated: false,
    });
  });

  test('is counted by the gateway if there is no report', async () => {
    media.gateway.upstream.next(verdicts());
    const receipt = await media.receiptOf(await judge());
    expect(receipt).toMatchObject({ estimated: true, rule: 'served' });
    expect(receipt.input_tokens).toBeWithin(1, 20);
    expect(receipt.cost_nano).toBe((BigInt(receipt.input_tokens) * TOKEN).toString());
  });

  test('of a free model is nothing', async () => {
    media.gateway.upstream.next(verdicts());
    expect(await media.receiptOf(await judge({ model: 'judge-free' }))).toMatchObject({ cost_nano: '0', status: 'ok' });
  });

  test('of an answer without a verdict is nothing', async () => {
    media.gateway.upstream.next(verdicts({}, []));
    expect(await media.receiptOf(await judge())).toMatchObject({ cost_nano: '0', rule: 'empty_answer' });
  });
});

describe('without a model', () => {
  const judgeAs = (key: string, body: Record<string, unknown> = {}) =>
    media.gateway.call('/v1/moderations', { key, body: { input: 'Hello', ...body } });
  const keyFor = async (...models: string[]) => (await createKey(media.gateway, media.account.key, { models })).key;

  test('the only one that the key may use answers', async () => {
    media.gateway.upstream.next(verdicts());
    const response = await judgeAs(await keyFor('judge'), { model: null });
    expect((await response.json()) as Answer).toMatchObject({ model: 'judge' });
    expect(media.gateway.upstream.requests.at(-1)?.json.model).toBe('scripted-2026-01');
  });

  test('one of several must be named', async () => {
    const response = await judgeAs(await keyFor('judge', 'judge-free'));
    expect(response.status).toBe(400);
    const { error }: Answer = await response.json();
    expect(error.param).toBe('model');
    expect(error.message).toContain('judge, judge-free');
  });

  test('the default of OpenAI answers, if it is among them', async () => {
    media.gateway.upstream.next(verdicts());
    const response = await judgeAs(await keyFor('judge', 'judge-twice'));
    expect((await response.json()) as Answer).toMatchObject({ model: 'omni-moderation-latest' });
    expect(await media.receiptOf(response)).toMatchObject({ model: 'judge-twice' });
  });

  test('a quote holds for the call, which names none either', async () => {
    const body = { input: 'Hello' };
    const quote: Answer = await (
      await media.gateway.call('/api/quote', { key: media.account.key, body: { endpoint: '/v1/moderations', body } })
    ).json();
    expect(quote.model).toBe('judge-twice');
    media.gateway.upstream.next(verdicts());
    const response = await media.gateway.call('/v1/moderations', {
      ...{ key: media.account.key, body },
      headers: { 'x-svc-quote': quote.quote_id },
    });
    expect(response.status).toBe(200);
  });

  test('and without any that the key may use, the response says so', async () => {
    const response = await judgeAs(await keyFor('up-paid'));
    expect((await response.json()) as Answer).toMatchObject({
      error: {
        param: 'model',
        code: 'invalid_request',
        message:
          'model is missing, and this key may use no model for this call. GET /v1/models lists the models of the key with their endpoints.',
      },
    });
  });

  test('a name that is none is refused as it was', async () => {
    for (const model of ['', 7]) {
      expect(((await (await judge({ model })).json()) as Answer).error.param).toBe('model');
    }
  });
});

test.each([
  ['what is no answer', verdicts({}, [{ verdict: 'bad' }])],
  ['a failure', errorScript(500, { message: 'down' })],
])('%s: another channel is tried', async (_name, script) => {
  media.gateway.upstream.next(script);
  media.gateway.upstream.otherwise(verdicts());
  const response = await judge({ model: 'judge-twice' });
  expect(response.status).toBe(200);
  const { attempts }: Answer = await media.receiptOf(response);
  expect(attempts.length).toBeGreaterThan(1);
});

test.each([
  [''],
  [[]],
  [[1]],
  [[{ type: 'audio' }]],
  [[{ type: 'image_url', image_url: 'https://x.test/a.png' }]],
  [{ text: 'Hello' }],
])('input %j is refused by its name', async (input) => {
  const response = await judge({ input });
  expect(response.status).toBe(400);
  expect((await response.json()) as Answer).toMatchObject({ error: { param: 'input', code: 'invalid_request' } });
});
