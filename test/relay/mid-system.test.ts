// A system message in the middle of a conversation, as Claude Code sends one: a channel says what its upstream takes.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

const CHANNELS = [
  { name: 'unsaid' },
  { name: 'stays', mid_system: 'system' },
  { name: 'folds', mid_system: 'fold', quirks: 'openai' },
  { name: 'names', mid_system: 'developer' },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (doc) => {
      const url = String(doc.channels.find(({ name }) => name === 'up')?.base_url);
      const modelOn = (channel: string) =>
        upModel(channel, { price: 'free', routes: [{ channel, model: 'scripted-2026-01' }] });
      return {
        ...doc,
        channels: [...doc.channels, ...CHANNELS.map(({ name, ...rest }) => openaiChannel(name, url, rest))],
        models: [...doc.models, ...CHANNELS.map(({ name }) => modelOn(name))],
      };
    },
  });
});
afterAll(() => gateway.stop());

test.each([
  ['unsaid', ['user']],
  ['stays', ['user', 'system']],
  ['folds', ['user']],
  ['names', ['user', 'developer']],
])('%s: %p', async (model, roles) => {
  const { key } = await gateway.register();
  gateway.upstream.reset();
  gateway.upstream.next(chatAnswer());
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'Be brief.' },
  ];
  const response = await gateway.call('/v1/messages', { key, body: { model, max_tokens: 20, messages } });
  expect(response.status).toBe(200);
  const { json } = await gateway.upstream.request(0);
  expect(json.messages.map(({ role }: { role: string }) => role)).toEqual(roles);
  expect(JSON.stringify(json.messages)).toContain('Be brief.');
});
