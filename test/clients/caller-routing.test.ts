// The caller's own routing as clients send it: extra fields of the SDKs, and of Claude Code by a variable.

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { claudeCode } from '../support/clis.ts';
import { saysHello } from '../support/conversations.ts';
import { CLI_TEST_MS, runCli } from '../support/run-cli.ts';

/** Both are the names of a model and of the one channel that serves it. */
const [NAMED, OTHER] = ['on-openai', 'on-anthropic'];
const ROUTING = { models: [OTHER], provider: { ignore: [NAMED] } };

let gateway: ClientGateway;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startClientGateway();
  openai = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ authToken: gateway.key, apiKey: null, baseURL: gateway.url, maxRetries: 0 });
});
beforeEach(() => {
  gateway.upstream.reset();
  gateway.answer(saysHello);
});
afterAll(() => gateway.stop());

/** The SDKs send what they do not know as it is. */
const routed = <Body extends object>(body: Body): Body => ({ ...body, ...ROUTING });
const user = (content: string) => ({ role: 'user' as const, content });

interface Sent {
  data: { model: string };
  response: Response;
}

const calls: [what: string, call: () => Promise<Sent>][] = [
  [
    'chat of the OpenAI SDK',
    () => openai.chat.completions.create(routed({ model: NAMED, messages: [user('Hi')] })).withResponse(),
  ],
  ['responses of the OpenAI SDK', () => openai.responses.create(routed({ model: NAMED, input: 'Hi' })).withResponse()],
  [
    'messages of the Anthropic SDK',
    () => anthropic.messages.create(routed({ model: NAMED, max_tokens: 50, messages: [user('Hi')] })).withResponse(),
  ],
];
test.each(calls)('%s', async (_, call) => {
  const { data, response } = await call();
  expect(data.model).toBe(OTHER);
  expect(response.headers.get('x-svc-channel')).toBe(OTHER);
});

test(
  'Claude Code',
  async () => {
    const { key } = await gateway.register();
    const errand = claudeCode.run({ url: gateway.url, key, model: NAMED, prompt: 'Hi' });
    const env = { ...errand.env, CLAUDE_CODE_EXTRA_BODY: JSON.stringify(ROUTING) };
    const { exitCode, stdout, stderr } = await runCli({ ...errand, env });
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Hello there') });
    const { data } = await gateway.get('/api/usage', key);
    expect(new Set(data.map(({ channel }: { channel: string }) => channel))).toEqual(new Set([OTHER]));
  },
  CLI_TEST_MS,
);
