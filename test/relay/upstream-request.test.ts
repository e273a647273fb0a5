// What an upstream of the same dialect receives: the client's own bytes, but for the few fields that are ours.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { openaiChannel, UPSTREAM_KEY, upModel, upstreamUrl } from '../support/test-document.ts';
import type { SeenRequest } from '../support/upstream.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => ({
      ...doc,
      channels: [
        ...doc.channels,
        openaiChannel('named', upstreamUrl(doc), { quirks: 'openai' }),
        openaiChannel('router', upstreamUrl(doc), { quirks: 'openrouter' }),
        openaiChannel('versioned', `${upstreamUrl(doc)}/?api-version=2024-10-21`, { quirks: 'azure' }),
      ],
      models: [
        ...doc.models,
        upModel('thinking-model', { price: 'free', routes: [{ channel: 'up', model: 'gpt-5-mini' }] }),
        upModel('tight-model', { price: 'free', context_tokens: 1_000 }),
        upModel('named-model', { price: 'free', routes: [{ channel: 'named', model: 'scripted-2026-01' }] }),
        upModel('router-model', { price: 'free', routes: [{ channel: 'router', model: 'scripted-2026-01' }] }),
        upModel('versioned-model', { price: 'free', routes: [{ channel: 'versioned', model: 'scripted-2026-01' }] }),
      ],
    }),
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

/** Sends a body as it is and returns what arrived behind the gateway. */
async function relayed(
  body: string,
  headers: Record<string, string> = {},
): Promise<{ seen: SeenRequest; response: Response }> {
  gateway.upstream.next(/"stream" *: *true/.test(body) ? chatStream() : chatAnswer());
  const response = await gateway.call('/v1/chat/completions', { key, body, headers });
  await response.text();
  expect(response.status).toBe(200);
  return { seen: await gateway.upstream.request(0), response };
}

describe('the envelope', () => {
  test('is a POST to the base URL with the channel’s own key', async () => {
    const { seen } = await relayed('{"model":"up-paid","messages":[{"role":"user","content":"x"}]}');
    expect(seen).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(seen.headers).toMatchObject({
      authorization: `Bearer ${UPSTREAM_KEY}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
  });

  test('goes below the path of the base URL, whose query stays last', async () => {
    const { seen } = await relayed('{"model":"versioned-model","messages":[{"role":"user","content":"x"}]}');
    expect(seen.path).toBe('/v1/chat/completions?api-version=2024-10-21');
  });

  test('has no header of the client in it', async () => {
    const { seen } = await relayed('{"model":"up-paid","messages":[{"role":"user","content":"x"}]}', {
      cookie: 'session=of-the-client',
      'x-api-key': 'fake-foreign-key',
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'user-agent': 'client/1.0',
      'openai-organization': 'org-client',
      'x-stainless-lang': 'js',
      'anthropic-version': '2023-06-01',
      traceparent: 'no trace',
      tracestate: 'vendor=of-the-client',
      'x-anything': 'at all',
      accept: 'text/html',
    });
    expect(seen.rawHeaders.map(([name]) => name.toLowerCase()).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'x-svc-loop',
    ]);
    const text = JSON.stringify(seen.rawHeaders);
    for (const secret of [key, 'of-the-client', '203.0.113.9', 'org-client', 'client/1.0'])
      expect(text).not.toContain(secret);
  });
});

describe('the body', () => {
  test('keeps every byte outside the values that are ours', async () => {
    const body = [
      '{ "temperature" : 1.0,\r\n\t"top_p":1e2 , "seed": 12345678901234567890, "huge":1E400,',
      ' "model"  :\n "up-paid" ,',
      '"messages":[ {"role":"user" , "content":"caf\\u00e9 \\ud83d\\ude00 \\/ 漢字 \u{1f600} \\ud800 \\"}]{[" } ],',
      '"max_tokens": 20, "unknown_field": {"nested" : [1.50, -0, 0.10e-3, {"model":"inner","max_tokens":9}]},',
      '"" : null, "__proto__": {"a":1}, "stop":["\\n"] }',
    ].join('');
    const { seen } = await relayed(body);
    expect(seen.body).toBe(body.replace('"up-paid" ', '"scripted-2026-01" '));
  });

  test('keeps every member when one of ours is added', async () => {
    const members = [
      '"temperature" : 1.0',
      '"top_p":1e2',
      '"messages": [ { "role":"user","content":"\\u4f60\\u597d 你好" } ]',
      '"metadata":{ "a" : 1.10 }',
      '"logit_bias":{"50256":-1e2}',
    ];
    const { seen } = await relayed(`{${members.join(' ,')}, "model":"up-paid"}`);
    for (const member of members) expect(seen.body).toContain(member);
    expect(JSON.parse(seen.body)).toEqual({
      ...JSON.parse(`{${members.join()}}`),
      model: 'scripted-2026-01',
      max_tokens: 1_000,
    });
  });

  test('finds `model` also under an escaped name', async () => {
    const { seen } = await relayed(
      '{"\\u006dodel":"up-paid","messages":[{"role":"user","content":"x"}],"max_tokens":5}',
    );
    expect(seen.body).toBe(
      '{"\\u006dodel":"scripted-2026-01","messages":[{"role":"user","content":"x"}],"max_tokens":5}',
    );
  });

  test('with `model` twice goes nowhere', async () => {
    const body = '{"model":"up-free","messages":[{"role":"user","content":"x"}],"\\u006dodel":"up-paid"}';
    const response = await gateway.call('/v1/chat/completions', { key, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param: 'model' } });
    expect(gateway.upstream.requests).toEqual([]);
  });
});

describe('the output bound', () => {
  const bound = async (fields: string, model = 'up-paid') => {
    const { seen, response } = await relayed(
      `{"model":"${model}","messages":[{"role":"user","content":"x"}]${fields}}`,
    );
    const { max_tokens, max_completion_tokens } = seen.json;
    return { max_tokens, max_completion_tokens, told: response.headers.get('x-svc-max-tokens') };
  };

  test('is the model’s own when the client sets none', async () => {
    expect(await bound('')).toEqual({ max_tokens: 1_000, max_completion_tokens: undefined, told: null });
    gateway.upstream.reset();
    expect(await bound(',"max_tokens":null')).toEqual({
      max_tokens: 1_000,
      max_completion_tokens: undefined,
      told: null,
    });
  });

  test('is the client’s when it is smaller', async () => {
    expect(await bound(',"max_tokens":10')).toEqual({ max_tokens: 10, max_completion_tokens: undefined, told: null });
  });

  test.each([
    ['max_completion_tokens', 'up-paid'],
    ['max_tokens', 'thinking-model'],
    ['max_tokens', 'named-model'],
  ])('goes by the name that the upstream keeps, not by %s for %s', async (field, model) => {
    const other = field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    const sent: Record<string, unknown> = await bound(`,"${field}":10`, model);
    expect(sent).toEqual({ [field]: undefined, [other]: 10, told: null });
  });

  test('is lowered to the model’s, and reported', async () => {
    expect(await bound(',"max_tokens":5000')).toEqual({
      max_tokens: 1_000,
      max_completion_tokens: undefined,
      told: '1000',
    });
  });

  test('goes by one name when both are there, with the newer one’s number', async () => {
    const both = await bound(',"max_tokens":10,"max_completion_tokens":20');
    expect(both).toEqual({ max_tokens: 20, max_completion_tokens: undefined, told: null });
  });

  test('is no more than the prompt leaves of the context when the client sets none', async () => {
    const { max_tokens: most } = await bound('', 'tight-model');
    expect(most).toBeGreaterThan(900);
    expect(most).toBeLessThan(1_000);
    gateway.upstream.reset();
    expect(await bound(',"max_tokens":1000', 'tight-model')).toMatchObject({ max_tokens: 1_000 });
  });

  test('has the name that the upstream’s quirks want', async () => {
    expect(await bound('', 'named-model')).toMatchObject({ max_tokens: undefined, max_completion_tokens: 1_000 });
  });
});

describe('usage reporting', () => {
  const options = async (fields: string) =>
    (await relayed(`{"model":"up-paid","messages":[{"role":"user","content":"x"}]${fields}}`)).seen.json.stream_options;

  test.each([
    [',"stream":true', { include_usage: true }],
    [',"stream":true,"stream_options":null', { include_usage: true }],
    [',"stream":true,"stream_options":{"include_usage":false}', { include_usage: true }],
    [
      ',"stream":true,"stream_options":{"include_usage":false,"include_obfuscation":false}',
      { include_usage: true, include_obfuscation: false },
    ],
  ])('is forced on streams: %s', async (fields, expected) => {
    expect(await options(fields)).toEqual(expected);
  });

  test('is not asked for on whole answers', async () => {
    expect(await options('')).toBeUndefined();
  });

  const usageSent = async (model: string, fields: string) =>
    (await relayed(`{"model":"${model}","messages":[{"role":"user","content":"x"}]${fields}}`)).seen.json.usage;

  test.each([
    ',"usage":{"include":true}',
    ',"stream":true,"usage":{"include":true}',
    ',"stream":true,"usage":{"include":false}',
  ])('as OpenRouter asks for it goes to no other: %s', async (fields) => {
    expect(await usageSent('named-model', fields)).toBeUndefined();
    gateway.upstream.reset();
    expect(await usageSent('router-model', fields)).toEqual({ include: fields.includes('true}') });
  });

  test('leaves alone what only has its name', async () => {
    expect(await usageSent('named-model', ',"usage":"mine"')).toBe('mine');
  });
});

describe('the answer', () => {
  test('passes whole, with `model` as it was asked for', async () => {
    const answer = chatAnswer({
      extra: { system_fingerprint: 'fp_x', service_tier: 'default', x_unknown: [1, { a: null }] },
    });
    gateway.upstream.next(answer);
    const response = await gateway.chat(key, { model: 'claude-up-paid' });
    const sent = String(answer.body?.[0]);
    expect(await response.text()).toBe(sent.replace('"model":"scripted-2026-01"', '"model":"claude-up-paid"'));
  });

  test('passes event by event, with unknown fields, and with usage and cost last', async () => {
    const stream = chatStream({ extra: { obfuscation: 'xyz', x_unknown: 1.0 } });
    gateway.upstream.next(stream);
    const response = await gateway.chat(key, { model: 'up-paid', stream: true });
    const sent = (stream.body ?? []).filter((part) => !String(part).includes('"usage"')).join('');
    expect(await response.text()).toBe(sent.replaceAll('"model":"scripted-2026-01"', '"model":"up-paid"'));
  });

  test('of a stream does not say that usage is still to come, unless the client asked for usage', async () => {
    const stream = () => chatStream({ pieces: ['a', ' b', ' c', ' d'], extra: { usage: null } });
    const told = async (fields: object) => {
      gateway.upstream.next(stream());
      return (await gateway.chat(key, { model: 'up-paid', stream: true, ...fields })).text();
    };
    const sent = (stream().body ?? []).map((part) =>
      String(part).replace('"model":"scripted-2026-01"', '"model":"up-paid"'),
    );
    const unasked = sent.filter((part) => !part.includes('"usage":{')).join('');
    expect(await told({})).toBe(unasked.replaceAll('"usage":null,', ''));
    const asked = await told({ stream_options: { include_usage: true } });
    expect(asked.match(/"usage":null/g)).toHaveLength(6);
  });

  test('of a stream has no usage that grows from chunk to chunk, unless the client asked for usage', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const told = async (fields: object) => {
      gateway.upstream.next(chatStream({ extra: { usage } }));
      return (await gateway.chat(key, { model: 'up-paid', stream: true, ...fields })).text();
    };
    expect(await told({})).not.toContain('usage');
    expect(await told({ stream_options: { include_usage: true } })).toContain(`"usage":${JSON.stringify(usage)}`);
  });

  test('brings no header of the upstream along', async () => {
    gateway.upstream.next({
      ...chatAnswer(),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'openai-organization': 'org-upstream',
        'x-request-id': 'req_upstream',
        'set-cookie': 'a=b',
        server: 'upstream/1.0',
        'x-ratelimit-remaining-requests': '9999999',
        'x-svc-channel': 'forged',
      },
    });
    const { headers } = await gateway.chat(key, { model: 'up-paid' });
    const text = JSON.stringify([...headers]);
    for (const secret of ['org-upstream', 'req_upstream', 'a=b', 'upstream/1.0', '9999999', 'forged']) {
      expect(text).not.toContain(secret);
    }
  });
});
