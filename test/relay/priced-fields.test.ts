// Settings that choose another model, provider or price than the one that is billed never reach an upstream, in whichever
// format they come, and the client is told.

import { describe, expect, test } from 'bun:test';
import { useAllFormats } from '../support/all-formats.ts';
import { pictureAnswer, vectorAnswer } from '../support/media-answers.ts';
import { rerankAnswer, verdictAnswer } from '../support/other-answers.ts';
import { FLAT_CLIENTS, wireClient } from '../support/wire-clients.ts';

const CHOICES = {
  route: 'fallback',
  preset: '@preset/dear',
  // The rest of it is the caller's own routing, which the gateway has: caller-routing.test.ts.
  provider: { quantizations: ['fp8'] },
  plugins: [{ id: 'web' }],
  fallbacks: [{ model: 'dear' }],
  speed: 'fast',
  service_tier: 'priority',
  inference_geo: 'us',
};
const NAMES = Object.keys(CHOICES);

const setting = useAllFormats({ '': { price: { input: 10, output: 40, image: 0.01 } } });

describe.each(FLAT_CLIENTS)('$name', ({ name, call, whole }) => {
  const ask = async (fields: Record<string, unknown>, headers: Record<string, string> = {}) => {
    setting.upstream.otherwise(whole());
    const { path, body } = call({ model: name, ...fields });
    const response = await setting.gateway.call(path, { key: setting.key, body, headers });
    await response.text();
    return { response, told: response.headers.get('x-svc-dropped'), sent: setting.upstream.requests.at(-1)?.json };
  };

  test('all of them are removed and reported', async () => {
    const { sent: plain } = await ask({});
    const { response, told, sent } = await ask(CHOICES);
    expect(response.status).toBe(200);
    expect(sent).toEqual(plain);
    expect(told?.split(',').toSorted()).toEqual(NAMES.toSorted());
  });

  test.each(Object.entries(CHOICES))('%s alone is refused where nothing may be lost', async (field, value) => {
    const { response } = await ask({ [field]: value }, { 'x-svc-strict': '1' });
    expect(response.status).toBe(400);
    expect(setting.upstream.requests).toEqual([]);
  });

  test.each(['auto', 'default', 'flex', 'standard_only'])('the tier %s costs no more, and passes', async (tier) => {
    const { told, sent } = await ask({ service_tier: tier }, { 'x-svc-strict': '1' });
    expect(sent).toMatchObject({ service_tier: tier });
    expect(told).toBeNull();
  });

  test.each([{ inference_geo: 'global' }, { speed: 'standard' }])('%p costs no more, and passes', async (fields) => {
    const { told, sent } = await ask(fields, { 'x-svc-strict': '1' });
    expect(sent).toMatchObject(fields);
    expect(told).toBeNull();
  });

  test('what chooses nothing passes as it came', async () => {
    const fields = { plugins: [], preset: null, service_tier: null, transforms: ['middle-out'] };
    const { told, sent } = await ask(fields, { 'x-svc-strict': '1' });
    expect(sent).toMatchObject(fields);
    expect(told).toBeNull();
  });

  test.each([1, 50_000])('the other members keep their bytes, also around %d of a text', async (length) => {
    setting.upstream.otherwise(whole());
    const text = `"text":"${'a'.repeat(length)}"`;
    const others = ['"temperature" : 1.0', `"unknown":{ "models" : [1.50], "provider":"\\u4f60", ${text} }`];
    const { path, body } = call({ model: name });
    const given = JSON.stringify(body).slice(1, -1);
    const routing = [`"mod\\u0065ls":["${name}"]`, `"provider":{"only":["${name}"],"zdr":true}`];
    const sent = `{${others[0]},${routing[0]},${given} ,${routing[1]},"ro\\u0075te":"fallback", ${others[1]}}`;
    const response = await setting.gateway.call(path, { key: setting.key, body: sent });
    expect(response.headers.get('x-svc-dropped')).toBe('provider,route');
    const [seen] = setting.upstream.requests;
    for (const member of others) expect(seen?.body).toContain(member);
    for (const field of ['models', 'provider', 'route']) expect(seen?.json).not.toHaveProperty(field);
  });
});

test.each([
  ['embeddings', '/v1/embeddings', { input: 'Hi' }, vectorAnswer()],
  ['images', '/v1/images/generations', { prompt: 'A cat' }, pictureAnswer()],
  ['rerank', '/v1/rerank', { query: 'Hi', documents: ['a'] }, rerankAnswer()],
  ['moderation', '/v1/moderations', { input: 'Hi' }, verdictAnswer()],
])('so they do of %s', async (model, path, body, answer) => {
  setting.upstream.otherwise(answer);
  const response = await setting.gateway.call(path, { key: setting.key, body: { model, ...body, ...CHOICES } });
  expect(response.status).toBe(200);
  expect(setting.upstream.requests[0]?.json).toEqual({ model: 'scripted-2026-01', ...body });
  expect(response.headers.get('x-svc-dropped')?.split(',').toSorted()).toEqual(NAMES.toSorted());
});

test.each([
  ['/v1/chat/completions', 'responses', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/responses', 'chat', { input: 'Hi' }],
])('a dearer tier is not translated either: %s to %s', async (path, model, body) => {
  setting.upstream.otherwise(wireClient(model).whole());
  const response = await setting.gateway.call(path, {
    key: setting.key,
    body: { model, ...body, service_tier: 'priority' },
  });
  expect(response.status).toBe(200);
  expect(setting.upstream.requests[0]?.json).not.toHaveProperty('service_tier');
  expect(response.headers.get('x-svc-dropped')).toBe('service_tier');
});

/** By the client's format: how one is asked for, something else that may stand beside it, and the list of both. */
const COMPACTIONS = {
  messages: {
    compact: '{"type":"compact_20260112","trigger":{"type":"input_tokens","value":50000}}',
    other: '{ "type" : "clear_tool_uses_20250919", "keep":{"value":3.0} }',
    list: (...edits: string[]) => `{"edits":[${edits.join(' , ')}], "x":1.0}`,
  },
  responses: {
    compact: '{"type":"compaction","compact_threshold":1000}',
    other: '{ "type" : "truncation", "keep":3.0 }',
    list: (...entries: string[]) => `[${entries.join(' , ')}]`,
  },
};

describe.each(Object.entries(COMPACTIONS).map(([name, compaction]) => ({ ...wireClient(name), ...compaction })))(
  'a compaction, which is work beside the answer: $name',
  (client) => {
    const { name, compact, other, list } = client;
    const ask = async (management: string, stream: boolean, headers: Record<string, string> = {}) => {
      setting.upstream.otherwise(stream ? client.stream() : client.whole());
      const { path, body } = client.call({ model: name, stream });
      const given = JSON.stringify(body).slice(1, -1);
      const sent = `{"context_management":${management},${given}}`;
      const response = await setting.gateway.call(path, { key: setting.key, body: sent, headers });
      const text = await response.text();
      const told = response.headers.get('x-svc-dropped');
      return { status: response.status, text, told, seen: setting.upstream.requests.at(-1) };
    };

    test.each([false, true])('stays behind beside others, which keep their bytes; stream: %p', async (stream) => {
      const { status, told, seen } = await ask(list(compact, other), stream);
      expect(status).toBe(200);
      expect(told).toBe('context_management');
      expect(seen?.json.context_management).toEqual(JSON.parse(list(other)));
      expect(seen?.body).toContain(other);
      expect(seen?.body.includes('"x":1.0')).toBe(list().includes('"x":1.0'));
    });

    test.each([false, true])('takes the field with it if there is no other; stream: %p', async (stream) => {
      const { status, told, seen } = await ask(list(compact), stream);
      expect(status).toBe(200);
      expect(told).toBe('context_management');
      const { context_management, ...plain } = (await ask(list(), stream)).seen?.json ?? {};
      expect(context_management).toEqual(JSON.parse(list()));
      expect(seen?.json).toEqual(plain);
    });

    test.each([false, true])('is refused where nothing may be lost; stream: %p', async (stream) => {
      const { status, text } = await ask(list(compact), stream, { 'x-svc-strict': '1' });
      expect(status).toBe(400);
      expect(text).toContain('context_management');
      expect(setting.upstream.requests).toEqual([]);
    });

    test('is not what others do', async () => {
      const { told, seen } = await ask(list(other), false, { 'x-svc-strict': '1' });
      expect(told).toBeNull();
      expect(seen?.body).toContain(list(other));
    });
  },
);
