// GET /api/events as server-sent events: what is there, then what comes; it ends with the key and with the server.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { MAX_STREAMS } from '../../src/http/routes/events.ts';
import { systemClock } from '../../src/kit/clock.ts';
import type { Task } from '../../src/kit/timer-lists.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { issueCard } from '../support/issue-cards.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { startSlowClient } from '../support/slow-client.ts';

let gateway: TestGateway;
let account: TestAccount;
const leaving = new Set<AbortController>();
beforeEach(async () => {
  gateway = await startTestGateway();
  account = await gateway.register();
});
afterEach(async () => {
  for (const client of leaving) client.abort();
  await gateway.stop();
});

interface Follower {
  response: Response;
  /** Everything so far, as it came. */
  text(): string;
  events(): Answer[];
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  leave(): void;
}

async function follow(
  { key }: { key: string },
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Follower> {
  const client = new AbortController();
  leaving.add(client);
  const response = await gateway.call(`/api/events${query}`, {
    key,
    headers: { accept: 'text/event-stream', ...headers },
    signal: client.signal,
  });
  let text = '';
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  };
  const ended = read();
  ended.catch(() => {});
  return { response, text: () => text, events: () => eventsIn(text), ended, leave: () => client.abort() };
}

/** Each with its `id`, `event` and parsed `data`. */
function eventsIn(text: string): Answer[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      return { ...fields, data: JSON.parse(fields.data) };
    });
}

const types = (follower: Follower) => follower.events().map(({ event }) => event);
const untilTypes = (follower: Follower, expected: string[]) =>
  eventually(`the events ${expected}`, () => Bun.deepEquals(types(follower), expected));

test('gives what is there and goes on with what comes, as the list has it', async () => {
  const stream = await follow(account);
  expect(stream.response.status).toBe(200);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  await untilTypes(stream, ['key.created']);
  await createKey(gateway, account.key);
  await gateway.register();
  const { code } = await issueCard(gateway);
  await gateway.call('/api/redeem', { key: account.key, body: { code } });
  await untilTypes(stream, ['key.created', 'key.created', 'card.redeemed']);
  const { data } = await gateway.get('/api/events', account.key);
  expect(stream.events().map((event) => event.data)).toEqual(data);
  expect(stream.events().map(({ id }) => id)).toEqual(data.map(({ id }: Answer) => id));
});

test('goes on where a client was: after, or Last-Event-ID, which counts more', async () => {
  for (let count = 0; count < 3; count++) await createKey(gateway, account.key);
  const { data } = await gateway.get('/api/events', account.key);
  const [first, , third, last] = data.map(({ id }: Answer) => id);
  const byQuery = await follow(account, { query: `?after=${third}&type=key.created` });
  const byHeader = await follow(account, { query: `?after=${first}`, headers: { 'last-event-id': third } });
  for (const stream of [byQuery, byHeader]) {
    await untilTypes(stream, ['key.created']);
    expect(stream.events()[0].id).toBe(last);
  }
  const wrong = await gateway.call('/api/events', {
    key: account.key,
    headers: { accept: 'text/event-stream', 'last-event-id': 'evt_x' },
  });
  expect(wrong.status).toBe(400);
  expect(((await wrong.json()) as Answer).error.param).toBe('last-event-id');
});

test('of one type has no others', async () => {
  const stream = await follow(account, { query: '?type=card.redeemed' });
  await createKey(gateway, account.key);
  const { code } = await issueCard(gateway);
  await gateway.call('/api/redeem', { key: account.key, body: { code } });
  await untilTypes(stream, ['card.redeemed']);
});

test('ends when its key is revoked, and gives it nothing of later', async () => {
  const { id, key } = await createKey(gateway, account.key, { manage: true });
  const stream = await follow({ key });
  await untilTypes(stream, ['key.created', 'key.created']);
  await gateway.call(`/api/keys/${id}`, { key: account.key, method: 'DELETE' });
  await stream.ended;
  expect(types(stream)).toEqual(['key.created', 'key.created']);
});

test('ends when the server drains', async () => {
  const stream = await follow(account);
  await untilTypes(stream, ['key.created']);
  await gateway.gateway.drain(10_000);
  await stream.ended;
});

test(`an account has at most ${MAX_STREAMS}, and one that was closed counts no more`, async () => {
  const streams: Follower[] = [];
  for (let count = 0; count < MAX_STREAMS; count++) streams.push(await follow(account));
  const tooMany = await follow(account);
  expect(tooMany.response.status).toBe(429);
  await tooMany.ended;
  expect(JSON.parse(tooMany.text()).error).toMatchObject({ code: 'too_many_in_flight', limit: MAX_STREAMS });
  const other = await follow(await gateway.register());
  expect(other.response.status).toBe(200);
  streams[0]?.leave();
  await eventually('a stream that is free again', async () => (await follow(account)).response.status === 200);
});

test('to HEAD nothing is sent, and none is open', async () => {
  for (let count = 0; count <= MAX_STREAMS; count++) {
    const headers = { accept: 'text/event-stream' };
    expect((await gateway.call('/api/events', { key: account.key, method: 'HEAD', headers })).status).toBe(200);
  }
});

test('says that it is alive, and ends when its key no longer manages', async () => {
  await gateway.stop();
  const clock: ManualClock = createManualClock(Date.now());
  gateway = await startTestGateway({ clock });
  account = await gateway.register();
  const { id, key } = await createKey(gateway, account.key, { manage: true });
  const stream = await follow({ key });
  await eventually('two events', () => stream.events().length === 2);
  const comments = () => stream.text().split(': keep-alive').length - 1;
  const before = comments();
  await clock.advance(10_000);
  await eventually('a comment', () => comments() > before);
  await gateway.call(`/api/keys/${id}`, { key: account.key, method: 'PATCH', body: { manage: false } });
  await clock.advance(10_000);
  await stream.ended;
});

test('a client that stops reading is given up, and its events are not read ahead', async () => {
  await gateway.stop();
  // A minute of waiting passes in a second.
  const clock = {
    ...systemClock,
    after: (ms: number, task: Task) => systemClock.after(ms >= 60_000 ? ms / 60 : ms, task),
  };
  gateway = await startTestGateway({ clock });
  account = await gateway.register();
  // More than all buffers on the way hold.
  const total = 80_000;
  gateway.sql(
    `INSERT INTO events (account_id, type, at, data) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT ?, 'key.created', 0, '{"key_id":"key_' || i || '","parent_id":null}' FROM n RETURNING 1`,
    total,
    account.accountId,
  );
  const { read } = gateway.gateway.store;
  const { eventsOf } = read;
  let given = 0;
  read.eventsOf = async (query) => {
    const events = await eventsOf(query);
    given += events.length;
    return events;
  };
  const slow = startSlowClient({
    port: gateway.port,
    path: '/api/events',
    key: account.key,
    accept: 'text/event-stream',
  });
  await slow.begun;
  slow.pause();
  const none = { query: '?type=card.redeemed' };
  for (let count = 1; count < MAX_STREAMS; count++) await follow(account, none);
  await eventually('the stream is given up', async () => (await follow(account, none)).response.status === 200);
  expect(given).toBeWithin(1, total);
  slow.hangUp();
}, 60_000);
