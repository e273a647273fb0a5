// A demo is marked wherever a model is shown, and nothing else is.

import { afterEach, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { TestDocument } from '../support/test-document.ts';

let gateway: TestGateway;
afterEach(() => gateway.stop());

async function demosAt(path: string, key?: string): Promise<string[]> {
  const { data }: Answer = await (await gateway.call(path, { key })).json();
  return data.filter(({ demo }: Answer) => demo === true).map(({ id }: Answer) => id);
}

const onChannel =
  (id: string, ...channels: string[]) =>
  (document: TestDocument) => ({
    ...document,
    models: document.models.map((model) =>
      model.id === id ? { ...model, routes: channels.map((channel) => ({ channel, model: 'demo' })) } : model,
    ),
  });
const only = (document: TestDocument) => ({
  ...document,
  models: document.models.filter(({ id }) => String(id).startsWith('demo') || id === 'auto:free'),
});
const homeText = async () => (await gateway.call('/', { headers: { accept: 'text/plain' } })).text();
const register = async (): Promise<Answer> => (await gateway.call('/api/agent/register', { body: {} })).json();

test('the catalog, the model list, the status and registration mark demos', async () => {
  gateway = await startTestGateway();
  const registered = await register();
  expect(registered.demo).toBe(true);
  expect(await demosAt('/api/public/catalog')).toEqual(['auto:free', 'demo-small']);
  expect(await demosAt('/api/public/status')).toEqual(['auto:free', 'demo-small']);
  expect(await demosAt('/v1/models', registered.api_key)).toEqual(['auto:free', 'demo-small', 'claude-auto']);
  const shown = await gateway.get('/v1/models/auto:free', registered.api_key);
  expect(shown).toMatchObject({ demo: true });
  const real = await gateway.get('/v1/models/up-paid', registered.api_key);
  expect(real).not.toHaveProperty('demo');
});

test('the front page says that the free model is a demo, or all models are', async () => {
  gateway = await startTestGateway();
  expect(await homeText()).toContain('auto:free is a demo');
  await gateway.apply(only);
  expect(await homeText()).toContain('Demo server');
  expect(await (await gateway.call('/llms.txt')).text()).toContain('demo models only');
  expect(await (await gateway.call('/skill.md')).text()).toContain('On this server it is a demo');
  const html = await (await gateway.call('/?lang=zh-TW', { headers: { accept: 'text/html' } })).text();
  expect(html).toContain('示範伺服器');
  await gateway.apply(onChannel('auto:free', 'up'));
  expect(await homeText()).not.toMatch(/demo/i);
  expect(await (await gateway.call('/llms.txt')).text()).not.toMatch(/a demo|demo models/);
  expect(await (await gateway.call('/skill.md')).text()).not.toContain('it is a demo');
});

test('a model with one real channel is no demo', async () => {
  gateway = await startTestGateway({ document: onChannel('auto:free', 'demo', 'up') });
  expect(await demosAt('/api/public/catalog')).toEqual(['demo-small']);
  expect(await register()).not.toHaveProperty('demo');
});

test('a channel that is switched off does not count', async () => {
  gateway = await startTestGateway({
    document: (document) => {
      const moved = onChannel('auto:free', 'demo', 'up')(document);
      const channels = moved.channels.map((channel) =>
        channel.name === 'up' ? { ...channel, enabled: false } : channel,
      );
      return { ...moved, channels };
    },
  });
  expect(await demosAt('/api/public/catalog')).toEqual(['auto:free', 'demo-small']);
});
