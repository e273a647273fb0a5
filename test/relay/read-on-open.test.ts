// Clients that hang up where only the report says what the input was: input of unknown size that the gateway has no place
// to read on for, and tools of the upstream whose report never comes.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { messageEvents } from '../support/anthropic-messages.ts';
import { createGate, eventually, type Gate } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatStream } from '../support/openai-chat.ts';
import { createReadOnClock, READ_TO_END_MS } from '../support/read-on-clock.ts';
import type { Part } from '../support/script.ts';
import { sseEvents } from '../support/sse.ts';
import { type TestDocument, upModel, upstreamUrl } from '../support/test-document.ts';

const MAX_OF_ACCOUNT = 16;
const CONTEXT = 5_000;
const PRICES = { input: 10, output: 40 };
const [ROLE = '', FIRST_WORD = '', ...REST] = (chatStream().body ?? []) as string[];
const FILE = [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }];
const { clock, timers } = createReadOnClock(createManualClock());

const withModels = (standard: TestDocument): TestDocument => ({
  ...standard,
  channels: [...standard.channels, { name: 'own', kind: 'anthropic', base_url: upstreamUrl(standard) }],
  models: [
    ...standard.models,
    upModel('opens', { context_tokens: CONTEXT, price: PRICES }),
    upModel('runs', {
      context_tokens: CONTEXT,
      price: PRICES,
      routes: [{ channel: 'own', model: 'scripted-2026-01' }],
    }),
  ],
});

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    limits: { paid_per_minute: 10_000, in_flight: 500 },
    document: withModels,
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

/** Its client has read the first event with this in it, and leaves when it is told to. */
async function startStream(path: string, body: object, parts: readonly Part[], until: string) {
  const gate: Gate = createGate();
  gateway.upstream.next({ ...chatStream(), body: [...parts.slice(0, -1), gate.opened, parts.at(-1) ?? ''] });
  const leaving = new AbortController();
  const response = await gateway.call(path, {
    key: account.key,
    body: { stream: true, max_tokens: 20, ...body },
    signal: leaving.signal,
  });
  expect(response.status).toBe(200);
  const events = sseEvents(response);
  for (let event = await events.next(); ; event = await events.next()) {
    if (event.done || JSON.stringify(event.value).includes(until)) break;
  }
  return { gate, leave: () => leaving.abort(), id: response.headers.get('x-request-id') ?? '' };
}

const openStream = () =>
  startStream('/v1/chat/completions', { model: 'opens', messages: FILE }, [ROLE, FIRST_WORD, REST.join('')], 'Hello');

const recordOf = (id: string): Promise<Answer> =>
  eventually('the record', async () => {
    const { data } = await gateway.get('/api/usage?limit=100', account.key);
    return data.find((one: Answer) => one.request_id === id);
  });

const lossesOf = (id: string) =>
  gateway.sql<{ reason: string; amount_nano: bigint }>(
    'SELECT reason, amount_nano FROM losses WHERE request_id = ?',
    id,
  );

describe('input of unknown size beyond the streams that are read on', () => {
  async function leaveOneTooMany() {
    const streams = [];
    for (let n = 0; n < MAX_OF_ACCOUNT; n++) streams.push(await openStream());
    const last = await openStream();
    const before = timers();
    for (const { leave } of streams) leave();
    await eventually('all to be read on', () => timers() - before === MAX_OF_ACCOUNT);
    last.leave();
    const record = await recordOf(last.id);
    for (const { gate } of streams) gate.open();
    for (const { id } of streams) await recordOf(id);
    expect(gateway.audit()).toEqual([]);
    return record;
  }

  test('is charged by an estimate, and the rest of the context is a loss', async () => {
    const record = await leaveOneTooMany();
    expect(record).toMatchObject({ status: 'client_gone', estimated: true });
    expect(record.input_tokens).toBeWithin(1, 50);
    const rest = BigInt(CONTEXT - record.input_tokens) * 10_000n;
    expect(lossesOf(record.request_id)).toEqual([{ reason: 'undelivered', amount_nano: rest }]);
  });

  test('is charged whole once the account has no free losses left', async () => {
    await gateway.apply((standard) => ({
      ...withModels(standard),
      guards: { ...standard.guards, loss_per_account_day: 0 },
    }));
    try {
      const record = await leaveOneTooMany();
      expect(BigInt(record.cost_nano)).toBeGreaterThanOrEqual(BigInt(CONTEXT) * 10_000n);
      expect(lossesOf(record.request_id)).toEqual([]);
    } finally {
      await gateway.apply(withModels);
    }
  });

  test('is the context where the stream was read on and no report came', async () => {
    const { leave, id } = await openStream();
    const before = timers();
    leave();
    await eventually('it to be read on', () => timers() > before);
    await clock.advance(READ_TO_END_MS);
    expect(await recordOf(id)).toMatchObject({ status: 'client_gone', input_tokens: CONTEXT });
  });
});

test('a search that the answer has shown is charged beside the input that was reported before it', async () => {
  const [start, ...rest] = messageEvents({ usage: { input_tokens: 11, output_tokens: 7 } });
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  const shown = [
    start,
    { type: 'content_block_start', index: 0, content_block: search },
    { type: 'content_block_stop', index: 0 },
  ];
  const frames = [...shown, ...rest.slice(1)].map(
    (event) => `event: ${event?.type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }];
  const body = { model: 'runs', messages: [{ role: 'user', content: 'Hi' }], tools };
  const parts = [frames.slice(0, shown.length).join(''), frames.slice(shown.length).join('')];
  const { leave, id } = await startStream('/v1/messages', body, parts, 'server_tool_use');
  const before = timers();
  leave();
  await eventually('it to be read on', () => timers() > before);
  await clock.advance(READ_TO_END_MS);
  expect(await recordOf(id)).toMatchObject({ status: 'client_gone', input_tokens: 8_011, estimated: true });
});
