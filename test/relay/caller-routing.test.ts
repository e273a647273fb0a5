// The caller's own routing: `models` lists other models that may answer, `provider` says on which channels.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { NO_JITTER, startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { pictureAnswer, vectorAnswer } from '../support/media-answers.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { responseAnswer } from '../support/openai-responses.ts';
import { bodyLength, cutAt, type Script } from '../support/script.ts';
import { readSse } from '../support/sse.ts';
import { openaiChannel, type TestDocument, upModel, upstreamUrl } from '../support/test-document.ts';

type Fields = Record<string, unknown>;

const SETS = 120;
const CHANNELS = [...'abcdef'];
/** NT$ per 1M tokens, and so nano-NT$ per token in thousands. */
const PRICES = { dear: { input: 30, output: 90 }, mid: { input: 20, output: 40 }, cheap: { input: 5, output: 10 } };

let gateway: TestGateway;
let account: TestAccount;
/** A set of models that no test has used before: what is remembered of a channel's failures decides no other test. */
let set = 0;

/** The name of a model at the upstream names its channel, its model and its set. */
function routes(channels: string, model: string, n: number) {
  return [...channels].map((channel, at) => ({ channel, model: `${channel}/${model}/${n}`, priority: at + 1 }));
}

function document(standard: TestDocument): TestDocument {
  const url = upstreamUrl(standard);
  const sets = Array.from({ length: SETS }, (_, n) => [
    upModel(`dear-${n}`, { price: PRICES.dear, routes: routes('abc', 'dear', n), fallbacks: [`spare-${n}`] }),
    upModel(`mid-${n}`, { price: PRICES.mid, aliases: [`middle-${n}`], routes: routes('bd', 'mid', n) }),
    upModel(`cheap-${n}`, { price: PRICES.cheap, routes: routes('ca', 'cheap', n) }),
    upModel(`spare-${n}`, { price: PRICES.cheap, routes: routes('e', 'spare', n) }),
    upModel(`free-${n}`, { price: 'free', routes: routes('ab', 'free', n) }),
    upModel(`gratis-${n}`, { price: 'free', routes: routes('b', 'gratis', n) }),
    upModel(`vector-${n}`, { kinds: ['embeddings'], price: { input: 1 }, routes: routes('f', 'vector', n) }),
    upModel(`vectors-${n}`, { kinds: ['embeddings'], price: { input: 2 }, routes: routes('f', 'vectors', n) }),
    upModel(`sketch-${n}`, { kinds: ['images'], price: { image: 0.1 }, routes: routes('f', 'sketch', n) }),
    upModel(`paint-${n}`, { kinds: ['images'], price: { image: 0.2 }, routes: routes('f', 'paint', n) }),
  ]);
  return {
    ...standard,
    channels: [
      ...standard.channels,
      ...CHANNELS.map((name) => openaiChannel(name, url, name === 'f' ? { endpoints: ['embeddings', 'images'] } : {})),
      openaiChannel('switched-off', url, { enabled: false }),
    ],
    models: [...standard.models, ...sets.flat()],
  };
}

beforeAll(async () => {
  gateway = await startTestGateway({
    random: NO_JITTER,
    limits: { paid_per_minute: 10_000, free_per_minute: 1_000 },
    document,
  });
});
beforeEach(async () => {
  set++;
  gateway.upstream.reset();
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const id = (model: string) => `${model}-${set}`;
/** What was asked of the upstream, as `channel/model`. */
const asked = () => gateway.upstream.requests.map(({ json }) => String(json.model).split('/').slice(0, 2).join('/'));
const failing = (...models: string[]) =>
  gateway.upstream.otherwise(({ json }): Script => {
    const [channel, model] = String(json.model).split('/');
    const fails = models.includes(`${channel}/${model}`) || models.includes(String(model)) || models.includes('all');
    if (fails) return errorScript(404, { message: 'x' });
    return json.input === undefined ? chatAnswer() : responseAnswer();
  });

interface Served {
  status: number;
  channel: string | null;
  model: string;
  error: Answer;
  dropped: string | null;
  requestId: string;
}

async function send(path: string, body: Fields, headers: Record<string, string> = {}): Promise<Served> {
  const response = await gateway.call(path, { key: account.key, body, headers });
  const json: Answer = await response.json();
  return {
    status: response.status,
    channel: response.headers.get('x-svc-channel'),
    model: json.model,
    error: json.error,
    dropped: response.headers.get('x-svc-dropped'),
    requestId: response.headers.get('x-request-id') ?? '',
  };
}

const chat = (body: Fields, headers?: Record<string, string>) =>
  send('/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10, ...body }, headers);
const receipt = ({ requestId }: Served): Promise<Answer> => gateway.get(`/api/receipts/${requestId}`, account.key);

describe('models', () => {
  test('are asked in order after the named one, and the one that answered is charged', async () => {
    failing('dear', 'mid');
    const served = await chat({ model: id('dear'), models: [id('mid'), id('cheap')] });
    expect(served).toMatchObject({ status: 200, model: id('cheap'), channel: 'c', dropped: null });
    expect(asked()).toEqual(['a/dear', 'b/dear', 'c/dear', 'd/mid', 'b/mid', 'c/cheap']);
    const record = await receipt(served);
    expect(record).toMatchObject({ model: id('cheap'), channel: 'c' });
    const { input_tokens: input, output_tokens: output } = record;
    expect(record.cost_nano).toBe(String(BigInt(input) * 5_000n + BigInt(output) * 10_000n));
    expect(record.attempts.map(({ model, channel, routing }: Answer) => [model, channel, routing])).toEqual([
      [id('dear'), 'a', 'caller'],
      [id('dear'), 'b', 'caller'],
      [id('dear'), 'c', 'caller'],
      [id('mid'), 'd', 'caller'],
      [id('mid'), 'b', 'caller'],
      [id('cheap'), 'c', 'caller'],
    ]);
  });

  test('replace the fallbacks of the catalog', async () => {
    failing('all');
    await chat({ model: id('dear'), models: [id('mid')] });
    expect(asked().some((one) => one.includes('spare'))).toBe(false);
  });

  test('without them, the fallbacks of the catalog are asked, and attempts name the models', async () => {
    failing('dear');
    const served = await chat({ model: id('dear') });
    expect(served.model).toBe(id('spare'));
    const { attempts } = await receipt(served);
    expect(attempts.at(-1)).toEqual({ channel: 'e', outcome: 'ok', ms: expect.any(Number), model: id('spare') });
  });

  test('the first is the model where none is named', async () => {
    for (const model of [undefined, null]) {
      const served = await chat({ model, models: [id('mid'), id('dear')] });
      expect(served).toMatchObject({ status: 200, model: id('mid') });
    }
  });

  test('the named one, aliases and repeated ones count once', async () => {
    failing('all');
    await chat({ model: id('mid'), models: [`middle-${set}`, id('mid'), id('cheap'), id('cheap')] });
    expect(asked()).toEqual(['b/mid', 'd/mid', 'c/cheap', 'a/cheap']);
  });

  test('a stream that breaks goes on at the next one, at the lower of both prices', async () => {
    const whole = chatStream();
    gateway.upstream.otherwise(({ json }) =>
      String(json.model).includes('mid') ? cutAt(whole, Math.floor((bodyLength(whole) * 2) / 3), 'rst', 30) : whole,
    );
    const response = await gateway.chat(account.key, {
      model: id('mid'),
      models: [id('cheap')],
      provider: { only: ['b', 'c'] },
      stream: true,
      max_tokens: 10,
    });
    expect((await readSse(response)).at(-1)?.data).toBe('[DONE]');
    expect(asked().at(-1)).toBe('c/cheap');
    const requestId = response.headers.get('x-request-id');
    const { cost_nano: cost, ...record } = await gateway.get(`/api/receipts/${requestId}`, account.key);
    expect(cost).toBe(String(BigInt(record.input_tokens) * 5_000n + BigInt(record.output_tokens) * 10_000n));
    expect(await gateway.get('/api/me', account.key)).toMatchObject({ held_nano: '0' });
  });

  test('the hold covers the dearest of them', async () => {
    const body = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1_000, model: id('cheap') };
    const most = async (fields: Fields) => {
      const quoted = await gateway.call('/api/quote', {
        key: account.key,
        body: { endpoint: '/v1/chat/completions', body: { ...body, ...fields } },
      });
      return BigInt(((await quoted.json()) as Answer).max_cost_nano);
    };
    const [cheap, both, dear] = [
      await most({}),
      await most({ models: [id('dear')] }),
      await most({ model: id('dear') }),
    ];
    expect(cheap).toBeLessThan(both);
    expect(both).toBe(dear);
  });

  test('a quote for them holds for exactly this body', async () => {
    const body = {
      models: [id('cheap'), id('mid')],
      provider: { ignore: ['c'] },
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 10,
    };
    const quoted = await gateway.call('/api/quote', {
      key: account.key,
      body: { endpoint: '/v1/chat/completions', body },
    });
    const { quote_id: quote, model } = (await quoted.json()) as Answer;
    expect(model).toBe(id('cheap'));
    const call = (fields: Fields) => send('/v1/chat/completions', { ...body, ...fields }, { 'x-svc-quote': quote });
    expect(await call({})).toMatchObject({ status: 200, channel: 'a' });
    const other = await call({ provider: { ignore: ['a'] } });
    expect(other.error.code).toBe('quote_mismatch');
  });

  const refused: [what: string, models: () => unknown, expected: Fields][] = [
    ['an unknown one', () => [id('mid'), `chep-${set}`], { code: 'invalid_request', param: 'models[1]' }],
    ['one of another kind', () => [id('vector')], { code: 'unsupported_endpoint', param: 'models[0]' }],
    ['a free one beside a paid one', () => [id('free')], { code: 'invalid_request', param: 'models[0]' }],
    ['a number', () => [1], { code: 'invalid_request', param: 'models' }],
    ['a text', () => id('mid'), { code: 'invalid_request', param: 'models' }],
    ['eleven', () => Array(11).fill(id('mid')), { code: 'invalid_request', param: 'models' }],
  ];
  test.each(refused)('%s is refused', async (_, models, expected) => {
    expect((await chat({ model: id('dear'), models: models() })).error).toMatchObject(expected);
    expect(asked()).toEqual([]);
  });

  test('an unknown one is answered with similar ones', async () => {
    const { error } = await chat({ model: id('dear'), models: [`chep-${set}`] });
    expect(error.message).toContain(`cheap-${set}`);
  });

  test('one that the key may not use is refused, and quoted as refused', async () => {
    const { key } = await createKey(gateway, account.key, { models: [id('dear')] });
    const body = { model: id('dear'), models: [id('mid')], messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 };
    const response = await gateway.call('/v1/chat/completions', { key, body });
    expect(response.status).toBe(403);
    expect(((await response.json()) as Answer).error).toMatchObject({ code: 'model_not_allowed', param: 'models[0]' });
    const quoted = await gateway.call('/api/quote', { key, body: { endpoint: '/v1/chat/completions', body } });
    expect(((await quoted.json()) as Answer).refusal).toMatchObject({ code: 'model_not_allowed' });
  });

  test('free ones work without balance', async () => {
    failing('a/free', 'b/free');
    const served = await chat({ model: id('free'), models: [id('gratis')] });
    expect(served).toMatchObject({ status: 200, model: id('gratis'), dropped: null });
  });
});

describe('provider', () => {
  const orders: [what: string, provider: Fields, channels: string[]][] = [
    ['nothing', {}, ['a', 'b', 'c', 'e']],
    ['only', { only: ['c', 'b'] }, ['b', 'c']],
    ['ignore', { ignore: ['a'] }, ['b', 'c', 'e']],
    ['only and ignore', { only: ['a', 'b'], ignore: ['a'] }, ['b']],
    [
      'ignore of a channel that serves another model, and of one that is off',
      { ignore: ['d', 'switched-off'] },
      ['a', 'b', 'c', 'e'],
    ],
    ['order', { order: ['c', 'a'] }, ['c', 'a', 'b', 'e']],
    ['order alone', { order: ['c', 'a'], allow_fallbacks: false }, ['c', 'a']],
    ['one channel', { allow_fallbacks: false }, ['a']],
    ['one channel of those left', { ignore: ['a'], allow_fallbacks: false }, ['b']],
    [
      'empty lists and null',
      { only: [], ignore: null, order: [], sort: null, allow_fallbacks: null },
      ['a', 'b', 'c', 'e'],
    ],
  ];
  test.each(orders)('%s: the channels that are asked when all fail', async (_, provider, channels) => {
    failing('all');
    const served = await chat({ model: id('dear'), provider });
    expect(served.status).toBe(502);
    expect(asked().map((one) => one[0])).toEqual(channels);
  });

  test('on one channel, a failure that may pass is retried there', async () => {
    gateway.upstream.otherwise(errorScript(500, { message: 'x' }));
    await chat({ model: id('dear'), provider: { allow_fallbacks: false } });
    expect(asked()).toEqual(['a/dear', 'a/dear']);
  });

  test('a model without a channel left is skipped', async () => {
    const served = await chat({ model: id('dear'), models: [id('mid')], provider: { only: ['d'] } });
    expect(served).toMatchObject({ status: 200, model: id('mid'), channel: 'd' });
  });

  test('a conversation does not stay on a channel that the caller leaves out', async () => {
    for (const channel of ['a', 'b', 'c']) {
      const served = await chat({ model: id('dear'), provider: { only: [channel] } }, { 'x-svc-session': 'one' });
      expect(served.channel).toBe(channel);
    }
  });

  const refused: [what: string, provider: unknown, param: string, words: string][] = [
    ['an unknown channel', { only: ['a', 'x'] }, 'provider.only[1]', 'a, b, c'],
    ['an unknown channel to ignore', { ignore: ['nope'] }, 'provider.ignore[0]', "Channel 'nope' does not exist"],
    ['an unknown channel first', { order: ['two words'] }, 'provider.order[0]', 'This channel does not exist'],
    ['nothing left', { only: ['d'] }, 'provider', 'a, b, c'],
    ['everything ignored', { ignore: ['a', 'b', 'c', 'e'] }, 'provider', 'a, b, c'],
    ['another order', { sort: 'throughput' }, 'provider.sort', 'price, latency'],
    ['a text', 'a', 'provider', 'object'],
    ['a text for a list', { only: 'a' }, 'provider.only', 'list'],
    ['a word for a flag', { allow_fallbacks: 'no' }, 'provider.allow_fallbacks', 'true or false'],
  ];
  test.each(refused)('%s is refused', async (_, provider, param, words) => {
    const { error } = await chat({ model: id('dear'), provider });
    expect(error).toMatchObject({ code: 'invalid_request', param, message: expect.stringContaining(words) });
    expect(asked()).toEqual([]);
  });

  test('what only OpenRouter has is removed and named, or refused for a strict client', async () => {
    const provider = { only: ['b'], quantizations: ['fp8'] };
    expect(await chat({ model: id('dear'), provider })).toMatchObject({
      status: 200,
      channel: 'b',
      dropped: 'provider',
    });
    const strict = await chat({ model: id('dear'), provider }, { 'x-svc-strict': '1' });
    expect(strict.error).toMatchObject({ code: 'invalid_request', param: 'provider' });
    const plain = await chat({ model: id('dear'), provider: { only: ['b'] } }, { 'x-svc-strict': '1' });
    expect(plain.status).toBe(200);
  });
});

describe('sort', () => {
  test('price: the cheapest model for this request is the first, and the answer names it', async () => {
    const served = await chat({ model: id('dear'), models: [id('mid'), id('cheap')], provider: { sort: 'price' } });
    expect(served).toMatchObject({ status: 200, model: id('cheap'), channel: 'c' });
    failing('cheap');
    const second = await chat({ model: id('dear'), models: [id('mid'), id('cheap')], provider: { sort: 'price' } });
    expect(second.model).toBe(id('mid'));
  });

  test('price: channels of one model stay in the order of the operator', async () => {
    expect((await chat({ model: id('dear'), provider: { sort: 'price' } })).channel).toBe('a');
  });

  test('latency: the channel that answered fastest lately is the first, and those without a time come after', async () => {
    const times: Record<string, number> = { a: 120, b: 5 };
    gateway.upstream.otherwise(({ json }) => {
      const delayMs = times[String(json.model)[0] ?? ''] ?? 0;
      const { body = [], ...answer } = chatAnswer();
      return { ...answer, body: [delayMs, ...body] };
    });
    for (const only of ['a', 'b']) {
      for (let n = 0; n < 5; n++) await chat({ model: id('dear'), provider: { only: [only] } });
    }
    expect((await chat({ model: id('dear'), provider: { sort: 'latency' } })).channel).toBe('b');
    expect((await chat({ model: id('dear') })).channel).toBe('a');
    gateway.upstream.reset();
    failing('all');
    await chat({ model: id('dear'), provider: { sort: 'latency' } });
    expect(asked().map((one) => one[0])).toEqual(['b', 'a', 'c', 'e']);
  });
});

describe('no upstream sees the fields', () => {
  const calls: [path: string, body: Fields][] = [
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['/v1/messages', { max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }],
    ['/v1/responses', { input: 'Hi' }],
  ];
  test.each(calls)('%s', async (path, body) => {
    failing('dear');
    const fields = { model: id('dear'), models: [id('mid')], provider: { ignore: ['b'], order: ['d'] } };
    const served = await send(path, { ...body, ...fields });
    expect(served).toMatchObject({ status: 200, model: id('mid'), channel: 'd', dropped: null });
    for (const { json } of gateway.upstream.requests) {
      expect(json).not.toHaveProperty('models');
      expect(json).not.toHaveProperty('provider');
    }
  });

  const media: [path: string, body: Fields, models: [string, string], answer: Script][] = [
    ['/v1/embeddings', { input: 'Hi' }, ['vector', 'vectors'], vectorAnswer()],
    ['/v1/images/generations', { prompt: 'A cat' }, ['sketch', 'paint'], pictureAnswer()],
  ];
  test.each(media)('%s', async (path, body, [first, second], answer) => {
    gateway.upstream.otherwise(({ json }) =>
      String(json.model).includes(`/${second}/`) ? answer : errorScript(404, { message: 'x' }),
    );
    const routing = { models: [id(second)], provider: { only: ['f'] } };
    const response = await gateway.call(path, { key: account.key, body: { model: id(first), ...routing, ...body } });
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'f']);
    expect(asked()).toEqual([`f/${first}`, `f/${second}`]);
    for (const { json } of gateway.upstream.requests) {
      expect(json).not.toHaveProperty('models');
      expect(json).not.toHaveProperty('provider');
    }
  });

  test('a Gemini call', async () => {
    const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], provider: { only: ['b'] } };
    const response = await gateway.call(`/v1beta/models/${id('dear')}:generateContent`, { key: account.key, body });
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'b']);
    expect(gateway.upstream.requests.at(-1)?.json).not.toHaveProperty('provider');
  });

  test('a large body keeps every other byte', async () => {
    const pad = `"user":"${'x\\n'.repeat(700_000)}"`;
    const body = `{${pad}, "models":["${id('free')}"] ,"provider": {"only":["b"]},"messages":[{"role":"user","content":"你好"}],"seed": 12345678901234567890,"max_tokens":5}`;
    const response = await gateway.call('/v1/chat/completions', { key: account.key, body });
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, 'b']);
    const sent = gateway.upstream.requests.at(-1)?.body ?? '';
    expect(sent).toContain(pad);
    expect(sent).toContain('"seed": 12345678901234567890');
    expect(sent).not.toContain('provider');
  });
});

test('only and ignore hold at every failure, in every combination', async () => {
  let seed = 11;
  const pick = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const some = (from: readonly string[]) => from.filter(() => pick(2) === 0);
  const failures: Script[] = [
    errorScript(404, { message: 'x' }),
    errorScript(500, { message: 'x' }),
    errorScript(429, { message: 'x' }),
    errorScript(401, { message: 'x' }),
    cutAt(chatAnswer(), 'head', 'rst'),
    { body: ['{}'] },
  ];
  for (let round = 0; round < 60; round++) {
    set++;
    gateway.upstream.reset();
    gateway.upstream.otherwise(() =>
      pick(4) === 0 ? chatAnswer() : (failures[pick(failures.length)] ?? chatAnswer()),
    );
    const [only, ignore, order] = [some('abcde'.split('')), some('abcde'.split('')), some('abcde'.split(''))];
    const listed = some([id('mid'), id('cheap')]);
    const { status } = await chat({
      model: id('dear'),
      models: listed,
      provider: { only, ignore, order, allow_fallbacks: pick(2) === 0 },
    });
    expect(status).toBeOneOf([200, 400, 502, 503]);
    for (const one of asked()) {
      const [channel = '', model = ''] = one.split('/');
      if (only.length > 0) expect(only).toContain(channel);
      expect(ignore).not.toContain(channel);
      if (listed.length > 0) expect([id('dear'), ...listed]).toContain(id(model));
    }
  }
  expect(await gateway.get('/api/me', account.key)).toMatchObject({ held_nano: '0' });
}, 60_000);
