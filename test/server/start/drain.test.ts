// Signals to a server with a stream under way.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { eventually } from '../../support/eventually.ts';
import { openKeptConnection } from '../../support/kept-connection.ts';
import { parseSse, type ServerEvent, textOf } from '../../support/sse.ts';
import { createWorkplace, logged, type RunningServer, type Workplace } from '../../support/start-process.ts';

let place: Workplace;
let server: RunningServer;
let key: string;
beforeEach(async () => {
  place = createWorkplace();
  server = await place.serve();
  const registered = await post('/api/agent/register', {});
  key = ((await registered.json()) as Answer).api_key;
});
afterEach(() => place.remove());

const post = (path: string, body: unknown) =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });

const chat = (rest: Record<string, unknown>) =>
  post('/v1/chat/completions', { model: 'auto:free', messages: [{ role: 'user', content: 'Hi' }], ...rest });

/** Enough for a server to be looked at while it speaks. */
const CHOICES = 6;

interface Streaming {
  /** Resolves with the first bytes. */
  begun: Promise<void>;
  /** Everything that came, and whether the connection ended well. */
  ended: Promise<{ events: ServerEvent[]; whole: boolean }>;
}

/** The demo speaks at a human pace, so a few choices keep it speaking for seconds. */
function stream(choices: number): Streaming {
  const begun = Promise.withResolvers<void>();
  const read = async () => {
    let text = '';
    try {
      const { body } = await chat({ stream: true, n: choices });
      for await (const piece of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never)) {
        text += piece;
        begun.resolve();
      }
      return { events: parseSse(text), whole: true };
    } catch {
      return { events: parseSse(text), whole: false };
    }
  };
  return { begun: begun.promise, ended: read() };
}

test('SIGTERM refuses new work, lets the stream end completely, and exits 0', async () => {
  const answer: Answer = await (await chat({})).json();
  const streaming = stream(CHOICES);
  await streaming.begun;
  server.signal('SIGTERM');

  await eventually('the server is not ready', async () => (await fetch(`${server.url}/readyz`)).status === 503);
  const refused = await chat({});
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(((await refused.json()) as Answer).error.code).toBe('unavailable');
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

  const { events, whole } = await streaming.ended;
  expect(whole).toBe(true);
  for (let choice = 0; choice < CHOICES; choice++) {
    expect(textOf(events, choice)).toBe(answer.choices[0].message.content);
  }
  expect(events.at(-1)?.data).toBe('[DONE]');
  const { exitCode, stderr } = await server.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toBe('');
  expect(logged(server, 'stopped')).toHaveLength(1);
  expect(logged(server, 'request').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
});

test('with a notice, work is accepted after SIGTERM while /readyz is 503, and connections are closed', async () => {
  server = await place.serve({ DRAIN_NOTICE_SECONDS: '3', DATA_DIR: place.path('noticed') });
  key = ((await (await post('/api/agent/register', {})).json()) as Answer).api_key;
  server.signal('SIGTERM');
  await eventually('the server is not ready', async () => (await fetch(`${server.url}/readyz`)).status === 503);
  const accepted = await chat({});
  expect(accepted.status).toBe(200);
  expect(accepted.headers.get('connection')).toBe('close');
  expect(logged(server, 'draining')).toEqual([]);
  expect((await server.ended).exitCode).toBe(0);
  expect(['leaving', 'draining', 'stopped'].map((event) => logged(server, event).length)).toEqual([1, 1, 1]);
});

test('after the notice, idle connections are closed before their clients could use them for a request', async () => {
  server = await place.serve({ DRAIN_NOTICE_SECONDS: '1', DATA_DIR: place.path('idle') });
  key = ((await (await post('/api/agent/register', {})).json()) as Answer).api_key;
  const idle = await openKeptConnection(server.url);
  expect((await idle.get('/healthz')).status).toBe(200);
  const streaming = stream(CHOICES);
  await streaming.begun;
  server.signal('SIGTERM');
  await eventually('the notice is over', () => logged(server, 'draining').length === 1);
  const first = await Promise.race([idle.closed.then(() => 'closed'), streaming.ended.then(() => 'the stream ended')]);
  expect(first).toBe('closed');
  expect((await streaming.ended).whole).toBe(true);
  expect((await server.ended).exitCode).toBe(0);
});

test('an idle server exits 0 on SIGINT, too', async () => {
  server.signal('SIGINT');
  expect((await server.ended).exitCode).toBe(0);
});

test('one signal that arrives twice drains once', async () => {
  const streaming = stream(1);
  await streaming.begun;
  server.signal('SIGTERM');
  server.signal('SIGTERM');
  const { events, whole } = await streaming.ended;
  expect(whole).toBe(true);
  expect(events.at(-1)?.data).toBe('[DONE]');
  expect((await server.ended).exitCode).toBe(0);
});

test('a second signal, a while later, stops at once', async () => {
  const streaming = stream(20);
  await streaming.begun;
  const running = { yes: true };
  const ended = server.ended.then((end) => {
    running.yes = false;
    return end;
  });
  while (running.yes) {
    server.signal('SIGTERM');
    await Bun.sleep(50);
  }
  expect((await ended).exitCode).toBe(130);
  const { events } = await streaming.ended;
  expect(events.length).toBeGreaterThan(0);
  expect(events.at(-1)?.data).not.toBe('[DONE]');
});

test('what a killed server left open is released by the next start, and nothing is charged', async () => {
  const streaming = stream(20);
  await streaming.begun;
  server.signal('SIGKILL');
  await server.ended;
  await streaming.ended;
  server = await place.serve();
  expect(logged(server, 'holds_swept')).toMatchObject([{ count: 1 }]);
  const me: Answer = await (await fetch(`${server.url}/api/me`, { headers: { 'x-api-key': key } })).json();
  expect(me).toMatchObject({ balance_ntd: 1, held_ntd: 0 });
});
