// Events that repeat, passed on as bytes: however a stream is cut into pieces and whatever it says, the client gets what it
// would get if every event were read and written, and the same is counted.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { anthropicMessages } from '../../../src/dialects/anthropic-messages/dialect.ts';
import { carry } from '../../../src/dialects/carry.ts';
import type { Dialect, RelayRequest, StreamEvent } from '../../../src/dialects/dialect.ts';
import { openaiChat } from '../../../src/dialects/openai-chat/dialect.ts';
import { createShortcut } from '../../../src/dialects/stream/shortcut.ts';
import { SseReader } from '../../../src/dialects/stream/sse.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import { quirksOf } from '../../../src/vendors/quirks.ts';

const BODY = { model: 'a-model', stream: true, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
const CHAT_HEAD = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"theirs"';
const choice = (delta: string, finish = 'null') =>
  `"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]`;
const chat = (members: string) => `data: ${CHAT_HEAD},${members}}\n\n`;
const message = (type: string, members: string) => `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`;
const textDelta = (index: number, quoted: string) =>
  message('content_block_delta', `"index":${index},"delta":{"type":"text_delta","text":${quoted}}`);

interface Stream {
  name: string;
  client: Dialect;
  /** Changes of the client's request. */
  asked?: object;
  endpoint: 'chat' | 'messages';
  first: string;
  says(quoted: string, n: number): string;
  /** What may come between, each of which changes something. */
  others: readonly string[];
}

const CHAT: Omit<Stream, 'name' | 'client'> = {
  endpoint: 'chat',
  first: chat(choice('{"role":"assistant","content":""}')),
  says: (quoted) => chat(choice(`{"content":${quoted}}`)),
  others: [
    ': a comment\n\n',
    'data:\n\n',
    chat(choice('{"content":" more"}', '""')),
    chat(choice('{"content":" more"}')).replace('"choices"', '\ndata: "choices"'),
    chat('"choices":[{"index":0,"message":{"content":" more"}}]'),
    chat(choice('{"reasoning_content":"So"}')),
    chat(choice('{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"find","arguments":"{"}}]}')),
    chat(choice('{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}')),
    chat(choice('{}', '"stop"')),
    chat('"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":7}'),
    'data: [DONE]\n\n',
    'data: {"error":{"message":"broken"}}\n\n',
  ],
};

const STREAMS: Stream[] = [
  { ...CHAT, name: 'chat', client: openaiChat },
  {
    ...CHAT,
    name: 'chat, padded',
    client: openaiChat,
    says: (quoted, n) =>
      chat(`${choice(`{"content":${quoted}}`)},"usage":null,"obfuscation":"${'aB3_'.repeat(n % 5)}"`),
  },
  {
    ...CHAT,
    name: 'chat, with an empty finish',
    client: openaiChat,
    says: (quoted) => chat(choice(`{"content":${quoted}}`, '""')),
  },
  { ...CHAT, name: 'chat, the same model', client: openaiChat, asked: { model: 'theirs' } },
  {
    name: 'messages',
    client: anthropicMessages,
    endpoint: 'messages',
    first:
      message(
        'message_start',
        '"message":{"id":"msg_1","model":"theirs","usage":{"input_tokens":3,"output_tokens":1}}',
      ) + message('content_block_start', '"index":0,"content_block":{"type":"text","text":""}'),
    says: (quoted) => textDelta(0, quoted),
    others: [
      message('ping', '"a":1'),
      textDelta(1, '" next"'),
      message('content_block_stop', '"index":0'),
      message('message_delta', '"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}'),
      message('error', '"error":{"message":"broken"}'),
    ],
  },
  { ...CHAT, name: 'messages from chat', client: anthropicMessages },
  {
    ...CHAT,
    name: 'messages from chat, with an empty finish',
    client: anthropicMessages,
    says: (quoted) => chat(choice(`{"content":${quoted}}`, '""')),
  },
  {
    ...CHAT,
    name: 'messages from padded chat',
    client: anthropicMessages,
    says: (quoted, n) => chat(`${choice(`{"content":${quoted}}`)},"obfuscation":"${'aB3_'.repeat(n % 5)}"`),
  },
  {
    ...CHAT,
    name: 'messages from thinking chat',
    client: anthropicMessages,
    says: (quoted) => chat(choice(`{"reasoning_content":${quoted}}`)),
  },
  {
    ...CHAT,
    name: 'messages from chat, with more stop sequences than it takes',
    client: anthropicMessages,
    asked: { stop_sequences: ['aa', 'bb', 'cc', 'dd', 'a🙂'] },
  },
];

function readerOf({ client, endpoint }: Stream, request: RelayRequest) {
  const carrier = carry(
    client,
    request,
    { channel: { quirks: quirksOf(undefined) }, endpoints: [endpoint], model: 'theirs', prefill: false },
    { requestId: 'req_01m7exzk7vpbajzhy88cbnm7wa', createdAt: 1_790_000_000, hashUser: String, isFree: false },
  );
  return carrier.createStreamReader();
}

/** As the relay does it. */
function run(stream: Stream, pieces: readonly Uint8Array[], isShort: boolean) {
  const request = stream.client.request.read(readJsonObject(JSON.stringify({ ...BODY, ...stream.asked })));
  const reader = readerOf(stream, request);
  const writer = stream.client.stream.createWriter(request, { keepText: true });
  const shortcut = isShort ? createShortcut(reader, writer) : undefined;
  const sse = new SseReader();
  const decoder = new TextDecoder();
  let text = '';
  let passed = 0;
  let isOver = false;

  function write(event: StreamEvent): void {
    isOver ||= event.kind === 'done' || event.kind === 'broken';
    if (!isOver) text += writer.write(event);
  }

  for (const piece of pieces) {
    if (isOver) break;
    const frames = sse.isAtEvent() ? shortcut?.take(piece) : undefined;
    if (frames) text += decoder.decode(frames);
    const rest = frames ? piece.subarray(shortcut?.taken) : piece;
    passed += piece.length - rest.length;
    if (rest.length === 0) continue;
    const wasAtEvent = sse.isAtEvent();
    shortcut?.pause();
    const split = sse.push(rest);
    for (const one of split) {
      const events = isOver || !one.data ? [] : reader.read(one);
      for (const event of events) write(event);
      const [event] = events;
      const isAlone = split.length === 1 && events.length === 1 && wasAtEvent && sse.isAtEvent();
      if (event && isAlone && !isOver) shortcut?.learn(rest, event);
    }
  }
  return { told: { text, facts: reader.facts(), sent: writer.transcript.sent, said: writer.sentText() }, passed };
}

const encoder = new TextEncoder();

/** Bytes that are no UTF-8, in place of a letter that stands for them. */
function spoil(event: string): Uint8Array {
  const bytes = encoder.encode(event);
  return bytes.map((byte) => (byte === 0x58 ? 0xe4 : byte));
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** Some events together, some cut in two. */
function cut(events: readonly Uint8Array[], how: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let open: Uint8Array[] = [];
  events.forEach((event, n) => {
    const at = how[n % how.length] ?? 0;
    if (at === 1) open.push(event);
    else if (at === 0) {
      pieces.push(concat([...open, event]));
      open = [];
    } else {
      const half = at % event.length;
      pieces.push(concat([...open, event.subarray(0, half)]));
      open = [event.subarray(half)];
    }
  });
  pieces.push(concat(open));
  return pieces.filter(({ length }) => length > 0);
}

const unit = fc.constantFrom('a', 'b', ' ', '.', '"', '\\', '\n', '你', '🙂', 'é', '\u2028', '{', '\u0000', 'X');
const words = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', ' ', '你', '🙂'), minLength: 1, maxLength: 24 }),
  },
  { weight: 2, arbitrary: fc.string({ unit, maxLength: 8 }) },
);

describe.each(STREAMS)('$name', (stream) => {
  const said = fc.oneof(
    { weight: 8, arbitrary: words.map((text) => ({ text })) },
    { weight: 1, arbitrary: fc.constantFrom(...stream.others).map((other) => ({ other })) },
  );

  test('the fast path and the plain path write and count the same', () => {
    fc.assert(
      fc.property(
        fc.array(said, { minLength: 1, maxLength: 30 }),
        fc.array(fc.oneof(fc.constant(0), fc.nat(300)), { minLength: 1, maxLength: 8 }),
        (all, how) => {
          const events = all.map((one, n) => ('other' in one ? one.other : stream.says(JSON.stringify(one.text), n)));
          const pieces = cut([stream.first, ...events].map(spoil), how);
          expect(run(stream, pieces, true).told).toEqual(run(stream, pieces, false).told);
        },
      ),
      { numRuns: 300, seed: 7 },
    );
  });

  test('a stream that is cut at any byte', () => {
    const events = [
      stream.first,
      ...['one', ' two', ' 三', ' four', '🙂'].map((text, n) => stream.says(JSON.stringify(text), n)),
    ];
    const before = events.map((event) => encoder.encode(event));
    const whole = encoder.encode(stream.says('" the last"', 3) + stream.says('" word"', 1));
    const expected = run(stream, [...before, whole], false).told;
    for (let at = 0; at <= whole.length; at++) {
      const pieces = [...before, whole.subarray(0, at), whole.subarray(at)];
      expect(run(stream, pieces, true).told, `at ${at}`).toEqual(expected);
    }
  });
});

test('the fast path is used wherever it can be', () => {
  const texts = ['"some"', '" words"', '" 更多"', '" and more"', `"${'so long'.repeat(20)}"`];
  for (const stream of STREAMS.filter(({ name }) => !/thinking|stop/.test(name))) {
    const events = [stream.first, ...texts.map(stream.says)].map((event) => encoder.encode(event));
    const last = events.slice(-3).reduce((sum, { length }) => sum + length, 0);
    expect(run(stream, events, true).passed, stream.name).toBe(last);
    expect(run(stream, [...events.slice(0, 3), concat(events.slice(3))], true).passed, stream.name).toBe(last);
  }
});
