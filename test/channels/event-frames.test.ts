// The framing of AWS: published messages are read, in pieces of any size, and damage is noticed.

import { describe, expect, test } from 'bun:test';
import { asEventStream, asRefusal, BadFrame, FrameReader } from '../../src/channels/bedrock-event-stream.ts';
import { awsFrame, chunkFrame, exceptionFrame } from '../support/aws-frames.ts';

const PAYLOAD = "{'foo':'bar'}";
/** From the vendor's own test data. */
const PUBLISHED: readonly [name: string, hex: string, headers: Record<string, string>, payload: string][] = [
  ['an empty message', '000000100000000005c248eb7d98c8ff', {}, ''],
  ['a payload without headers', '0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936', {}, PAYLOAD],
  [
    'a text header',
    '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
    { 'content-type': 'application/json' },
    PAYLOAD,
  ],
  [
    'a number header, which is skipped',
    '0000002d0000001041c424b80a6576656e742d74797065040000a00c7b27666f6f273a27626172277d36f480a0',
    {},
    PAYLOAD,
  ],
];

test.each(PUBLISHED)('%s is read', (_name, hex, headers, payload) => {
  const [frame, ...others] = new FrameReader().read(Buffer.from(hex, 'hex'));
  expect(others).toEqual([]);
  expect(Object.fromEntries(frame?.headers ?? [])).toEqual(headers);
  expect(Buffer.from(frame?.payload ?? []).toString()).toBe(payload);
});

test('messages of our own test data are like the published ones', () => {
  expect(awsFrame({ 'content-type': 'application/json' }, PAYLOAD).toString('hex')).toBe(PUBLISHED[2]?.[1] ?? '');
});

const EVENTS = [
  { type: 'message_start', message: { id: 'msg_1', content: [] } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '你好 🎉 "x"\n' } },
  {
    type: 'message_stop',
    'amazon-bedrock-invocationMetrics': { inputTokenCount: 9, outputTokenCount: 5, invocationLatency: 900 },
  },
];
const STREAM = Buffer.concat(EVENTS.map(chunkFrame));

function framed(bytes: Uint8Array, size: number): Response {
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/vnd.amazon.eventstream' } });
}

async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => JSON.parse(block.replace(/^data: /, '')));
}

describe('a stream', () => {
  test.each([1, 2, 7, 64, 100_000])(
    'in pieces of %d bytes becomes events, without figures of the platform',
    async (size) => {
      const [start, delta] = EVENTS;
      expect(await eventsOf(asEventStream(framed(STREAM, size)))).toEqual([
        start,
        delta,
        { type: 'message_stop' },
      ] as never);
    },
  );

  test.each([
    ['throttlingException', 'rate_limit_error'],
    ['serviceUnavailableException', 'overloaded_error'],
    ['modelStreamErrorException', 'api_error'],
    ['validationException', 'invalid_request_error'],
    ['internalServerException', 'api_error'],
  ])('%s becomes %s', async (exception, type) => {
    const bytes = Buffer.concat([STREAM.subarray(0, chunkFrame(EVENTS[0]).length), exceptionFrame(exception, 'Wait.')]);
    const [, failed] = await eventsOf(asEventStream(framed(bytes, 1_000)));
    expect(failed).toEqual({ type: 'error', error: { type, message: 'Wait.' } });
  });

  test('that is cut in a message ends with an error', async () => {
    const events = await eventsOf(asEventStream(framed(STREAM.subarray(0, -3), 50)));
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  });

  test('with one wrong bit ends with an error, and nothing of the damaged message passes', async () => {
    for (let at = 0; at < chunkFrame(EVENTS[0]).length; at++) {
      const bytes = Buffer.from(STREAM);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
      const events = await eventsOf(asEventStream(framed(bytes, 4_096)));
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({ type: 'error' });
    }
  });
});

test('a length that no message has is refused at once', () => {
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(0xffff_ffff, 0);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(Bun.hash.crc32(prelude));
  expect(() => new FrameReader().read(Buffer.concat([prelude, sum]))).toThrow(BadFrame);
});

test('a refusal has the error shape of the format, by the name in the header', async () => {
  const headers = { 'x-amzn-errortype': 'ThrottlingException:http://internal.example/coral/', 'retry-after': '3' };
  const refusal = await asRefusal(new Response('{"message":"Too many tokens."}', { status: 429, headers }));
  expect(refusal.status).toBe(429);
  expect(refusal.headers.get('retry-after')).toBe('3');
  expect(await refusal.json()).toEqual({
    type: 'error',
    error: { type: 'rate_limit_error', message: 'Too many tokens.' },
  });
});

test('of a refusal without end little is read', async () => {
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(64 * 1024).fill(0x78));
      if (++pulled === 100) controller.close();
    },
  });
  const refusal = await asRefusal(
    new Response(body, { status: 400, headers: { 'x-amzn-errortype': 'ValidationException' } }),
  );
  expect(await refusal.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  expect(pulled).toBeLessThan(10);
});
