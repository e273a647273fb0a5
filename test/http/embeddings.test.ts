// POST /v1/embeddings: texts or tokens in, floats or base64 out, whichever the upstream speaks, and exact to the nano.

import { describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { useMediaGateway } from '../support/media-gateway.ts';
import { errorScript, jsonScript } from '../support/openai-chat.ts';
import { untilHeard } from '../support/race.ts';
import { upModel } from '../support/test-document.ts';

const VECTOR = [0.5, -1.25, 3];
const PACKED = 'AAAAPwAAoL8AAEBA';
const INPUT = 2_000n;
/** Of two texts. */
const MISCOUNTED = { 'one-vector': [VECTOR], 'three-vectors': [VECTOR, VECTOR, VECTOR] };
/** Each with a model of its own, because breakers are for a model. */
const SPOILT = {
  'with-null': '[0.5,null]',
  'with-a-text': '[0.5,"3"]',
  'with-a-list': '[[0.5]]',
  'with-more-than-a-number-can-be': '[1e400]',
  'without-a-number': '[]',
  'without-a-text': '""',
  'with-half-a-number': '"AAA="',
};
const PRICED = { kinds: ['embeddings'], price: { input: 2 } };

const media = useMediaGateway({
  models: [
    upModel('vectors', PRICED),
    upModel('dear-vectors', { ...PRICED, price: { input: 1_000 } }),
    upModel('cached-vectors', { ...PRICED, price: { input: 2, cached_input: 0.5 } }),
    upModel('short-vectors', { ...PRICED, context_tokens: 100 }),
    ...Object.keys({ ...SPOILT, ...MISCOUNTED }).map((id) =>
      upModel(id, { ...PRICED, routes: [{ channel: 'up', model: id }] }),
    ),
  ],
});

const answer = (embedding: unknown, usage: unknown = { prompt_tokens: 4, total_tokens: 4 }, count = 1) =>
  jsonScript(200, {
    object: 'list',
    data: Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding })),
    model: 'scripted-2026-01',
    ...(usage === null ? {} : { usage }),
  });
const embed = (body: Record<string, unknown>) =>
  media.gateway.call('/v1/embeddings', { key: media.account.key, body: { model: 'vectors', input: 'Hello', ...body } });

describe('the client gets what it asked for', () => {
  test.each([
    ['floats from floats', undefined, VECTOR, VECTOR],
    ['floats from base64', 'float', PACKED, VECTOR],
    ['base64 from floats', 'base64', VECTOR, PACKED],
    ['base64 from base64', 'base64', PACKED, PACKED],
  ])('%s', async (_name, encoding_format, given, expected) => {
    media.gateway.upstream.next(answer(given));
    const response = await embed(encoding_format === undefined ? {} : { encoding_format });
    expect(response.status).toBe(200);
    const body = (await response.json()) as { data: { embedding: unknown }[]; model: string };
    expect(body.data[0]?.embedding).toEqual(expected);
    expect(body.model).toBe('vectors');
    expect(response.headers.get('x-svc-channel')).toBe('up');
  });

  test('the official SDK, which asks for base64 by itself, decodes the same vector', async () => {
    media.gateway.upstream.next(answer(VECTOR));
    const client = new OpenAI({ baseURL: `${media.gateway.url}/v1`, apiKey: media.account.key });
    const { data } = await client.embeddings.create({ model: 'vectors', input: 'Hello' });
    expect([...(data[0]?.embedding ?? [])]).toEqual(VECTOR);
  });
});

describe('a vector that holds anything but numbers is no answer', () => {
  test.each(Object.entries(SPOILT))('%s', async (model, vector) => {
    const { body = [], ...script } = answer('here');
    media.gateway.upstream.otherwise({ ...script, body: [String(body[0]).replace('"here"', vector)] });
    const encodings = ['float', 'base64'];
    const answers = await Promise.all(
      encodings.map((encoding_format) => untilHeard(() => embed({ model, encoding_format }))),
    );
    media.gateway.upstream.reset();
    expect(answers.map(({ status }) => status)).toEqual([502, 502]);
  });
});

describe('the charge', () => {
  const costOf = async (response: Response) => {
    const receipt = await media.gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, media.account.key);
    return { cost: BigInt(receipt.cost_nano), estimated: receipt.estimated, input: receipt.input_tokens };
  };

  test('is what the upstream reported, at the price of input', async () => {
    media.gateway.upstream.next(answer(VECTOR, { prompt_tokens: 123, total_tokens: 123 }));
    expect(await costOf(await embed({ input: 'word '.repeat(200) }))).toEqual({
      cost: 123n * INPUT,
      estimated: false,
      input: 123,
    });
  });

  test('of what came from a cache is at the price that the catalog shows for it', async () => {
    const usage = { prompt_tokens: 123, total_tokens: 123, prompt_tokens_details: { cached_tokens: 100 } };
    media.gateway.upstream.next(answer(VECTOR, usage));
    const { cost } = await costOf(await embed({ model: 'cached-vectors', input: 'word '.repeat(200) }));
    expect(cost).toBe(23n * INPUT + 100n * 500n);
    const { data } = (await (await media.gateway.call('/api/public/catalog')).json()) as Answer;
    const { price } = data.find(({ id }: Answer) => id === 'cached-vectors');
    expect(price).toMatchObject({ input: 2, cached_input: 0.5, cache_write_1h: null, output: null });
  });

  test.each([
    ['tokens', [1, 2, 3, 4, 5], 5, 1],
    ['lists of tokens', [[1, 2, 3], [4]], 4, 2],
  ])('without a report counts %s as they are', async (_name, input, tokens, vectors) => {
    media.gateway.upstream.next(answer(VECTOR, null, vectors));
    expect(await costOf(await embed({ input }))).toEqual({
      cost: BigInt(tokens) * INPUT,
      estimated: true,
      input: tokens,
    });
  });

  test.each([
    ['one text', 'x', 3, 1],
    ['two texts', ['x', 'x'], 6, 2],
    ['tokens', [1, 2], 2, 1],
    ['lists of tokens', [[1], [2]], 2, 2],
  ])('of %s is held with two marks for each text', async (_name, input, tokens, vectors) => {
    media.gateway.upstream.next(answer(VECTOR, undefined, vectors));
    const response = await embed({ input });
    const [row] = media.gateway.sql<{ held_nano: bigint }>(
      'SELECT held_nano FROM usage_records WHERE request_id = ?',
      response.headers.get('x-request-id') ?? '',
    );
    expect(row?.held_nano).toBe(BigInt(tokens) * INPUT);
  });

  test('is nothing when the upstream fails', async () => {
    const { balance_nano } = await media.gateway.get('/api/me', media.account.key);
    media.gateway.upstream.otherwise(errorScript(500, { message: 'no' }));
    expect((await embed({})).status).toBe(502);
    media.gateway.upstream.reset();
    expect(await media.gateway.get('/api/me', media.account.key)).toMatchObject({ balance_nano, held_nano: '0' });
  });
});

test.each(Object.entries(MISCOUNTED))(
  'an answer of %s to two texts is not charged, and its cost is booked',
  async (model, vectors) => {
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
    media.gateway.upstream.otherwise(jsonScript(200, { data, usage: { prompt_tokens: 4, total_tokens: 4 } }));
    const { balance_nano } = await media.gateway.get('/api/me', media.account.key);
    expect((await embed({ model, input: ['one', 'two'] })).status).toBe(502);
    expect(await media.gateway.get('/api/me', media.account.key)).toMatchObject({ balance_nano, held_nano: '0' });
    const booked = 'SELECT reason, amount_nano FROM losses WHERE account_id = ?';
    expect(media.gateway.sql(booked, media.account.accountId)).toContainEqual({
      reason: 'no_answer',
      amount_nano: 4n * INPUT,
    });
  },
);

describe('without the money', () => {
  test.each([
    ['the wallet', null, 'insufficient_balance', '. Send less input, or redeem a prepaid card to add balance.'],
    ['the budget', 0.01, 'key_budget_exceeded', '. Send less input, or raise the budget '],
    ['any budget', 0, 'key_budget_exceeded', '. Raise the budget '],
  ])(
    'of %s it is told what would help, and no number of output tokens',
    async (_name, daily_budget_ntd, code, words) => {
      const { key } = await createKey(media.gateway, media.account.key, { daily_budget_ntd });
      const response = await media.gateway.call('/v1/embeddings', {
        key,
        body: { model: 'dear-vectors', input: Array(2_000).fill(7) },
      });
      expect(response.status).toBe(402);
      const { error } = (await response.json()) as Answer;
      expect(error.code).toBe(code);
      expect(error.message).toContain(words);
      expect(error).not.toHaveProperty('affordable_max_tokens');
      expect(JSON.stringify(error.actions)).not.toContain('auto:free');
    },
  );
});

describe('a bad request is refused with its field', () => {
  test.each([
    ['no input', { input: undefined }, 'input'],
    ['an empty text', { input: '' }, 'input'],
    ['an empty list', { input: [] }, 'input'],
    ['an empty text in a list', { input: ['a', ''] }, 'input[1]'],
    ['a negative token', { input: [[1, -2]] }, 'input[0]'],
    ['an object', { input: {} }, 'input'],
    ['an unknown encoding', { encoding_format: 'hex' }, 'encoding_format'],
  ])('%s', async (_name, body, param) => {
    const response = await embed(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
  });

  test('a model of another kind', async () => {
    const response = await embed({ model: 'up-paid' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_endpoint', param: 'model' } });
  });
});

describe('several inputs', () => {
  const list = (count: number, tokens: number) => Array.from({ length: count }, () => Array(tokens).fill(7));

  test('must each fit the context; together they may be more, and are paid for', async () => {
    const alarms = media.gateway.log.alarms('usage_above_hold').length;
    media.gateway.upstream.next(answer(VECTOR, { prompt_tokens: 640, total_tokens: 640 }, 10));
    const response = await embed({ model: 'short-vectors', input: list(10, 64) });
    expect(response.status).toBe(200);
    const { data } = await media.gateway.get('/api/usage', media.account.key);
    expect(data[0]).toMatchObject({ input_tokens: 640, cost_nano: (640n * INPUT).toString() });
    expect(media.gateway.log.alarms('usage_above_hold')).toHaveLength(alarms);
  });

  test('of which one is too long are refused by its length', async () => {
    const response = await embed({ model: 'short-vectors', input: [...list(3, 10), ...list(1, 101)] });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('context_length_exceeded');
    expect(error.message).toContain('101 tokens > 100 maximum');
  });
});
