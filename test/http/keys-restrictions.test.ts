// What a key may carry: an allow-list that holds on every route, and an expiry that takes effect at its moment.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';

let gateway: TestGateway;
let clock: ManualClock;
let account: TestAccount;

beforeAll(async () => {
  clock = createManualClock();
  gateway = await startTestGateway({ clock });
  gateway.upstream.otherwise(chatAnswer());
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const chatStatus = async (key: string, model: string) => (await gateway.chat(key, { model, max_tokens: 16 })).status;
const patch = async (id: string, body: object): Promise<Answer> =>
  (await gateway.call(`/api/keys/${id}`, { method: 'PATCH', key: account.key, body })).json();
const modelsOf = async (key: string) => (await gateway.get('/v1/models', key)).data.map((model: Answer) => model.id);

describe('an allow-list', () => {
  test('covers the aliases of its models, whichever name it was made with', async () => {
    for (const models of [['up-paid'], ['claude-up-paid']]) {
      const { key } = await createKey(gateway, account.key, { models });
      expect(await modelsOf(key)).toEqual(['up-paid', 'claude-up-paid']);
      expect([await chatStatus(key, 'up-paid'), await chatStatus(key, 'claude-up-paid')]).toEqual([200, 200]);
    }
  });

  test('holds on chat: 403 model_not_allowed, free models included, and nothing goes upstream', async () => {
    const { key } = await createKey(gateway, account.key, { models: ['demo-small'] });
    const sent = gateway.upstream.requests.length;
    for (const model of ['up-paid', 'claude-up-paid', 'up-free', 'auto:free', 'claude-auto']) {
      for (const stream of [false, true]) {
        const response = await gateway.chat(key, { model, stream });
        expect(response.status, model).toBe(403);
        expect(await response.json()).toMatchObject({
          error: { code: 'model_not_allowed', type: 'permission_error', param: 'model' },
        });
      }
    }
    expect(gateway.upstream.requests).toHaveLength(sent);
    expect(await chatStatus(key, 'demo-small')).toBe(200);
  });

  test('holds on /v1/models and on one model of it', async () => {
    const { key } = await createKey(gateway, account.key, { models: ['demo-small'] });
    expect(await modelsOf(key)).toEqual(['demo-small']);
    expect((await gateway.call('/v1/models/demo-small', { key })).status).toBe(200);
    for (const model of ['up-paid', 'claude-up-paid']) {
      const response = await gateway.call(`/v1/models/${model}`, { key });
      expect(response.status).toBe(403);
    }
  });

  test('is not got around by naming the model twice', async () => {
    const { key } = await createKey(gateway, account.key, { models: ['demo-small'] });
    const messages = '"messages":[{"role":"user","content":"Hi"}]';
    for (const body of [
      `{"model":"demo-small","model":"up-paid",${messages}}`,
      `{"model":"up-paid",${messages},"model":"demo-small"}`,
    ]) {
      expect((await gateway.call('/v1/chat/completions', { key, body })).status).toBe(400);
    }
  });

  test('does not say that a model exists which the key may not use, where it suggests names', async () => {
    const { key } = await createKey(gateway, account.key, { models: ['demo-small'] });
    const response = await gateway.chat(key, { model: 'up-pajd' });
    expect(response.status).toBe(404);
    expect(JSON.stringify(await response.json())).not.toContain('up-paid');
  });

  test('can be changed, at once on this node', async () => {
    const { id, key } = await createKey(gateway, account.key, { models: ['demo-small'] });
    expect(await chatStatus(key, 'up-paid')).toBe(403);
    await gateway.call(`/api/keys/${id}`, { method: 'PATCH', key: account.key, body: { models: ['up-paid'] } });
    expect([await chatStatus(key, 'up-paid'), await chatStatus(key, 'demo-small')]).toEqual([200, 403]);
  });

  test('may keep a model that has left the catalog, and gets no other that is not there', async () => {
    const { id } = await createKey(gateway, account.key, { models: ['demo-small', 'up-paid'] });
    const models = ['demo-small', 'up-paid'];
    await gateway.apply((standard) => ({
      ...standard,
      models: standard.models.filter((model) => model.id !== 'demo-small'),
    }));
    try {
      expect(await patch(id, { name: 'renamed' })).toMatchObject({ name: 'renamed', models });
      expect(await patch(id, { name: 'again', models })).toMatchObject({ name: 'again', models });
      expect(await patch(id, { models: ['demo-small', 'up-free'] })).toMatchObject({
        models: ['demo-small', 'up-free'],
      });
      const refused = await patch(id, { models: ['demo-small', 'none-such'] });
      expect(refused.error).toMatchObject({ code: 'invalid_request', param: 'models[1]' });
      const made = await gateway.call('/api/keys', { key: account.key, body: { models: ['demo-small'] } });
      expect(made.status).toBe(400);
      // Of what was taken off the list nothing stands any more.
      await patch(id, { models: ['up-free'] });
      expect((await patch(id, { models: ['demo-small'] })).error).toMatchObject({ param: 'models[0]' });
    } finally {
      await gateway.apply((standard) => standard);
    }
  });
});

describe('an expiry', () => {
  test('is 401 from its moment on, and the same 401 as for a key that never was', async () => {
    const expiresAt = clock.now() + 60_000;
    const { key } = await createKey(gateway, account.key, { expires_at: new Date(expiresAt).toISOString() });
    clock.step(59_999);
    expect((await gateway.call('/api/me', { key })).status).toBe(200);
    clock.step(1);
    const bodies: string[] = [];
    for (const dead of [key, 'sk-svc-fake', `${key.slice(0, -1)}?`]) {
      const response = await gateway.call('/api/me', { key: dead });
      expect(response.status).toBe(401);
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(response.headers.get('www-authenticate')).toBeTruthy();
      bodies.push((await response.text()).replaceAll(response.headers.get('x-request-id') ?? '', ''));
    }
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain('invalid_api_key');
  });

  test('leaves the key on the list, and a change revives it', async () => {
    const { id, key } = await createKey(gateway, account.key, {
      expires_at: new Date(clock.now() + 60_000).toISOString(),
    });
    clock.step(60_000);
    expect((await gateway.call('/api/me', { key })).status).toBe(401);
    const { data } = await gateway.get('/api/keys', account.key);
    expect(data.map((one: Answer) => one.id)).toContain(id);
    await gateway.call(`/api/keys/${id}`, { method: 'PATCH', key: account.key, body: { expires_at: null } });
    expect((await gateway.call('/api/me', { key })).status).toBe(200);
  });

  test('that has passed may be sent again as it stands, and no other that has passed', async () => {
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    const { id } = await createKey(gateway, account.key, { expires_at });
    clock.step(60_000);
    expect(await patch(id, { name: 'late', expires_at })).toMatchObject({ name: 'late', expires_at });
    const earlier = new Date(clock.now() - 1).toISOString();
    expect((await patch(id, { expires_at: earlier })).error).toMatchObject({ param: 'expires_at' });
  });

  test('can be moved or taken away while the key lives', async () => {
    const { id, key } = await createKey(gateway, account.key, {
      expires_at: new Date(clock.now() + 60_000).toISOString(),
    });
    await gateway.call(`/api/keys/${id}`, { method: 'PATCH', key: account.key, body: { expires_at: null } });
    clock.step(120_000);
    expect((await gateway.call('/api/me', { key })).status).toBe(200);
  });
});
