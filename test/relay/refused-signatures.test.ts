// Signed thoughts of Claude that an upstream refuses: they hold for one account, one model or one conversation. Another channel
// may take them; if none does, the conversation goes on without them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { messageAnswer, messageError, messageStream } from '../support/anthropic-messages.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { upModel, upstreamUrl } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const WORDS = [
  'messages.1.content.0: Invalid `signature` in `thinking` block',
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
  'messages.1.content.0.thinking.signature: Field required',
  'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
] as const;
const refused = (message: string = WORDS[0]) => messageError(400, { type: 'invalid_request_error', message });

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  second = await startUpstream();
  gateway = await startTestGateway({
    document: (doc) => {
      const channel = (name: string, url: string) => ({
        ...{ name, kind: 'anthropic', api_key: 'fake-anthropic-key', base_url: new URL(url).origin },
      });
      const model = (id: string, upstream: string, priorities = [1, 2]) =>
        upModel(id, {
          max_output_tokens: 4_000,
          price: { input: 1, output: 1 },
          routes: ['one', 'two'].map((channel, index) => ({ channel, model: upstream, priority: priorities[index] })),
        });
      return {
        ...doc,
        channels: [...doc.channels, channel('one', upstreamUrl(doc)), channel('two', second.baseUrl)],
        models: [
          ...doc.models,
          model('newest', 'claude-opus-5-5'),
          model('by-budget', 'claude-sonnet-4-5'),
          model('equal', 'claude-sonnet-5-5', [1, 1]),
        ],
      };
    },
  });
  first = gateway.upstream;
});
beforeEach(async () => {
  for (const upstream of [first, second]) {
    upstream.reset();
    upstream.otherwise(messageAnswer());
  }
  account = await gateway.register();
});
afterAll(async () => {
  await gateway.stop();
  await second.close();
});

const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 'RXJ0' };
const SECRET = { type: 'redacted_thinking', data: 'RXJ0' };
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'A tree.' };
const QUESTION = { role: 'user', content: 'What is there?' };
const LOOP = [
  QUESTION,
  { role: 'assistant', content: [THOUGHT, SECRET] },
  { role: 'user', content: 'Well?' },
  { role: 'assistant', content: [THOUGHT, { type: 'text', text: 'Let me look.' }, CALL] },
  { role: 'user', content: [RESULT] },
];
const WITHOUT_THOUGHTS = [
  QUESTION,
  LOOP[2],
  { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, CALL] },
  LOOP[4],
];
const TOOLS = [{ name: 'look', input_schema: { type: 'object' } }];

function ask(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> {
  const asked = { model: 'newest', max_tokens: 3_000, tools: TOOLS, messages: LOOP, ...body };
  return gateway.call('/v1/messages', { key: account.key, headers, body: asked });
}

async function attemptsOf(response: Response) {
  await response.text();
  const { attempts } = await gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
  return attempts.map(({ channel, outcome }: Record<string, string>) => [channel, outcome]);
}

describe.each([false, true])('streamed: %p', (stream) => {
  const answer = stream ? messageStream : messageAnswer;

  test.each(WORDS)('the next channel is asked with the same thoughts: %s', async (words) => {
    first.next(refused(words));
    second.next(answer());
    const response = await ask({ stream });
    expect([response.status, response.headers.get('x-svc-dropped')]).toEqual([200, null]);
    expect((await second.request(0)).json.messages).toEqual(LOOP);
    expect(await attemptsOf(response)).toEqual([
      ['one', 'request_refused'],
      ['two', 'ok'],
    ]);
  });

  test('if no channel takes them, the last is asked once without them, and that is reported', async () => {
    first.next(refused());
    second.next(refused(), answer());
    const response = await ask({ stream });
    expect([response.status, response.headers.get('x-svc-dropped')]).toEqual([200, 'messages.thinking']);
    expect((await second.request(1)).json.messages).toEqual(WITHOUT_THOUGHTS);
    expect(await attemptsOf(response)).toEqual([
      ['one', 'request_refused'],
      ['two', 'request_refused'],
      ['two', 'ok'],
    ]);
    expect(gateway.audit()).toEqual([]);
  });

  test('a model with a budget, which wants its thoughts in a tool loop, then goes on without thinking', async () => {
    first.next(refused());
    second.next(refused(), answer());
    const thinking = { type: 'enabled', budget_tokens: 2_000 };
    const response = await ask({ stream, model: 'by-budget', thinking });
    expect([response.status, response.headers.get('x-svc-dropped')]).toEqual([200, 'messages.thinking,thinking']);
    expect((await second.request(0)).json.thinking).toEqual(thinking);
    expect((await second.request(1)).json).toMatchObject({
      messages: WITHOUT_THOUGHTS,
      thinking: { type: 'disabled' },
    });
    await response.text();
  });

  test('the call ends in the refusal if it stays, or if nothing may be lost', async () => {
    for (const upstream of [first, second]) upstream.otherwise(refused());
    const response = await ask({ stream });
    expect(response.status).toBe(400);
    expect((await response.json()).error.type).toBe('invalid_request_error');
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
    const strict = await ask({ stream }, { 'x-svc-strict': '1' });
    expect(strict.status).toBe(400);
    expect([first.requests.length, second.requests.length]).toEqual([2, 3]);
  });
});

describe('a client of the chat format', () => {
  const chat = async (model: string, messages: unknown[]) => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const body = { model, max_tokens: 3_000, messages, tools, reasoning_effort: 'low' };
    const response = await gateway.call('/v1/chat/completions', { key: account.key, body });
    return { response, json: await response.json() };
  };
  const said = { pieces: ['Let me look.'], thinking: ['Hm.'], tool: { name: 'look', input: ['{}'] }, stop: 'tool_use' };

  test.each([
    ['newest', 'messages.thinking', { type: 'adaptive' }],
    ['by-budget', 'messages.thinking,reasoning_effort', { type: 'disabled' }],
  ])('goes on without them as well: %s', async (model, dropped, thinking) => {
    first.next(messageAnswer(said));
    const { message } = (await chat(model, [QUESTION])).json.choices[0];
    for (const upstream of [first, second]) upstream.reset();
    first.next(refused());
    second.next(refused(), messageAnswer());
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'A tree.' };
    const { response } = await chat(model, [QUESTION, message, result]);
    expect([response.status, response.headers.get('x-svc-dropped')]).toEqual([200, dropped]);
    const types = async (index: number) =>
      (await second.request(index)).json.messages[1].content.map(({ type }: Record<string, string>) => type);
    expect(await types(0)).toEqual(['thinking', 'text', 'tool_use']);
    expect(await types(1)).toEqual(['text', 'tool_use']);
    expect((await second.request(1)).json.thinking).toEqual(thinking);
  });
});

describe('of equal channels', () => {
  const channelOf = async (body: Record<string, unknown>) => {
    const response = await ask({ model: 'equal', ...body });
    await response.text();
    expect(response.status).toBe(200);
    return String(response.headers.get('x-svc-channel'));
  };
  const ON = { type: 'adaptive' };

  test('a conversation with thoughts keeps to one without a name, from its first call on', async () => {
    const channels = new Set<string>();
    for (let n = 0; n < 24; n++) {
      const question = (content: unknown) => ({ role: 'user', content });
      const text = `What is at place ${n}?`;
      const begun = await channelOf({ system: 'Be brief.', messages: [question(text)], thinking: ON });
      channels.add(begun);
      const messages = [question([{ type: 'text', text, cache_control: { type: 'ephemeral' } }]), ...LOOP.slice(3)];
      const system = [{ type: 'text', text: 'Be brief.' }];
      const later = [await channelOf({ system, messages, thinking: ON }), await channelOf({ system, messages })];
      expect(later).toEqual([begun, begun]);
    }
    expect([...channels].toSorted()).toEqual(['one', 'two']);
  });

  test('others go to any', async () => {
    const channels = new Set<string>();
    for (let n = 0; n < 24; n++) channels.add(await channelOf({ messages: [QUESTION] }));
    expect(channels.size).toBe(2);
  });
});

test('another refusal ends the call', async () => {
  first.next(messageError(400, { type: 'invalid_request_error', message: 'messages.1.content.0: Invalid block' }));
  const response = await ask({});
  expect([response.status, second.requests.length]).toEqual([400, 0]);
});
