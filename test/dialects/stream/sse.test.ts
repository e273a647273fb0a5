// The SSE reader gives the same events however the bytes are split, whichever line ending they use.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type SseEvent, SseReader, SseTooLong, writeSse } from '../../../src/dialects/stream/sse.ts';

const STREAM = [
  ': a comment first\n\n',
  'data: {"text":"Hello"}\n\n',
  'event: delta\ndata:no space\nid: 7\nretry: 10\n\n',
  'data: 你好，世界\ndata:  two spaces\ndata\n\n',
  ':\n\n\n\n',
  'data: 🙂\n: inside\ndata: ünïcödé\n\n',
  'unknown: field\ndata: [DONE]\n\n',
].join('');
const EVENTS: SseEvent[] = [
  { event: undefined, data: undefined },
  { event: undefined, data: '{"text":"Hello"}' },
  { event: 'delta', data: 'no space' },
  { event: undefined, data: '你好，世界\n two spaces\n' },
  { event: undefined, data: undefined },
  { event: undefined, data: '🙂\nünïcödé' },
  { event: undefined, data: '[DONE]' },
];
const ENDINGS = [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const;

const bytes = (text: string) => new TextEncoder().encode(text);

function read(pieces: Uint8Array[]): SseEvent[] {
  const reader = new SseReader();
  return pieces.flatMap((piece) => reader.push(piece));
}

function pieces(whole: Uint8Array, cuts: number[]): Uint8Array[] {
  const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
  return at.slice(1).map((end, index) => whole.subarray(at[index], end));
}

describe.each(ENDINGS)('%s', (_, ending) => {
  const whole = bytes(STREAM.replaceAll('\n', ending));

  test('whole', () => expect(read([whole])).toEqual(EVENTS));

  test('split in two at every byte', () => {
    for (let at = 0; at <= whole.length; at++) expect(read(pieces(whole, [at])), `at ${at}`).toEqual(EVENTS);
  });

  test('byte by byte', () => {
    expect(
      read(
        pieces(
          whole,
          Array.from({ length: whole.length - 1 }, (_, index) => index + 1),
        ),
      ),
    ).toEqual(EVENTS);
  });

  test('split anyhow', () => {
    const cuts = fc.array(fc.nat({ max: whole.length }), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (at) => expect(read(pieces(whole, at))).toEqual(EVENTS)),
      { seed: 7 },
    );
  });

  test('an event is there as soon as its empty line is', () => {
    const reader = new SseReader();
    expect(reader.push(bytes(`data: now${ending}${ending}`))).toEqual([{ event: undefined, data: 'now' }]);
    expect(reader.push(bytes(`data: next${ending}${ending}`))).toEqual([{ event: undefined, data: 'next' }]);
  });
});

test('mixed endings, split at any two bytes', () => {
  const whole = bytes('data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\n\ndata: e\r\r');
  const events = ['a\nb\nc', 'd', 'e'].map((data) => ({ event: undefined, data }));
  for (let first = 0; first <= whole.length; first++) {
    for (let second = first; second <= whole.length; second++) {
      expect(read(pieces(whole, [first, second])), `at ${first} and ${second}`).toEqual(events);
    }
  }
});

test('a byte-order mark is no part of the first field', () => {
  expect(read([new Uint8Array([0xef, 0xbb, 0xbf]), bytes('data: a\n\n')])).toEqual([{ event: undefined, data: 'a' }]);
});

test('what no empty line ends is no event', () => {
  expect(read([bytes('data: a\n\ndata: b\n')])).toEqual([{ event: undefined, data: 'a' }]);
});

describe('at the end of the bytes', () => {
  const lastOf = (text: string, size = text.length) => {
    const reader = new SseReader();
    const whole = bytes(text);
    for (let at = 0; at < whole.length; at += size) reader.push(whole.subarray(at, at + size));
    const last = reader.end();
    expect(reader.end()).toBeUndefined();
    return last;
  };

  test.each([
    ['data: {"text":"你"}', { event: undefined, data: '{"text":"你"}' }],
    ['data: {"text":"你"}\n', { event: undefined, data: '{"text":"你"}' }],
    ['event: delta\r\ndata: {\r\ndata: }\r\n', { event: 'delta', data: '{\n}' }],
    ['data: {}\n\nevent: end\ndata: [1]\nid', { event: 'end', data: '[1]' }],
    ['data: {}\n\ndata: [DONE]', { event: undefined, data: '[DONE]' }],
  ])('%j has an event without its empty line', (text, event) => {
    expect(lastOf(text)).toEqual(event);
    expect(lastOf(text, 1)).toEqual(event);
  });

  test.each([
    '',
    'data: {}\n\n',
    ': bye',
    'event: end\n',
    'data:',
    'data: {"text":"',
    'data: {\ndata: "a":1',
    'data: [DON',
  ])('%j has none', (text) => {
    expect(lastOf(text)).toBeUndefined();
  });

  test('half a character is no part of an event', () => {
    const reader = new SseReader();
    reader.push(bytes('data: {}'));
    reader.push(new Uint8Array([0xe4]));
    expect(reader.end()).toBeUndefined();
  });
});

test('what is written in several lines is read as one', () => {
  for (const data of ['{"a":1}', '{\n "a": 1\n}', '\n']) {
    expect(read([bytes(writeSse(data, 'delta'))])).toEqual([{ event: 'delta', data }]);
    expect(read([bytes(writeSse(data))])).toEqual([{ event: undefined, data }]);
  }
});

describe('an event too long ends the reading', () => {
  test.each([
    ['in one line', ['data: ', 'x'.repeat(200)]],
    ['in many lines', Array.from({ length: 40 }, () => 'data: xxxxxx\n')],
    ['of comments', Array.from({ length: 40 }, () => ': xxxxxxx\n')],
  ])('%s', (_, parts) => {
    const reader = new SseReader(100);
    expect(() => {
      for (const part of parts) reader.push(bytes(part));
    }).toThrow(SseTooLong);
  });

  test('but many short ones do not', () => {
    const reader = new SseReader(100);
    for (let i = 0; i < 1_000; i++) expect(reader.push(bytes('data: short\n\n'))).toHaveLength(1);
  });
});

describe('as much as may come', () => {
  test('many lines in one chunk', () => {
    const piece = bytes('data: x\n\n'.repeat(160_000));
    expect(new SseReader().push(piece)).toHaveLength(160_000);
  });

  test('a long line in many chunks', () => {
    const reader = new SseReader();
    const piece = bytes('x'.repeat(1_000));
    reader.push(bytes('data: '));
    for (let i = 0; i < 20_000; i++) reader.push(piece);
    expect(reader.push(bytes('\n\n'))[0]?.data).toHaveLength(20_000_000);
  });
});
