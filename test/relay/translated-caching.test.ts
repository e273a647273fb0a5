// Agents of the OpenAI formats on a channel of Anthropic's, which caches only what is marked: a session that asks for caching
// finds with each step what the one before has written, and pays for what was written and read exactly.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { messageAnswer, messageStream } from '../support/anthropic-messages.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { nano } from '../support/nano.ts';
import { chatAnswer, errorScript } from '../support/openai-chat.ts';
import { upModel, upstreamUrl } from '../support/test-document.ts';
import { FLAT_CLIENTS, type WireClient } from '../support/wire-clients.ts';

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      channels: [...standard.channels, { name: 'claude', kind: 'anthropic', base_url: upstreamUrl(standard) }],
      models: [
        ...standard.models,
        upModel('marked', {
          price: { input: 10, cached_input: 1, cache_write_5m: 12.5, cache_write_1h: 20, output: 40 },
          routes: [{ channel: 'claude', model: 'claude-opus-4-8' }],
        }),
        upModel('unlisted', {
          price: { input: 10, output: 40 },
          routes: [{ channel: 'claude', model: 'claude-opus-4-8' }],
        }),
        upModel('other-first', { price: { input: 10, output: 40 }, fallbacks: ['marked'] }),
      ],
    }),
  });
  ({ key } = await gateway.register());
});
beforeEach(() => gateway.upstream.reset());
afterAll(() => gateway.stop());

const clients = FLAT_CLIENTS.filter(({ name }) => name !== 'messages');
const clientOf = (wanted: WireClient['name']) => clients.find(({ name }) => name === wanted) as WireClient;

async function ask(client: WireClient, fields: Record<string, unknown>): Promise<Response> {
  const { path, body } = client.call({ model: 'marked', max_tokens: 100, ...fields });
  const response = await gateway.call(path, { key, body });
  expect(response.status, await response.clone().text()).toBe(200);
  return response;
}

/** Everything up to each mark, as the vendor takes it for one prefix. */
function markedPrefixes({ tools = [], system = [], messages }: Answer): string[] {
  const blocks: Answer[] = [...tools, ...system, ...messages.flatMap(({ content }: Answer) => content)];
  const plain = blocks.map((block) => JSON.stringify({ ...block, cache_control: undefined }));
  return blocks.flatMap((block, index) => (block.cache_control ? [plain.slice(0, index + 1).join()] : []));
}

/** What an answered call had held for its input. */
async function inputHeld(response: Response): Promise<bigint> {
  await response.text();
  const [row] = gateway.sql<{ held_nano: bigint }>(
    'SELECT held_nano FROM usage_records WHERE request_id = ?',
    response.headers.get('x-request-id') ?? '',
  );
  return (row?.held_nano ?? 0n) - 100n * 40_000n;
}

/** More than the vendor looks back from a mark. */
const CALLS = 25;
const TOOL = { name: 'look', parameters: { type: 'object' } };

/** The steps of one session, each with all that came before. */
const SESSIONS: Record<string, () => Record<string, unknown>[]> = {
  chat() {
    const messages: unknown[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look around.' },
    ];
    const step = () => ({ tools: [{ type: 'function', function: TOOL }], messages: [...messages] });
    const steps = [step()];
    for (const round of [1, 2]) {
      const ids = Array.from({ length: CALLS }, (_, index) => `call_${round}_${index}`);
      const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } }));
      messages.push({ role: 'assistant', content: null, tool_calls: calls });
      messages.push(...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: `seen ${id}` })));
      steps.push(step());
    }
    messages.push({ role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Thanks.' });
    return [...steps, step()];
  },
  responses() {
    const input: unknown[] = [{ role: 'user', content: 'Look around.' }];
    const step = () => ({ instructions: 'Be brief.', tools: [{ type: 'function', ...TOOL }], input: [...input] });
    const steps = [step()];
    for (const round of [1, 2]) {
      const ids = Array.from({ length: CALLS }, (_, index) => `call_${round}_${index}`);
      input.push(...ids.map((id) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{}' })));
      input.push(...ids.map((id) => ({ type: 'function_call_output', call_id: id, output: `seen ${id}` })));
      steps.push(step());
    }
    input.push({ role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Thanks.' });
    return [...steps, step()];
  },
};

describe.each(clients)('a session of $name', (client) => {
  const steps = SESSIONS[client.name]?.() ?? [];

  test('with a key for the cache finds in each step all that the one before has written', async () => {
    gateway.upstream.otherwise(messageAnswer());
    for (const step of steps) {
      const response = await ask(client, { ...step, prompt_cache_key: 'session-1' });
      expect(response.headers.get('x-svc-dropped')).toBeNull();
    }
    const marked = gateway.upstream.requests.map(({ json }) => markedPrefixes(json));
    expect(marked).toHaveLength(4);
    for (const [index, prefixes] of marked.entries()) {
      expect(prefixes.length).toBeWithin(3, 5);
      const written = marked[index - 1]?.at(-1);
      if (written !== undefined) expect(prefixes).toContain(written);
    }
  });

  test('without one pays for nothing that is written', async () => {
    gateway.upstream.otherwise(messageAnswer());
    for (const step of steps) await ask(client, step);
    for (const { body } of gateway.upstream.requests) expect(body).not.toContain('cache_control');
    expect(gateway.upstream.requests).toHaveLength(steps.length);
  });

  test('is not refused for its key where it is strict', async () => {
    gateway.upstream.otherwise(messageAnswer());
    const { path, body } = client.call({ model: 'marked', max_tokens: 100, prompt_cache_key: 'session-1' });
    const response = await gateway.call(path, { key, body, headers: { 'x-svc-strict': '1' } });
    expect(response.status).toBe(200);
  });
});

describe.each([
  ['whole', messageAnswer, false],
  ['streamed', messageStream, true],
] as const)('%s', (_, make, stream) => {
  const usage = {
    input_tokens: 4,
    cache_read_input_tokens: 80,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 },
    output_tokens: 50,
  };
  const words = { instructions: 'x'.repeat(1_000), input: 'Hi' };

  test('cache reads and writes are reported and billed at their prices, within the hold', async () => {
    gateway.upstream.next(make({ usage }));
    const response = await ask(clientOf('responses'), { ...words, stream, prompt_cache_key: 'session-1' });
    const text = await response.text();
    const { usage: shown } = stream ? clientOf('responses').assemble(text) : JSON.parse(text);
    expect(shown.input_tokens).toBe(114);
    expect(shown.input_tokens_details).toMatchObject({ cached_tokens: 80, cache_write_tokens: 30 });
    const cost = 4 * 10_000 + 80 * 1_000 + 30 * 12_500 + 50 * 40_000;
    if (stream) expect(shown.cost_nano).toBe(String(cost));
    else expect(nano(response.headers.get('x-svc-cost-ntd'))).toBe(BigInt(cost));
    const { data } = await gateway.get('/api/usage?limit=1', key);
    expect(data[0]).toMatchObject({ cached_input_tokens: 80, cache_write_5m_tokens: 30, cost_nano: String(cost) });
  });

  test('the hold covers a prompt that is written whole', async () => {
    const request = { ...words, stream, prompt_cache_options: { mode: 'implicit', ttl: '30m' } };
    gateway.upstream.next(make({ usage: { ...usage, cache_creation: { ephemeral_1h_input_tokens: 30 } } }));
    const held = await inputHeld(await ask(clientOf('responses'), request));
    const { data } = await gateway.get('/api/usage?limit=1', key);
    expect(data[0]).toMatchObject({ cache_write_1h_tokens: 30, cost_nano: String(120_000 + 600_000 + 2_000_000) });
    gateway.upstream.next(make({ usage }));
    const atInput = await inputHeld(await ask(clientOf('responses'), { ...request, model: 'unlisted' }));
    expect([atInput > 114n * 10_000n, held]).toEqual([true, atInput * 2n]);
  });

  test('a price for writing that is not listed is that of input', async () => {
    gateway.upstream.next(make({ usage }));
    const response = await ask(clientOf('responses'), { ...words, stream, model: 'unlisted', prompt_cache_key: 's' });
    await response.text();
    const { data } = await gateway.get('/api/usage?limit=1', key);
    expect(data[0].cost_nano).toBe(String((4 + 80 + 30) * 10_000 + 50 * 40_000));
  });
});

test('each channel is asked in its own words: the key where it is known, marks where they are needed', async () => {
  gateway.upstream.next(errorScript(400, { code: 'context_length_exceeded' }), messageAnswer());
  await ask(clientOf('chat'), { model: 'other-first', prompt_cache_key: 'session-1' });
  const [first, second] = gateway.upstream.requests;
  expect(first?.json.prompt_cache_key).toBe('session-1');
  expect(first?.body).not.toContain('cache_control');
  expect(second?.json.prompt_cache_key).toBeUndefined();
  expect(markedPrefixes(second?.json)).toHaveLength(1);
});

test('nothing is added where the channel has the client’s own format', async () => {
  gateway.upstream.next(chatAnswer());
  await ask(clientOf('chat'), { model: 'up-paid', prompt_cache_key: 'session-1' });
  expect(gateway.upstream.requests[0]?.body).not.toContain('cache_control');
});
