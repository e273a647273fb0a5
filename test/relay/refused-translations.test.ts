// What is said of a call that an upstream refused after a translation: in the log what was sent, without a word of it; to
// the client the field of its own that is at fault.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import type { LogLine } from '../support/log-capture.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { bodyLength, cutAt, type Script } from '../support/script.ts';
import { openaiChannel, upModel } from '../support/test-document.ts';

let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [
        ...standard.channels,
        openaiChannel('chat-alone', String(standard.channels[1]?.base_url), { endpoints: ['chat'] }),
      ],
      models: [
        ...standard.models,
        upModel('talk', { price: 'free', routes: [{ channel: 'chat-alone', model: 'scripted-2026-01' }] }),
      ],
    }),
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const TOO_ODD = { message: 'too odd', type: 'invalid_request_error', code: null, param: null };
const FILTERED = { ...TOO_ODD, code: 'content_policy_violation' };

test.each<[what: string, path: string, script: Script, translated: boolean | undefined]>([
  ['refused after a translation', '/v1/messages', errorScript(400, TOO_ODD), true],
  ['refused as it came', '/v1/chat/completions', errorScript(400, TOO_ODD), undefined],
  ['refused for what it says', '/v1/messages', errorScript(400, FILTERED), undefined],
  ['answered after a translation', '/v1/messages', chatAnswer(), undefined],
])('whether a translation wrote it: %s', async (_, path, script, translated) => {
  gateway.upstream.next(script);
  const messages = [{ role: 'user', content: 'Hi' }];
  const response = await gateway.call(path, {
    key: account.key,
    body: { model: 'up-paid', max_tokens: 20, messages },
  });
  await response.text();
  const id = response.headers.get('x-request-id');
  const isOwn = ({ event, request_id }: LogLine) => event === 'request' && request_id === id;
  const logged = await eventually('its line in the log', () => gateway.log.lines().find(isOwn));
  expect(logged.translated).toBe(translated);
  const refused = gateway.log.lines().filter((line) => line.event === 'translation_refused' && line.request_id === id);
  expect(refused).toHaveLength(translated ? 1 : 0);
});

test('also where a stream had broken, and the try that was to go on was refused', async () => {
  const stream = chatStream();
  const upToHello = bodyLength({ body: stream.body?.slice(0, 2) ?? [] });
  gateway.upstream.next(cutAt(stream, upToHello, 'rst', 30), errorScript(400, TOO_ODD));
  const response = await gateway.call('/v1/messages', {
    key: account.key,
    body: { model: 'up-paid', max_tokens: 20, stream: true, messages: [{ role: 'user', content: 'Hi' }] },
  });
  expect(await response.text()).toContain('Hello');
  const id = response.headers.get('x-request-id');
  const lines = await eventually('its lines in the log', () => {
    const own = gateway.log.lines().filter(({ request_id }) => request_id === id);
    return own.some(({ event }) => event === 'request') ? own : undefined;
  });
  expect(lines).toMatchObject([
    { event: 'translation_refused', channel: 'up' },
    { event: 'request', outcome: 'upstream_failed', translated: true },
  ]);
});

const SENT = 'sent model text, messages list, tools list, max_tokens number, stream false';
test.each([
  [null, SENT],
  ['messages[0].content', `at messages[0].content; ${SENT}`],
  ['tools.0.function.parameters.properties.secret_word', `at tools[0].function.parameters; ${SENT}`],
  ['secret_word', SENT],
  ['secret_word.content', SENT],
])('by which channel, at which place, and what it was: %s', async (param, detail) => {
  gateway.upstream.next(errorScript(400, { ...TOO_ODD, message: 'secret_word', code: 'secret_word', param }));
  const response = await gateway.call('/v1/messages', {
    key: account.key,
    body: {
      model: 'up-paid',
      max_tokens: 20,
      messages: [{ role: 'user', content: 'secret_word' }],
      tools: [{ name: 'secret_word', input_schema: { type: 'object', properties: { secret_word: {} } } }],
      secret_word: 1,
    },
  });
  expect(response.status).toBe(400);
  const request_id = response.headers.get('x-request-id');
  const line = gateway.log.lines().find((one) => one.event === 'translation_refused' && one.request_id === request_id);
  const endpoint = '/v1/messages';
  expect(line).toMatchObject({ level: 'warn', channel: 'up', model: 'up-paid', endpoint, detail });
  expect(gateway.log.text()).not.toContain('secret_word');
});

const TOO_LONG = { ...TOO_ODD, code: 'context_length_exceeded' };
test.each([
  ['/v1/responses', TOO_LONG, 'messages', 'input'],
  ['/v1/responses', TOO_LONG, null, 'input'],
  ['/v1/responses', TOO_ODD, 'messages[0].content', 'input'],
  ['/v1/responses', TOO_ODD, 'temperature', 'temperature'],
  ['/v1/responses', TOO_ODD, 'max_tokens', null],
  ['/v1/responses', FILTERED, 'messages', 'input'],
  ['/v1/chat/completions', TOO_ODD, 'messages[0].content', 'messages[0].content'],
  ['/v1/chat/completions', TOO_LONG, 'messages', 'messages'],
])('%s gets its own field: %j at %s', async (path, error, param, told) => {
  gateway.upstream.next(errorScript(400, { ...error, param }));
  const messages = [{ role: 'user', content: 'Hi' }];
  const prompt = path === '/v1/responses' ? { input: messages } : { messages };
  const body = { model: 'talk', temperature: 0.5, ...prompt };
  const response = await gateway.call(path, { key: account.key, body });
  expect(response.status).toBe(400);
  expect((await response.json()) as Answer).toMatchObject({ error: { param: told } });
});
