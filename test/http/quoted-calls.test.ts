// x-svc-quote: for ten minutes a call with the quoted endpoint and body has the quoted price, whatever is applied meanwhile.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { type CallOptions, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { type TestDocument, UP_PRICES, upModel } from '../support/test-document.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = [{ role: 'user', content: 'Hello there.' }];
const BODY = { model: 'up-paid', max_tokens: 100, messages: MESSAGES };
const USED = 11n * UP_PRICES.input + 7n * UP_PRICES.output;
const clock = createShiftedClock({ standsStill: true });
let gateway: TestGateway;
let account: TestAccount;
let quoteId: string;

const standardModels = (standard: TestDocument): TestDocument => ({
  ...standard,
  models: [
    ...standard.models,
    upModel('even', { price: { input: 1_000, output: 1_000 } }),
    upModel('falls-back', {
      price: { input: 10, output: 40 },
      fallbacks: ['second'],
      routes: [{ channel: 'up', model: 'first-2026-01' }],
    }),
    upModel('second', { price: { input: 20, output: 80 } }),
  ],
});

/** With other prices of some models. */
const repriced =
  (prices: Record<string, unknown>) =>
  (standard: TestDocument): TestDocument => {
    const document = standardModels(standard);
    const models = document.models.map((model) => {
      const price = prices[String(model.id)];
      return price === undefined ? model : { ...model, price };
    });
    return { ...document, models };
  };

beforeAll(async () => {
  gateway = await startTestGateway({ clock, document: standardModels });
});
beforeEach(async () => {
  await gateway.apply(standardModels);
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
  quoteId = await quoteFor(BODY);
});
afterAll(() => gateway.stop());

async function quoteFor(body: Record<string, unknown>, { endpoint = CHAT, key = account.key } = {}): Promise<string> {
  const response = await gateway.call('/api/quote', { key, body: { endpoint, body } });
  const { quote_id }: Answer = await response.json();
  expect(response.status).toBe(200);
  return quote_id;
}

const call = (body: unknown, id: string | undefined, { headers, ...options }: CallOptions = {}, endpoint = CHAT) =>
  gateway.call(endpoint, {
    key: account.key,
    body,
    headers: { ...headers, ...(id === undefined ? {} : { 'x-svc-quote': id }) },
    ...options,
  });

async function receiptOf(response: Response): Promise<Answer> {
  expect(response.status).toBe(200);
  await response.text();
  return gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
}

async function expectFault(response: Response, status: number, code: string): Promise<void> {
  expect(response.status).toBe(status);
  const { error }: Answer = await response.json();
  expect(error.code).toBe(code);
  expect(gateway.upstream.requests).toHaveLength(0);
  expect(await gateway.get('/api/me', account.key)).toMatchObject({ held_nano: '0', balance_nano: '1000000000' });
}

const errorIn = async (response: Response) => ((await response.json()) as Answer).error;

/** The action of the fault gives a quote as it is written. */
async function expectQuoted([{ href, body }]: Answer): Promise<void> {
  const response = await gateway.call(new URL(href).pathname, { key: account.key, body });
  expect(response.status).toBe(200);
  expect(((await response.json()) as Answer).quote_id).toBeString();
}

describe('the price', () => {
  test.each([
    ['dearer', { input: 20, output: 80 }, 11n * 20_000n + 7n * 80_000n],
    ['cheaper', { input: 1, output: 4 }, 11n * 1_000n + 7n * 4_000n],
    ['free', 'free', 0n],
  ])('is the quoted one when the list has become %s, and the receipt adds up', async (_name, price, nowCosts) => {
    await gateway.apply(repriced({ 'up-paid': price }));
    const quoted = await receiptOf(await call(BODY, quoteId));
    expect(quoted.cost_nano).toBe(USED.toString());
    expect(quoted.lines).toEqual([
      { bucket: 'input', quantity: 11, unit_price_nano: '10000', amount_nano: (11n * UP_PRICES.input).toString() },
      { bucket: 'output', quantity: 7, unit_price_nano: '40123', amount_nano: (7n * UP_PRICES.output).toString() },
    ]);
    const plain = await receiptOf(await call(BODY, undefined));
    expect(plain.cost_nano).toBe(nowCosts.toString());
    expect(plain.revision).toBe(quoted.revision + 1);
    expect(gateway.audit()).toEqual([]);
  });

  test('is also held', async () => {
    const { max_cost_nano }: Answer = await (
      await gateway.call('/api/quote', { key: account.key, body: { endpoint: CHAT, body: BODY } })
    ).json();
    await gateway.apply(repriced({ 'up-paid': { input: 1_000, output: 9_000 } }));
    const { request_id } = await receiptOf(await call(BODY, quoteId));
    const [row] = gateway.sql<{ held_nano: bigint }>(
      'SELECT held_nano FROM usage_records WHERE request_id = ?',
      request_id,
    );
    expect(row?.held_nano.toString()).toBe(max_cost_nano);
  });

  test('of a model that was free stays free', async () => {
    const body = { model: 'up-free', messages: MESSAGES };
    const id = await quoteFor(body);
    await gateway.apply(repriced({ 'up-free': { input: 10, output: 40 } }));
    expect(await receiptOf(await call(body, id))).toMatchObject({ cost_nano: '0', rule: 'free_model' });
    expect(await receiptOf(await call(body, undefined))).toMatchObject({ rule: 'served' });
  });

  test('of a stream is in its last chunk', async () => {
    const body = { ...BODY, stream: true, stream_options: { include_usage: true } };
    const id = await quoteFor(body);
    await gateway.apply(repriced({ 'up-paid': { input: 20, output: 80 } }));
    gateway.upstream.next(chatStream());
    const response = await call(body, id);
    expect(await response.text()).toContain(`"cost_nano":"${USED}"`);
  });

  test('of a fallback is that of the same revision', async () => {
    const body = { ...BODY, model: 'falls-back' };
    const id = await quoteFor(body);
    await gateway.apply(repriced({ 'falls-back': { input: 1, output: 1 }, second: { input: 500, output: 500 } }));
    gateway.upstream.otherwise(({ json }) =>
      json.model === 'first-2026-01' ? { status: 503, body: ['{}'] } : chatAnswer(),
    );
    const receipt = await receiptOf(await call(body, id));
    expect(receipt).toMatchObject({ model: 'second', cost_nano: (11n * 20_000n + 7n * 80_000n).toString() });
  });

  test('is the quoted one in the Anthropic format', async () => {
    const id = await quoteFor(BODY, { endpoint: '/v1/messages' });
    await gateway.apply(repriced({ 'up-paid': { input: 20, output: 80 } }));
    const receipt = await receiptOf(await call(BODY, id, {}, '/v1/messages'));
    expect(receipt).toMatchObject({ cost_nano: USED.toString(), endpoint: '/v1/messages' });
  });

  test('holds for calls of any number, and of any key of the account', async () => {
    const { key } = await createKey(gateway, account.key, {});
    await gateway.apply(repriced({ 'up-paid': { input: 20, output: 80 } }));
    for (const one of [account.key, key]) {
      const receipt = await receiptOf(await call(BODY, quoteId, { key: one }));
      expect(receipt.cost_nano).toBe(USED.toString());
    }
  });
});

test('a call never holds more than was quoted, also when there is more money by then', async () => {
  const body = { model: 'even', max_tokens: 1_000, messages: MESSAGES };
  const answer: Answer = await (
    await gateway.call('/api/quote', { key: account.key, body: { endpoint: CHAT, body } })
  ).json();
  const { code } = await issueCard(gateway);
  expect((await gateway.call('/api/redeem', { key: account.key, body: { code } })).status).toBe(200);
  const response = await call(body, answer.quote_id);
  expect(response.headers.get('x-svc-max-tokens')).toBe(String(answer.output_tokens.bound));
  const { request_id } = await receiptOf(response);
  const [row] = gateway.sql<{ held_nano: bigint }>(
    'SELECT held_nano FROM usage_records WHERE request_id = ?',
    request_id,
  );
  expect(row?.held_nano.toString()).toBe(answer.max_cost_nano);
});

test('a fallback that was added and costs more than was quoted: the quote no longer covers the call', async () => {
  const body = { ...BODY, max_tokens: 16 };
  const id = await quoteFor(body);
  await gateway.apply((standard) => {
    const document = standardModels(standard);
    const models = document.models.map((one) => (one.id === 'up-paid' ? { ...one, fallbacks: ['even'] } : one));
    return { ...document, models };
  });
  await expectFault(await call(body, id), 409, 'quote_expired');
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  expect((await call(body, undefined)).status).toBe(200);
});

test('a model that is no longer there is not found', async () => {
  await gateway.apply((standard) => {
    const document = standardModels(standard);
    return { ...document, models: document.models.filter(({ id }) => id !== 'up-paid') };
  });
  await expectFault(await call(BODY, quoteId), 404, 'model_not_found');
});

describe('a quote is used up by time alone', () => {
  test('it holds until the last millisecond of ten minutes', async () => {
    clock.skip(600_000 - 1);
    expect((await call(BODY, quoteId)).status).toBe(200);
  });

  test('and then no longer', async () => {
    clock.skip(600_000);
    await expectFault(await call(BODY, quoteId), 409, 'quote_expired');
    const { error }: Answer = await (await call(BODY, quoteId)).json();
    expect(
      (
        await gateway.call(new URL(error.actions[0].href).pathname, {
          key: account.key,
          body: error.actions[0].body,
        })
      ).status,
    ).toBe(200);
  });
});

describe('an id that was not issued is refused as expired', () => {
  test.each([
    ['nothing', ''],
    ['a prefix alone', 'qte_'],
    ['another text', 'qte_none'],
    ['no prefix', 'none'],
    ['a long text', `qte_${'A'.repeat(5_000)}`],
  ])('%s', async (_name, id) => {
    await expectFault(await call(BODY, id), 409, 'quote_expired');
  });

  test('changed in any place', async () => {
    const text = Buffer.from(quoteId.slice(4), 'base64url').toString();
    const [expiresAt, revision, most, subject, mac] = text.split('.');
    const forged = [
      [Number(expiresAt) + 1, revision, most, subject, mac],
      [expiresAt, Number(revision) + 1, most, subject, mac],
      [expiresAt, revision, Number(most) + 1, subject, mac],
      [expiresAt, revision, most, `${subject?.slice(1)}0`, mac],
      [expiresAt, revision, most, subject, ''],
      [expiresAt, revision, most, subject],
    ];
    for (const parts of forged) {
      const id = `qte_${Buffer.from(parts.join('.')).toString('base64url')}`;
      await expectFault(await call(BODY, id), 409, 'quote_expired');
    }
  });
});

describe('what was not quoted', () => {
  test.each([
    ['another bound', { ...BODY, max_tokens: 101 }],
    ['another prompt', { ...BODY, messages: [{ role: 'user', content: 'Hello there!' }] }],
    ['one more field', { ...BODY, temperature: 1 }],
    ['another model', { ...BODY, model: 'even' }],
    ['another order of fields', { messages: MESSAGES, max_tokens: 100, model: 'up-paid' }],
    ['one more message', { ...BODY, messages: [...MESSAGES, ...MESSAGES] }],
    ['a list for a text', { ...BODY, messages: [MESSAGES] }],
  ])('is a mismatch: %s', async (_name, body) => {
    await expectFault(await call(body, quoteId), 422, 'quote_mismatch');
  });

  test('is a mismatch: another endpoint', async () => {
    const refused = await call(BODY, quoteId, {}, '/v1/messages');
    const { actions } = await errorIn(refused.clone());
    await expectFault(refused, 422, 'quote_mismatch');
    expect(actions[0].body).toMatchObject({ endpoint: '/v1/messages', body: { model: BODY.model } });
    await expectQuoted(actions);
  });

  test('names a quote of the same endpoint also where the quote is unknown', async () => {
    const refused = await call(BODY, 'quote_unknown', {}, '/v1/messages');
    const { code, actions } = await errorIn(refused);
    expect([code, actions[0].body.endpoint]).toEqual(['quote_expired', '/v1/messages']);
    await expectQuoted(actions);
  });

  test('is a mismatch: another account', async () => {
    const other = await gateway.register();
    await expectFault(await call(BODY, quoteId, { key: other.key }), 422, 'quote_mismatch');
  });

  test('is told in the envelope of the call', async () => {
    const response = await call({ ...BODY, max_tokens: 1 }, quoteId, {}, '/v1/messages');
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });
});

test('white space and escapes make no other body', async () => {
  const texts = [
    JSON.stringify(BODY, null, 2),
    JSON.stringify(BODY).replace('Hello', '\\u0048ello').replace('"model"', '"mo\\u0064el"'),
    JSON.stringify(BODY).replace('100', '1e2'),
  ];
  for (const text of texts) expect((await call(text, quoteId)).status).toBe(200);
  const spaced = `{ "endpoint" : "${CHAT}",\n "body" : ${JSON.stringify(BODY, null, 4)} }`;
  const { quote_id }: Answer = await (await gateway.call('/api/quote', { key: account.key, body: spaced })).json();
  expect((await call(BODY, quote_id)).status).toBe(200);
});
