// Events that repeat the one before with another text: read and written without parsing, they are what parsing makes of
// them, byte for byte; and whatever differs in anything else is read in full.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { anthropicMessages } from '../../../src/dialects/anthropic-messages/dialect.ts';
import type { Dialect, StreamEvent } from '../../../src/dialects/dialect.ts';
import { openaiChat } from '../../../src/dialects/openai-chat/dialect.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';

const REQUEST = { model: 'a-model', stream: true, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };

const CHAT_HEAD = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"theirs"';
const choice = (delta: string) => `"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":null}]`;
const SHAPES: [name: string, dialect: Dialect, first: string, write: (quoted: string, n: number) => string][] = [
  [
    'chat',
    openaiChat,
    `${CHAT_HEAD},${choice('{"role":"assistant","content":""}')}}`,
    (quoted) => `${CHAT_HEAD},${choice(`{"content":${quoted}}`)}}`,
  ],
  [
    'chat, padded',
    openaiChat,
    `${CHAT_HEAD},${choice('{"role":"assistant","content":""}')},"usage":null,"obfuscation":"x"}`,
    (quoted, n) =>
      `${CHAT_HEAD},${choice(`{"content":${quoted}}`)},"usage":null,"obfuscation":"${'aB3'.repeat(n % 5)}"}`,
  ],
  [
    'chat, the model last',
    openaiChat,
    `{"id":"1",${choice('{"role":"assistant"}')},"model":"theirs"}`,
    (quoted) => `{"id":"1", ${choice(`{"content":${quoted}}`)} , "model" : "theirs" }`,
  ],
  [
    'chat without a model',
    openaiChat,
    `{"id":"1",${choice('{"role":"assistant"}')}}`,
    (quoted) => `{"id":"1", ${choice(`{"reasoning_content":${quoted}}`)}}`,
  ],
  [
    'chat, the same thought twice',
    openaiChat,
    `{"id":"1",${choice('{"role":"assistant"}')}}`,
    (quoted) => `{"id":"1", ${choice(`{"reasoning":${quoted},"reasoning_content":${quoted}}`)}}`,
  ],
  [
    'chat, arguments',
    openaiChat,
    `{"id":"1",${choice('{"role":"assistant"}')}}`,
    (quoted) => `{"id":"1", ${choice(`{"tool_calls":[{"index":0,"function":{"arguments":${quoted}}}]}`)}}`,
  ],
  [
    'messages',
    anthropicMessages,
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    (quoted) => `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${quoted}}}`,
  ],
];

/** As events tell it: everything that the relay and the writers look at. */
const told = ({ kind, name, document, segments }: StreamEvent) => ({
  kind,
  name,
  segments: [...segments],
  text: document?.text,
});

/** The words as JSON, escaped in one of the ways that upstreams have. */
function quote(text: string, how: number): string {
  const plain = JSON.stringify(text);
  if (how % 3 !== 0) return plain;
  return plain.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

describe.each(SHAPES)('%s', (_, dialect, first, write) => {
  const request = dialect.request.read(readJsonObject(JSON.stringify(REQUEST)));
  /** One reader for all events, or a new one for each, which knows no shape. */
  function run(events: readonly string[], isFresh: boolean) {
    let reader = dialect.stream.createReader(request);
    const writer = dialect.stream.createWriter(request, { keepText: true });
    let tokens = 0;
    const read = events.map((data) => {
      if (isFresh) {
        tokens += reader.facts().output.tokens;
        reader = dialect.stream.createReader(request);
      }
      const [event] = reader.read({ event: undefined, data });
      if (!event) throw new Error('nothing was read');
      // A copy is written in full.
      return { ...told(event), frame: writer.write(isFresh ? { ...told(event), document: event.document } : event) };
    });
    return {
      read,
      tokens: tokens + reader.facts().output.tokens,
      sent: writer.transcript.sent,
      text: writer.sentText(),
    };
  }

  test('any words are read and written as if each event stood alone', () => {
    const words = fc.string({
      unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '你', '🙂', 'é', '{', '}', ',', '\u0000'),
    });
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 20 }), (texts) => {
        const events = [first, ...texts.map((text, n) => write(quote(text, n), n))];
        const shared = run(events, false);
        const alone = run(events, true);
        expect(shared.read).toEqual(alone.read);
        expect(shared.tokens).toBeCloseTo(alone.tokens, 6);
        expect(shared.sent.tokens).toBeCloseTo(alone.sent.tokens, 6);
        expect(shared.text).toBe(alone.text);
      }),
      { seed: 7 },
    );
  });

  test('what is no JSON between the quotes is broken, and what differs elsewhere is read in full', () => {
    const reader = dialect.stream.createReader(request);
    const read = (data: string) => reader.read({ event: undefined, data }).map(told);
    for (const text of [first, write('"some"', 0), write('" words"', 0)]) read(text);
    for (const bad of ['"a"b"', '"\\x"', '"a\nb"', '"\\"', '"', '""a"', '"\ud800\\"']) {
      expect(read(write(bad, 0))[0]?.kind, bad).toBe('broken');
    }
    const slotOf = (data: string) => read(data)[0]?.segments[0]?.slot;
    const slot = slotOf(write('" next"', 0));
    expect(slot).toStartWith('0/');
    expect(slotOf(write('" more"', 0).replace('"index":0', '"index":1'))).toMatch(/^(0\/)?1\//);
    expect(slotOf(write('" last"', 0))).toBe(slot);
    expect(read(write('""', 0))[0]?.kind).toBe('other');
  });
});

describe('where it can be', () => {
  const [, padded] = SHAPES;
  const reader = () => openaiChat.stream.createReader(openaiChat.request.read(readJsonObject(JSON.stringify(REQUEST))));

  test('nothing is parsed', () => {
    for (const [name, dialect, first, write] of SHAPES.filter(([name]) => !name.includes('twice'))) {
      const one = dialect.stream.createReader(dialect.request.read(readJsonObject(JSON.stringify(REQUEST))));
      for (const data of [first, write('"some"', 1), write('" words"', 2)]) one.read({ event: undefined, data });
      expect(one.read({ event: undefined, data: write('" more"', 3) })[0]?.repeat?.text, name).toBe(' more');
    }
  });

  test('padding without an end is broken', () => {
    const one = reader();
    const [, , first = '', write = String] = padded ?? [];
    for (const data of [first, write('"some"', 1), write('" words"', 2)]) one.read({ event: undefined, data });
    const data = write('" more"', 0).replace('"obfuscation":""}', '"obfuscation":"}');
    expect(one.read({ event: undefined, data })[0]?.kind).toBe('broken');
  });
});
