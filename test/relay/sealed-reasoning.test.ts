// Reasoning that its upstream sealed for a stateless client: only the account that sealed it can open it. A conversation
// keeps to its channel without a name; where another one must serve, it is asked without what it cannot read.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { errorScript } from '../support/openai-chat.ts';
import { responseAnswer, responseStream } from '../support/openai-responses.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

const INCLUDE = ['reasoning.encrypted_content'];
const UNREADABLE = {
  message:
    'The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
  type: 'invalid_request_error',
  code: 'invalid_encrypted_content',
  param: null,
};
/** The same in words alone. */
const IN_WORDS = { ...UNREADABLE, code: null };

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;

beforeAll(async () => {
  second = await startUpstream();
  gateway = await startTestGateway({
    document: (doc) => {
      const url = upstreamUrl(doc);
      const route = (channel: string, priority: number) => ({ channel, model: 'scripted-2026-01', priority });
      return {
        ...doc,
        channels: [
          ...doc.channels,
          openaiChannel('one', url, { endpoints: ['responses'] }),
          openaiChannel('two', second.baseUrl, { endpoints: ['responses'] }),
        ],
        models: [
          ...doc.models,
          upModel('equal', { price: { input: 1, output: 1 }, routes: [route('one', 1), route('two', 1)] }),
          upModel('ordered', { price: { input: 1, output: 1 }, routes: [route('one', 1), route('two', 2)] }),
        ],
      };
    },
  });
  first = gateway.upstream;
});
beforeEach(async () => {
  for (const upstream of [first, second]) {
    upstream.reset();
    upstream.otherwise(responseAnswer());
  }
  account = await gateway.register();
});
afterAll(async () => {
  await gateway.stop();
  await second.close();
});

const SAID = [
  { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
  { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
  { id: 'ws_1', type: 'web_search_call', status: 'completed' },
  { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'There.' },
];
const HISTORY = [{ role: 'user', content: 'Is it there?' }, ...SAID, { role: 'user', content: 'Sure?' }];

function respond(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> {
  return gateway.call('/v1/responses', { key: account.key, headers, body: { max_output_tokens: 100, ...body } });
}

async function channelOf(body: Record<string, unknown>): Promise<string> {
  const response = await respond({ model: 'equal', ...body });
  await response.text();
  expect(response.status).toBe(200);
  return String(response.headers.get('x-svc-channel'));
}

describe('a conversation without a name keeps to its channel', () => {
  const asMessage = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

  test('from its first call on, however its items are written', async () => {
    const channels = new Set<string>();
    for (let n = 0; n < 24; n++) {
      const text = `${'Long beginnings are common. '.repeat(100)}${'x'.repeat(n)}`;
      const begun = await channelOf({ input: text, include: INCLUDE });
      channels.add(begun);
      const later = [
        await channelOf({ input: [asMessage(text), ...SAID, asMessage('Sure?')], include: INCLUDE }),
        await channelOf({ input: [{ role: 'user', content: text }, ...SAID, ...SAID] }),
      ];
      expect(later).toEqual([begun, begun]);
    }
    expect([...channels].toSorted()).toEqual(['one', 'two']);
  });

  test('and other conversations go anywhere', async () => {
    const channels = new Set<string>();
    for (let n = 0; n < 24; n++) channels.add(await channelOf({ input: 'The same.' }));
    expect(channels.size).toBe(2);
  });
});

describe.each([false, true])('a channel that cannot open it (stream: %p)', (stream) => {
  const answer = stream ? responseStream : responseAnswer;
  const receiptOf = async (response: Response) => {
    await response.text();
    const { attempts } = await gateway.get(`/api/receipts/${response.headers.get('x-request-id')}`, account.key);
    return attempts.map(({ channel, outcome }: Record<string, string>) => [channel, outcome]);
  };

  test.each([UNREADABLE, IN_WORDS])('is passed over: %p', async (error) => {
    first.next(errorScript(400, error));
    second.next(answer());
    const response = await respond({ model: 'ordered', input: HISTORY, stream });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-dropped')).toBeNull();
    expect((await second.request(0)).json.input[1]).toEqual({
      type: 'reasoning',
      summary: [],
      encrypted_content: 'gAAA',
    });
    expect(await receiptOf(response)).toEqual([
      ['one', 'request_refused'],
      ['two', 'ok'],
    ]);
  });

  test('is tried without it when there is no other channel, and that is reported', async () => {
    first.next(errorScript(400, UNREADABLE));
    second.next(errorScript(400, UNREADABLE), answer());
    const response = await respond({ model: 'ordered', input: HISTORY, stream });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-dropped')).toBe('encrypted_content');
    const bare = SAID.slice(1).map(({ id: _, ...rest }) => rest);
    const { input } = (await second.request(1)).json;
    expect(input).toEqual([HISTORY[0], ...bare, HISTORY.at(-1)]);
    expect(await receiptOf(response)).toEqual([
      ['one', 'request_refused'],
      ['two', 'request_refused'],
      ['two', 'ok'],
    ]);
  });

  test('ends in its refusal if it still cannot, or if nothing may be lost', async () => {
    for (const upstream of [first, second]) upstream.otherwise(errorScript(400, UNREADABLE));
    const response = await respond({ model: 'ordered', input: HISTORY, stream });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
    const strict = await respond({ model: 'ordered', input: HISTORY, stream }, { 'x-svc-strict': '1' });
    expect(strict.status).toBe(400);
    expect([first.requests.length, second.requests.length]).toEqual([2, 3]);
  });

  test('beside one that failed is asked without it, too', async () => {
    first.otherwise({ status: 500 });
    second.next(errorScript(400, UNREADABLE), answer());
    const response = await respond({ model: 'ordered', input: HISTORY, stream });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-channel')).toBe('two');
    await response.text();
  });
});

test('what a translation sealed for a chat client stays behind as well', async () => {
  const chat = async (messages: unknown[]) => {
    const body = { model: 'ordered', max_tokens: 100, messages };
    const response = await gateway.call('/v1/chat/completions', { key: account.key, body });
    return { response, json: await response.json() };
  };
  const asked = { role: 'user', content: 'Is it there?' };
  first.next(responseAnswer({ reasoning: ['Hm.'], pieces: ['Yes.'] }));
  const { message } = (await chat([asked])).json.choices[0];
  for (const upstream of [first, second]) upstream.reset();
  first.next(errorScript(400, UNREADABLE));
  second.next(errorScript(400, UNREADABLE), responseAnswer());
  const { response } = await chat([asked, message, { role: 'user', content: 'Sure?' }]);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-svc-dropped')).toBe('encrypted_content');
  const types = async (index: number) =>
    (await second.request(index)).json.input.map(({ type, role }: Record<string, string>) => type ?? role);
  expect(await types(0)).toEqual(['user', 'reasoning', 'assistant', 'user']);
  expect(await types(1)).toEqual(['user', 'assistant', 'user']);
});

test('the same message of an upstream that encrypts nothing is an ordinary refusal, reported once', async () => {
  first.next(errorScript(400, IN_WORDS));
  const response = await gateway.chat(account.key, { model: 'up-paid' });
  expect(response.status).toBe(400);
  expect(response.headers.get('x-svc-dropped')).toBeNull();
  expect(first.requests).toHaveLength(1);
});
