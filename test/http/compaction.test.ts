// A conversation made shorter: by POST /v1/responses/compact, and by an item `compaction_trigger` at the end of the input.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../support/client-gateway.ts';
import { openSocket, textOf } from '../support/response-socket.ts';
import { spendAll } from '../support/spend-all.ts';
import { sseEvents } from '../support/sse.ts';

const SECRET = 'The user likes lighthouses.';
const TOOLS = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }];
const CONVERSATION = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look at the lighthouse.' }] },
  { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'It is white.' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is white.' }] },
];

let gateway: ClientGateway;
beforeAll(async () => {
  gateway = await startClientGateway();
});
beforeEach(() => {
  gateway.upstream.reset();
  gateway.answer(({ prompt }) => ({ pieces: prompt.includes('Summarize this') ? [SECRET] : ['I know: ', prompt] }));
});
afterAll(() => gateway.stop());

const post = (path: string, body: Record<string, unknown>, key = gateway.key) => gateway.call(path, { key, body });
const [{ model: FIRST }] = KINDS_FOR.responses;

describe.each([...KINDS_FOR.responses])('on a channel of the kind $kind', ({ model }) => {
  test('the model writes a summary, which every other model understands', async () => {
    const { key } = await gateway.register();
    const response = await post('/v1/responses/compact', { model, input: CONVERSATION, instructions: 'Be kind.' }, key);
    const compacted: Answer = await response.json();
    expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, model]);
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      output: [CONVERSATION[0], { type: 'compaction' }],
      usage: { total_tokens: 18 },
    });
    expect(JSON.stringify(compacted)).not.toContain(SECRET);
    expect((await gateway.heard(0)).results[0]?.text).toContain('white');

    for (const { model: other } of KINDS_FOR.responses) {
      const next = await post('/v1/responses', { model: other, input: [...compacted.output, CONVERSATION[0]] }, key);
      expect(textOf({ response: await next.json() })).toContain(SECRET);
    }
    const { data } = await gateway.get('/api/usage', key);
    expect(data.at(-1)).toMatchObject({ status: 'ok', channel: model, endpoint: '/v1/responses/compact' });
    expect(response.headers.get('x-svc-cost-ntd')).toBe(String(data.at(-1).cost_ntd));
    expect(gateway.audit()).toEqual([]);
  });

  test('a trigger ends in a stream with one compaction item, and no tool is called', async () => {
    const input = [...CONVERSATION, { type: 'compaction_trigger' }];
    const response = await post('/v1/responses', { model, input, tools: TOOLS, stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events: Answer[] = (await Array.fromAsync(sseEvents(response))).map(({ data }) => JSON.parse(String(data)));
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ]);
    const [, , { item } = {}, ended] = events;
    expect(item).toMatchObject({ type: 'compaction' });
    expect(ended?.response).toMatchObject({ status: 'completed', output: [item], usage: { total_tokens: 18 } });
    const next = await post('/v1/responses', { model, input: [item] });
    expect(textOf({ response: await next.json() })).toContain(SECRET);
  });
});

test('a socket goes on from a compaction', async () => {
  const [, { model } = { model: FIRST }] = KINDS_FOR.responses;
  const client = await openSocket(gateway.url, gateway.key);
  const first = await client.ask({ model, input: 'old words' });
  const input = [{ type: 'compaction_trigger' }];
  const short = await client.ask({ model, input, previous_response_id: first.response.id });
  expect(short.response.output).toMatchObject([{ type: 'compaction' }]);
  const next = await client.ask({ model, input: 'new words', previous_response_id: short.response.id });
  expect(textOf(next)).toContain(SECRET);
  // What the user said stays, as with POST /v1/responses/compact.
  expect(textOf(next)).toContain('old words');
  client.socket.close();
});

test('a summary of another account, or a changed one, is refused', async () => {
  const compacted: Answer = await (await post('/v1/responses/compact', { model: FIRST, input: CONVERSATION })).json();
  const { key } = await gateway.register();
  const other = await post('/v1/responses', { model: FIRST, input: compacted.output }, key);
  expect([other.status, (await other.json()).error]).toMatchObject([400, { param: 'input[1]' }]);
  const [, item] = compacted.output;
  const changed = { ...item, encrypted_content: `${item.encrypted_content.slice(0, -8)}AAAAAAAA` };
  expect((await post('/v1/responses', { model: FIRST, input: [changed] })).status).toBe(400);
});

test('what cannot be summarized is refused, and so is one who cannot pay', async () => {
  expect((await post('/v1/responses/compact', { model: FIRST })).status).toBe(400);
  const trigger = { type: 'compaction_trigger' };
  const early = await post('/v1/responses', { model: FIRST, input: [trigger, ...CONVERSATION] });
  expect([early.status, (await early.json()).error]).toMatchObject([400, { param: 'input[0]' }]);
  const { key } = await gateway.register();
  await spendAll(gateway, key, 'even');
  expect((await post('/v1/responses/compact', { model: FIRST, input: CONVERSATION }, key)).status).toBe(402);
});

test('a compaction item of a vendor is passed on to it', async () => {
  const item = { type: 'compaction', encrypted_content: 'of-the-vendor' };
  await post('/v1/responses', { model: FIRST, input: [item, ...CONVERSATION] });
  expect((await gateway.upstream.request(0)).json).toMatchObject({ input: [item, ...CONVERSATION] });
});
