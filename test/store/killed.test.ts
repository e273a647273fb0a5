// kill -9 while money is held: the next start releases the hold, and nothing was charged.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Answer } from '../support/answer.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { chatStream } from '../support/openai-chat.ts';
import { cutAt } from '../support/script.ts';
import { sseEvents, textOf } from '../support/sse.ts';
import { createWorkplace, logged, type Workplace } from '../support/start-process.ts';
import { testDocument } from '../support/test-document.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { withTables } from '../support/with-tables.ts';

const PARTS = (chatStream().body ?? []) as string[];
let upstream: ScriptedUpstream;
let place: Workplace;

beforeAll(async () => {
  upstream = await startUpstream();
  place = createWorkplace();
  place.write('gateway.yaml', testDocument(upstream.baseUrl));
});
afterAll(async () => {
  await place.remove();
  await upstream.close();
});

const databaseFile = () => join(place.dataDir, 'gateway.sqlite');

function rows(query: string): Answer[] {
  return withTables(databaseFile(), (db) => db.query(query).all());
}

test('the hold is on disk when the process dies, and gone when the next one serves', async () => {
  const server = await place.serve();
  const registered: Answer = await (await fetch(`${server.url}/api/agent/register`, { method: 'POST' })).json();
  const headers = { authorization: `Bearer ${registered.api_key}` };
  upstream.next(cutAt(chatStream(), Buffer.byteLength(PARTS.slice(0, 2).join('')), 'stall'));
  const body = { model: 'up-paid', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${server.url}/v1/chat/completions`, init);
  const events = [];
  for await (const event of sseEvents(response)) {
    events.push(event);
    if (textOf(events) !== 'Hello') continue;
    // Before this client leaves, which would close the call.
    server.signal('SIGKILL');
    break;
  }
  await server.ended;

  const [hold] = rows('SELECT amount_nano, request_id FROM holds');
  expect(hold.amount_nano).toBeGreaterThan(0n);
  expect(rows('SELECT balance_nano, held_nano FROM wallets')).toEqual([
    { balance_nano: 1_000_000_000n, held_nano: hold.amount_nano },
  ]);

  const next = await place.serve();
  expect(logged(next, 'holds_swept')).toMatchObject([{ count: 1 }]);
  const me: Answer = await (await fetch(`${next.url}/api/me`, { headers })).json();
  expect(me).toMatchObject({ balance_ntd: 1, held_nano: '0', available_ntd: 1 });
  const usage: Answer = await (await fetch(`${next.url}/api/usage`, { headers })).json();
  expect(usage.data).toHaveLength(1);
  expect(usage.data[0]).toMatchObject({ request_id: hold.request_id, status: 'gateway_died', cost_nano: '0' });
  expect(rows('SELECT * FROM holds')).toEqual([]);
  expect(rows('SELECT request_id, reason, amount_nano FROM losses')).toEqual([
    { request_id: hold.request_id, reason: 'gateway_died', amount_nano: hold.amount_nano },
  ]);
  expect(withTables(databaseFile(), auditLedger)).toEqual([]);
});
