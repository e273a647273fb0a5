// Compressed request bodies: decoded before anything reads them, with the same limits as others, and never sent on compressed.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Answer } from '../support/answer.ts';
import { dial, type Line } from '../support/dial.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer } from '../support/openai-chat.ts';

const CHAT = '/v1/chat/completions';
const MAX_BYTES = 20 * 1024 * 1024;
const BODY = '{ "model" : "up-free", "messages":[{"role":"user","content":"你好 \\ud83d\\ude00"}], "max_tokens": 20}';
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const ENCODINGS: [name: string, encode: (plain: string | Uint8Array) => Uint8Array][] = [
  ['gzip', (plain) => gzipSync(plain)],
  ['deflate', (plain) => deflateSync(plain)],
  ['br', (plain) => brotliCompressSync(plain, QUICK)],
  ['zstd', (plain) => zstdCompressSync(plain)],
];
let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway({ limits: { free_per_minute: 1_000 } });
  ({ key } = await gateway.register());
});
afterAll(() => gateway.stop());

const send = (path: string, encoding: string, body: Uint8Array, sender = key) =>
  gateway.call(path, { key: sender, body: new Uint8Array(body), headers: { 'content-encoding': encoding } });

async function refusalOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error }: Answer = await response.json();
  return { status: response.status, code: error.code, message: error.message };
}

describe.each(ENCODINGS)('%s', (name, encode) => {
  test.each([name, name.toUpperCase(), ` ${name} `])('%p: the upstream gets the plain body', async (spelled) => {
    gateway.upstream.next(chatAnswer());
    const response = await send(CHAT, spelled, encode(BODY));
    expect(response.status).toBe(200);
    const sent = gateway.upstream.requests.at(-1);
    expect(sent?.body).toContain('"messages":[{"role":"user","content":"你好 \\ud83d\\ude00"}]');
    expect(sent?.headers['content-encoding']).toBeUndefined();
  });

  test('a large body, in the Anthropic format', async () => {
    gateway.upstream.next(chatAnswer());
    const content = 'word '.repeat(10_000);
    const body = JSON.stringify({ model: 'up-free', max_tokens: 20, messages: [{ role: 'user', content }] });
    expect((await send('/v1/messages', name, encode(body))).status).toBe(200);
    expect(gateway.upstream.requests.at(-1)?.body).toContain(content);
  });

  const calls: [path: string, body: unknown, status: number][] = [
    ['/api/keys', { name: 'compressed' }, 201],
    ['/api/agent/register', {}, 201],
    ['/api/quote', { endpoint: CHAT, body: JSON.parse(BODY) }, 200],
    ['/v1/messages/count_tokens', { model: 'up-free', messages: [{ role: 'user', content: 'Hi' }] }, 200],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 200],
  ];
  test.each(calls)('on %s', async (path, body, status) => {
    const response = await gateway.call(path, {
      key,
      body: new Uint8Array(encode(JSON.stringify(body))),
      headers: { 'content-encoding': name, accept: 'application/json, text/event-stream' },
    });
    expect(response.status).toBe(status);
  });

  const broken: [what: string, body: () => Uint8Array][] = [
    ['plain text', () => new TextEncoder().encode(BODY)],
    ['data cut in the middle', () => encode(BODY).slice(0, 40)],
    ['nothing', () => new Uint8Array()],
    ['a changed byte', () => encode(BODY).map((byte, at) => (at === 12 ? byte ^ 0xff : byte))],
  ];
  test.each(broken)('%s in its place is refused', async (_, body) => {
    expect(await refusalOf(await send(CHAT, name, body()))).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('data that is no such data is named', async () => {
    const { message } = await refusalOf(await send(CHAT, name, new TextEncoder().encode(BODY)));
    expect(message).toStartWith(`The body is not valid ${name} data`);
  });

  test('the decoded size has the limit of a plain body, to the byte', async () => {
    const { key: fresh } = await gateway.register();
    const body = (bytes: number) => encode(`{"model":"nope","a":"${'x'.repeat(bytes - 23)}"}`);
    expect((await send(CHAT, name, body(MAX_BYTES), fresh)).status).toBe(404);
    const { status, message } = await refusalOf(await send(CHAT, name, body(MAX_BYTES + 1), fresh));
    expect({ status, message }).toEqual({
      status: 413,
      message: `The decompressed body is larger than ${MAX_BYTES} bytes, the limit of this path. Send a smaller one.`,
    });
  });
});

describe('by a clock that stands still', () => {
  /** No job of the gateway has a timer of that length. */
  const BODY_MS = 30_000;
  const clock = createManualClock();
  let waiting: TestGateway;
  beforeAll(async () => {
    waiting = await startTestGateway({ clock });
  });
  afterAll(() => waiting.stop());

  async function begin(name: string, body: Uint8Array): Promise<Line> {
    const { key: fresh } = await waiting.register();
    const bodies = clock.pending(BODY_MS);
    const line = await dial(waiting.port);
    const headers = [`authorization: Bearer ${fresh}`, `content-encoding: ${name}`, `content-length: ${body.length}`];
    await line.write(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\n${headers.join('\r\n')}\r\n\r\n`);
    await line.write(body.slice(0, 30));
    await eventually('the body to be waited for', () => clock.pending(BODY_MS) > bodies);
    return line;
  }

  test.each(ENCODINGS)('%s: a body of which only the beginning comes is refused after 30 s', async (name, encode) => {
    const line = await begin(name, encode(BODY));
    await clock.advance(BODY_MS);
    await eventually('an answer', () => line.text().includes('request_timeout'));
    expect(line.text()).toStartWith('HTTP/1.1 408');
    line.hangUp();
  });

  test.each(ENCODINGS)(
    '%s: a client that leaves in the middle of its body is no failure of the gateway',
    async (name, encode) => {
      const line = await begin(name, encode(BODY));
      const bodies = clock.pending(BODY_MS);
      line.hangUp();
      await eventually('the body to be given up', () => clock.pending(BODY_MS) < bodies);
      expect(waiting.log.lines().filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  test('refused bodies count by their decoded size', async () => {
    const { key: fresh } = await waiting.register();
    const body = new Uint8Array(brotliCompressSync(new Uint8Array(30_000_000), QUICK));
    const statuses: number[] = [];
    while (statuses.length < 30 && !statuses.includes(429)) {
      const response = await waiting.call(CHAT, { key: fresh, body, headers: { 'content-encoding': 'br' } });
      statuses.push(response.status);
    }
    expect(statuses.at(-1)).toBe(429);
    // 400 units of 1 MiB, and each of these is 20 MiB.
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(413));
  }, 60_000);
});

/** One frame of plain bytes that asks for a window of 2^`log` bytes. */
function zstdFrame(text: string, log: number): Uint8Array {
  const bytes = Buffer.from(text);
  const block = Buffer.alloc(3);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3]), block, bytes]);
}

test('zstd: a window above 8 MiB is refused, because the decoder would allocate it', async () => {
  const body = '{"model":"nope"}';
  expect((await send(CHAT, 'zstd', zstdFrame(body, 23))).status).toBe(404);
  expect((await send(CHAT, 'zstd', zstdFrame(body, 24))).status).toBe(400);
});

const unsupported = ['compress', 'gzip, br', 'gzip,gzip', 'gzip;q=1', 'aws-chunked', 'constructor'];
test.each(unsupported)('content-encoding %p is refused with the list of those supported', async (encoding) => {
  const response = await send(CHAT, encoding, new TextEncoder().encode(BODY));
  expect(response.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd');
  expect(await refusalOf(response)).toEqual({
    status: 400,
    code: 'invalid_request',
    message: expect.stringContaining('gzip, deflate, br, zstd'),
  });
});

test.each(['identity', 'Identity'])('content-encoding %p is a plain body', async (encoding) => {
  gateway.upstream.next(chatAnswer());
  expect((await send(CHAT, encoding, new TextEncoder().encode(BODY))).status).toBe(200);
});

/** 10 MB of zeros, a thousand times where the format can append. */
function bombs(): [name: string, body: Uint8Array][] {
  const zeros = new Uint8Array(10_000_000);
  const thousand = (one: Uint8Array) => Buffer.concat(Array.from({ length: 1_000 }, () => one));
  const long = new Uint8Array(300_000_000);
  return [
    ['gzip', thousand(gzipSync(zeros))],
    ['zstd', thousand(zstdCompressSync(zeros))],
    ['deflate', deflateSync(long)],
    ['br', brotliCompressSync(long, QUICK)],
  ];
}

test('a body that grows without end is refused at its limit, in bounded memory', async () => {
  for (const [name, body] of bombs()) {
    const { key: fresh } = await gateway.register();
    await send(CHAT, name, body, fresh);
    const before = process.memoryUsage.rss();
    const answers = await Promise.all([1, 2, 3].map(() => send(CHAT, name, body, fresh)));
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413]);
    // Three would have 900 MB or more. At the limit they take 3 × 20 MiB, in buffers that grow by doubling.
    expect((process.memoryUsage.rss() - before) / 1e6).toBeLessThan(600);
  }
}, 60_000);

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test.each(ENCODINGS)(
  '%s with random changes is read or refused, and never a failure of the gateway',
  async (name, encode) => {
    const pick = numbers(7);
    const plain = `{"model":"nope","messages":[{"role":"user","content":"${'some text '.repeat(200)}"}]}`;
    const seen = new Set<number>();
    for (let round = 0; round < 150; round++) {
      const body = Buffer.from(encode(plain));
      for (let change = pick(4); change > 0; change--) body[pick(body.length)] = pick(256);
      const from = pick(4) === 0 ? pick(body.length) : 0;
      const to = pick(4) === 0 ? pick(body.length) : body.length;
      const response = await send(CHAT, name, body.subarray(from, Math.max(from, to)));
      seen.add(response.status);
      await response.arrayBuffer();
    }
    expect([...seen].sort()).toEqual([400, 404]);
  },
);
