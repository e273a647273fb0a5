// A system message in the middle of a conversation, as Claude Code sends one: a channel says what its upstream takes.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer } from '../support/openai-chat.ts';
import { responseAnswer } from '../support/openai-responses.ts';
import type { Script } from '../support/script.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';

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
      const url = upstreamUrl(doc);
      const modelOn = (channel: string) =>
        upModel(channel, { price: 'free', routes: [{ channel, model: 'scripted-2026-01' }] });
      const all = CHANNELS.flatMap(({ name, ...rest }) => [
        { name, ...rest },
        { name: `${name}-in-responses`, endpoints: ['responses'], ...rest },
      ]);
      return {
        ...doc,
        channels: [...doc.channels, ...all.map(({ name, ...rest }) => openaiChannel(name, url, rest))],
        models: [...doc.models, ...all.map(({ name }) => modelOn(name))],
      };
    },
  });
});
afterAll(() => gateway.stop());

const ROLES: [string, string[]][] = [
  ['unsaid', ['user']],
  ['stays', ['user', 'system']],
  ['folds', ['user']],
  ['names', ['user', 'developer']],
];

async function sentBy(model: string, answer: Script) {
  const { key } = await gateway.register();
  gateway.upstream.reset();
  gateway.upstream.next(answer);
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'Be brief.' },
  ];
  const response = await gateway.call('/v1/messages', { key, body: { model, max_tokens: 20, messages } });
  expect(response.status).toBe(200);
  const { json, body } = await gateway.upstream.request(0);
  expect(body).toContain('Be brief.');
  return json;
}

const rolesOf = (turns: { role: string }[]) => turns.map(({ role }) => role);

test.each(ROLES)('%s: %p', async (model, roles) => {
  expect(rolesOf((await sentBy(model, chatAnswer())).messages)).toEqual(roles);
});

test.each(ROLES)('%s, in the responses format: %p', async (model, roles) => {
  expect(rolesOf((await sentBy(`${model}-in-responses`, responseAnswer())).input)).toEqual(roles);
});
