// A prompt that is too long: a status to everybody, and to Codex a stream that says so.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fault } from '../../src/faults/fault.ts';
import { FAULT_CODES, FAULTS } from '../../src/faults/table.ts';
import { createFaultResponses } from '../../src/http/fault-response.ts';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { sseScript } from '../support/openai-chat.ts';
import { responseEvents, responseFrame, responseObject } from '../support/openai-responses.ts';

import { parseSse } from '../support/sse.ts';

const RESPONSES = '/v1/responses';
const TOO_LONG = 'context_length_exceeded';
const AGENT = 'codex_exec/0.166.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.166.0)';

/** As Codex sends them, and as it does where one of its names is set to another. */
const CODEX: [who: string, headers: Record<string, string>][] = [
  ['the command line', { originator: 'codex_exec', 'user-agent': AGENT }],
  ['the desktop', { originator: 'Codex Desktop', 'user-agent': 'Codex Desktop/0.166.0' }],
  ['one by its user-agent', { originator: 'of-my-own', 'user-agent': AGENT }],
  ['one by its originator', { originator: 'codex_vscode', 'user-agent': 'of-my-own/1.0' }],
];
const OTHERS: [who: string, headers: Record<string, string>][] = [
  ['the OpenAI SDK', { 'user-agent': 'OpenAI/JS 7.53.0' }],
  ['opencode', { originator: 'opencode', 'user-agent': 'opencode/1.18.33' }],
  ['a client that names Codex further on', { 'user-agent': 'like-codex/1.0' }],
];

describe('through the gateway', () => {
  const input = 'word '.repeat(2_000);
  let gateway: ClientGateway;
  beforeAll(async () => {
    gateway = await startClientGateway({
      document: (doc) => ({ ...doc, guards: { ...doc.guards, free_input_tokens: 1_000 } }),
    });
  });
  afterAll(() => gateway.stop());

  const ask = (headers: Record<string, string>, body: Record<string, unknown>, path = RESPONSES) =>
    gateway.call(path, { key: gateway.key, headers, body: { stream: true, ...body } });

  async function expectStream(response: Response): Promise<void> {
    expect(response.status).toBe(200);
    const id = response.headers.get('x-request-id');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'request-id': id,
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    const error = { code: TOO_LONG, message: expect.stringContaining('prompt is too long') };
    expect(parseSse(await response.text()).map(({ json }) => json)).toMatchObject([
      {
        type: 'response.created',
        sequence_number: 0,
        response: { id: `resp_${id}`, status: 'in_progress', error: null },
      },
      {
        type: 'response.failed',
        sequence_number: 1,
        response: { id: `resp_${id}`, status: 'failed', output: [], error },
      },
    ]);
  }

  test.each(CODEX)('%s is told in a stream, and pays nothing', async (_, headers) => {
    const { balance_nano, held_nano, free } = await gateway.get('/api/me', gateway.key);
    await expectStream(await ask(headers, { model: 'auto:free', input }));
    expect(gateway.upstream.requests).toEqual([]);
    const used = { minute: { used: free.minute.used }, day: { used: free.day.used } };
    expect(await gateway.get('/api/me', gateway.key)).toMatchObject({ balance_nano, held_nano, free: used });
  });

  test('what the upstream said in its stream is told there, too', async () => {
    const { key } = await gateway.register();
    const error = { code: TOO_LONG, message: 'Your input is long.' };
    const failed = { type: 'response.failed', response: { ...responseObject(), status: 'failed', output: [], error } };
    gateway.upstream.otherwise(() => sseScript([...responseEvents().slice(0, 2), failed].map(responseFrame)));
    const body = { model: 'on-openai', input: 'Hi', stream: true };
    const response = await gateway.call(RESPONSES, { key, headers: { 'user-agent': AGENT }, body });
    const id = response.headers.get('x-request-id');
    await expectStream(response);
    expect((await gateway.get('/api/usage', key)).data).toMatchObject([{ request_id: id, cost_nano: '0' }]);
    gateway.upstream.reset();
  });

  test.each(OTHERS)('%s is told by the status', async (_, headers) => {
    const response = await ask(headers, { model: 'auto:free', input });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: TOO_LONG, param: 'input' } });
  });

  test('Codex is told everything else by the status', async () => {
    const codex = { 'user-agent': AGENT };
    expect((await ask(codex, { model: 'no-such-model', input: 'Hi' })).status).toBe(404);
    expect((await ask(codex, { model: 'auto:free' })).status).toBe(400);
    const messages = [{ role: 'user', content: input }];
    expect((await ask(codex, { model: 'auto:free', messages }, '/v1/chat/completions')).status).toBe(400);
  });
});

test.each(FAULT_CODES.filter((code) => code !== TOO_LONG))('%s keeps its status for Codex', async (code) => {
  const respond = createFaultResponses('http://gateway.example');
  const response = respond(fault(code), { envelope: 'openai', path: RESPONSES, requestId: 'req_1' }, AGENT);
  expect(response.status).toBe(FAULTS[code].status);
  expect(await response.json()).toMatchObject({ error: { code } });
});
