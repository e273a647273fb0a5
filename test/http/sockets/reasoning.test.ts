// Reasoning on a WebSocket: later turns have what the model thought before, whether the client asked for it or not.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { messageStream } from '../../support/anthropic-messages.ts';
import { compactingVendor } from '../../support/compacting-vendor.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { responseStream } from '../../support/openai-responses.ts';
import { openSocket, type SocketClient } from '../../support/response-socket.ts';
import { openaiChannel, UPSTREAM_KEY, upModel, upstreamUrl } from '../../support/test-document.ts';

const SEALED = 'reasoning.encrypted_content';
const PRICE = { input: 1, output: 1 };

let gateway: TestGateway;
let key: string;
let client: SocketClient;
beforeAll(async () => {
  gateway = await startTestGateway({
    document(standard) {
      const url = upstreamUrl(standard);
      const at = (channel: string, model: string) => ({ price: PRICE, routes: [{ channel, model }] });
      return {
        ...standard,
        channels: [
          ...standard.channels,
          openaiChannel('vendor', url, { quirks: 'openai' }),
          { name: 'claude', kind: 'anthropic', base_url: url.replace(/\/v1$/, ''), api_key: UPSTREAM_KEY },
        ],
        models: [
          ...standard.models,
          upModel('thinks', at('vendor', 'gpt-6-luna')),
          upModel('answers', at('vendor', 'gpt-4.1')),
          upModel('unknown', at('up', 'scripted-2026-01')),
          upModel('claude', { max_output_tokens: 20_000, ...at('claude', 'claude-sonnet-4-5') }),
        ],
      };
    },
  });
  ({ key } = await gateway.register());
});
beforeEach(async () => {
  gateway.upstream.reset();
  client = await openSocket(gateway.url, key);
});
afterAll(() => gateway.stop());

const sent = async (index: number): Promise<Answer> => (await gateway.upstream.request(index)).json;
const reasoningIn = (list: Answer[]) => list.filter(({ type }) => type === 'reasoning');

/** Every reasoning item that the client got. */
function shown(): Answer[] {
  return client.messages.flatMap(({ item, response }) =>
    reasoningIn([...(item ? [item] : []), ...(response?.output ?? [])]),
  );
}

async function askTwice(fields: Record<string, unknown>): Promise<void> {
  const first = await client.ask({ input: 'one', ...fields });
  expect(first.type).toBe('response.completed');
  const second = await client.ask({ input: 'two', ...fields, previous_response_id: first.response.id });
  expect(second.type).toBe('response.completed');
}

describe('at a vendor that encrypts reasoning', () => {
  beforeEach(() => gateway.upstream.otherwise(responseStream({ reasoning: ['Let me', ' think'] })));

  test('it is asked for and sent back, and the client that did not ask does not get it', async () => {
    await askTwice({ model: 'thinks' });
    expect((await sent(0)).include).toEqual([SEALED]);
    expect(reasoningIn((await sent(1)).input)).toEqual([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me think' }], encrypted_content: 'enc_a' },
    ]);
    expect(shown().length).toBeGreaterThanOrEqual(6);
    expect(shown().filter((item) => 'encrypted_content' in item)).toEqual([]);
  });

  test('the client that asks for it gets it', async () => {
    const include = ['web_search_call.action.sources', SEALED];
    await askTwice({ model: 'thinks', include });
    expect((await sent(0)).include).toEqual(include);
    expect(reasoningIn((await sent(1)).input)).toHaveLength(1);
    const ended = client.messages.filter(({ type }) => type === 'response.completed');
    expect(ended.flatMap(({ response }) => reasoningIn(response.output)).map((item) => item.encrypted_content)).toEqual(
      ['enc_a', 'enc_a'],
    );
  });

  test('what else the client includes stays', async () => {
    await askTwice({ model: 'thinks', include: ['message.output_text.logprobs'] });
    expect((await sent(0)).include).toEqual(['message.output_text.logprobs', SEALED]);
    expect(shown().filter((item) => 'encrypted_content' in item)).toEqual([]);
  });

  test.each(['answers', 'unknown'])('it is not asked of a model that may refuse that: %s', async (model) => {
    await askTwice({ model });
    await askTwice({ model, include: ['message.output_text.logprobs'] });
    expect('include' in (await sent(0))).toBe(false);
    expect((await sent(2)).include).toEqual(['message.output_text.logprobs']);
  });

  test('what is no list is the business of the upstream', async () => {
    await askTwice({ model: 'thinks', include: 'everything' });
    expect((await sent(0)).include).toBe('everything');
  });
});

test('thoughts of another format come back with their signature', async () => {
  gateway.upstream.otherwise(messageStream({ thinking: ['Let me', ' think'] }));
  await askTwice({ model: 'claude', reasoning: { effort: 'high' } });
  const { messages } = await sent(1);
  expect(messages[1]).toMatchObject({
    role: 'assistant',
    content: [{ type: 'thinking', thinking: 'Let me think', signature: 'c2ln' }, { type: 'text' }],
  });
  expect(shown().filter((item) => 'encrypted_content' in item)).toEqual([]);
});

test('a compaction by the vendor drops nothing that the client sent', async () => {
  gateway.upstream.otherwise(compactingVendor);
  const input = [{ role: 'user', content: 'one' }, { type: 'compaction_trigger' }];
  const compacted = await client.ask({ model: 'thinks', input });
  expect(compacted.response.output).toMatchObject([{ type: 'compaction' }]);
  expect(compacted.svc).toMatchObject({ channel: 'vendor' });
  expect(compacted.svc.dropped).toBeUndefined();
});
