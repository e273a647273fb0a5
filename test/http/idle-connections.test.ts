// Connections that clients keep and do not use: each is closed after a while, whatever was answered on it last, so that
// nobody can take up all of them for nothing. A request that is under way is not cut by it.

import { afterAll, expect, test } from 'bun:test';
import { dial, type Line, trickle } from '../support/dial.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatAnswer, chatStream, errorScript } from '../support/openai-chat.ts';
import { operatorOf } from '../support/operator.ts';
import type { Script } from '../support/script.ts';

/** The listener counts in steps of four seconds: that is the shortest time. */
const IDLE = { idleSeconds: 1 };
const LONGER_THAN_IDLE_MS = 6_000;
const WITHIN_MS = 60_000;

const lines = new Set<Line>();
const gateways = new Set<TestGateway>();
afterAll(async () => {
  for (const line of lines) line.hangUp();
  for (const gateway of gateways) await gateway.stop();
});

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`;

function post(path: string, body: unknown, headers: string): string {
  const json = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}`;
  return `${head}content-length: ${json.length}\r\n\r\n${json}`;
}

/** A gateway for each test, because they wait at once. */
async function start() {
  const gateway = await startTestGateway(IDLE);
  gateways.add(gateway);
  const { key } = await gateway.register();
  const chat = (rest: Record<string, unknown> = {}) => {
    const body = { model: 'up-paid', messages: [{ role: 'user', content: 'Hi' }], ...rest };
    return post('/v1/chat/completions', body, `authorization: Bearer ${key}\r\n`);
  };
  /** A line on which one request has been answered, up to this text. */
  async function answered(request: string, end: string, port = gateway.port): Promise<Line> {
    const line = await dial(port);
    lines.add(line);
    line.write(request);
    await eventually(`an answer to ${request.split('\r\n')[0]}`, () => line.text().includes(end), WITHIN_MS);
    return line;
  }
  async function modelAnswered(script: Script, request: string, end: string): Promise<Line> {
    gateway.upstream.next(script);
    return answered(request, end);
  }
  return { gateway, key, chat, answered, modelAnswered };
}

async function signIn(gateway: TestGateway, key: string): Promise<string> {
  const signedIn = await gateway.call('/account/sign-in', {
    body: `key=${key}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** A stream whose upstream leaves in the middle. */
const brokenStream = (): Script => ({ ...chatStream(), framing: 'close', body: (chatStream().body ?? []).slice(0, 3) });

test.concurrent('a connection is closed once it is idle, whatever was answered on it', async () => {
  const { gateway, key, chat, answered, modelAnswered } = await start();
  const cookie = await signIn(gateway, key);
  const { token } = operatorOf(gateway);
  const operator = Number(new URL(gateway.gateway.adminUrl).port);
  const bearer = (given: string) => `authorization: Bearer ${given}\r\n`;
  const play = post(
    '/account/play',
    { model: 'up-paid', messages: [{ role: 'user', content: 'Hi' }] },
    `cookie: ${cookie}\r\n`,
  );
  const idle: Record<string, Line> = {
    'answered at once': await answered(get('/healthz'), 'ok'),
    'a refused key': await answered(get('/v1/models', bearer('none')), '}}'),
    'no such route': await answered(get('/nothing'), '}}'),
    'a page': await answered(get('/'), 'HTTP/1.1 200'),
    'a page that reads': await answered(get('/account', `cookie: ${cookie}\r\n`), 'HTTP/1.1 200'),
    'a route that reads': await answered(get('/api/usage', bearer(key)), ']'),
    'a body refused unread': await answered(
      `POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{`,
      '}}',
    ),
    'a whole answer': await modelAnswered(chatAnswer(), chat(), 'chat.completion'),
    'a refusal of the upstream': await modelAnswered(errorScript(400, { message: 'No.' }), chat(), '}}'),
    'a stream': await modelAnswered(chatStream(), chat({ stream: true }), '\r\n0\r\n\r\n'),
    'a stream that broke': await modelAnswered(brokenStream(), chat({ stream: true }), '\r\n0\r\n\r\n'),
    'a stream of the site': await modelAnswered(chatStream(), play, '\r\n0\r\n\r\n'),
    'the operator’s figures': await answered(get('/metrics', bearer(token)), 'gateway_', operator),
    'a refusal to the operator': await answered(get('/metrics', bearer('none')), '}}', operator),
    'a page for the operator': await answered(get('/'), 'HTTP/1.1', operator),
  };
  const open = () => Object.keys(idle).filter((name) => !idle[name]?.isClosed());
  await eventually('the idle lines to be closed', () => open().length === 0, WITHIN_MS).catch(() => {});
  expect(open()).toEqual([]);
});

test.concurrent('so is one in the middle of its next request’s headers, though a byte comes every moment', async () => {
  const { chat, answered, modelAnswered } = await start();
  const slow = [
    await answered(get('/healthz'), 'ok'),
    await modelAnswered(chatAnswer(), chat(), 'chat.completion'),
    await modelAnswered(chatStream(), chat({ stream: true }), '\r\n0\r\n\r\n'),
  ];
  const trickling = slow.map((line) => trickle(line, `${get('/healthz').slice(0, -2)}x-slow: ${'a'.repeat(1_000)}`));
  await eventually('the lines to be cut', () => slow.every((line) => line.isClosed()), WITHIN_MS);
  await Promise.all(trickling);
  for (const line of slow) expect(line.text().split('HTTP/1.1 200')).toHaveLength(2);
});

test.concurrent('a request that is under way is not cut, first or not, however long its upstream is silent', async () => {
  const { gateway, chat, modelAnswered } = await start();
  const pause = LONGER_THAN_IDLE_MS;
  const [whole, stream] = [chatAnswer().body ?? [], chatStream().body ?? []];
  const afterOther = await modelAnswered(chatAnswer(), chat(), 'chat.completion');
  const afterStream = await modelAnswered(chatStream(), chat({ stream: true }), '\r\n0\r\n\r\n');
  gateway.upstream.next({ ...chatAnswer(), body: [pause, ...whole] });
  afterOther.write(chat());
  await gateway.upstream.request(gateway.upstream.requests.length);
  gateway.upstream.next({ ...chatStream(), body: [...stream.slice(0, 2), pause, ...stream.slice(2)] });
  afterStream.write(chat({ stream: true }));
  const answers = (line: Line, end: string) => line.text().split(end).length - 1;
  await eventually('a whole answer', () => answers(afterOther, 'chat.completion"') === 2, WITHIN_MS);
  await eventually('the end of a stream', () => answers(afterStream, '[DONE]') === 2, WITHIN_MS);
});
