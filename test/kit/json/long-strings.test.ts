// A request whose long strings are left for later is what it is when all of it is parsed: the same value, the same places,
// the same refusals, the same count.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { countInput } from '../../../src/dialects/input/count-input.ts';
import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  JsonRefused,
  readJsonObject,
} from '../../../src/kit/json/json.ts';
import { isStringAt } from '../../../src/kit/json/long-strings.ts';
import { dropRequest, editBody, readRequestJson } from '../../../src/kit/json/request-json.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });
const readBytes = (text: string) => readRequestJson(encoder.encode(text));

function problemOf(read: () => JsonDocument): string {
  try {
    read();
    return 'none';
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    return `${error.problem} ${error.member}`;
  }
}

/** Some are just long enough, some just not, some are longer than what is scanned at one go as a text. */
const lengths = fc.oneof(fc.integer({ min: 2_000, max: 2_100 }), fc.integer({ min: 9_000, max: 12_000 }));
const units = ['a', ' ', 'B', '"', '\\', '\n', '\t', '/', 'é', '你', '😀'];
const words = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: fc.constantFrom(...units) }) },
  fc.string({ unit: fc.constantFrom(...units, '\u0001') }),
);
const long = fc
  .tuple(
    words.filter((text) => text !== ''),
    lengths,
  )
  .map(([text, length]) => text.repeat(Math.ceil(length / text.length)).slice(0, length));
const content = fc.oneof(
  long,
  words,
  long.map((text) => [{ type: 'text', text }]),
  long.map((text) => [text, { type: 'image_url', image_url: { url: text } }]),
);
const body = fc
  .record({ model: words, user: fc.oneof(words, long), messages: fc.array(content, { minLength: 1, maxLength: 4 }) })
  .map(({ messages, ...rest }) => ({
    ...rest,
    messages: messages.map((text) => ({ role: 'user', content: text, extra: { deep: text } })),
  }));
const spelt = fc
  .tuple(body, fc.constantFrom('', ' ', '\n'), fc.boolean())
  .map(([value, space, isEscaped]) =>
    isEscaped
      ? JSON.stringify(value, null, space).replaceAll('a', '\\u0061')
      : JSON.stringify(value, null, space).replaceAll('/', '\\/'),
  );

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : decoder.decode(body);
}

/** All of it, as one text. */
function readWhole(bytes: Uint8Array): JsonDocument {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new JsonRefused('not_utf8');
  }
  return readJsonObject(text);
}

function expectSame(text: string): void {
  const whole = readJsonObject(text);
  const late = readBytes(text);
  const count = ({ value, ...rest }: JsonDocument) => {
    const messages = Array.isArray(value.messages) ? value.messages.filter(isObject) : [];
    const { upper, estimate, lower, isOpen } = countInput({ value, ...rest }, messages);
    return { upper, estimate, lower, isOpen };
  };
  expect(count(late)).toEqual(count(whole));
  expect(late.spans.list()).toEqual(whole.spans.list());
  expect(late.text).toBe(whole.text);
  expect(JSON.stringify(readBytes(text).value)).toBe(JSON.stringify(whole.value));
  expect(late.value).toEqual(whole.value);
}

describe('long strings left for later', () => {
  test('every document is the same', () => {
    fc.assert(fc.property(spelt, expectSame), { numRuns: 200 });
  });

  test('every broken document is refused, and no other', () => {
    const edit = fc.tuple(
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom('', '"', '\\', '\n', '\u0001', '{', ']', ',', ':', '1', 'u', 'x'),
    );
    fc.assert(
      fc.property(spelt, edit, (text, [where, cut, put]) => {
        const at = where % (text.length + 1);
        const edited = (text.slice(0, at) + put + text.slice(at + cut)).toWellFormed();
        const whole = problemOf(() => readJsonObject(edited));
        expect(problemOf(() => readBytes(edited))).toBe(whole);
        if (whole === 'none') expectSame(edited);
      }),
      { numRuns: 500 },
    );
  });

  test('bytes that are no UTF-8 are refused, and no others', () => {
    const edit = fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.uint8Array({ maxLength: 3 }));
    fc.assert(
      fc.property(spelt, edit, (text, [where, cut, put]) => {
        const bytes = encoder.encode(text);
        const at = where % (bytes.length + 1);
        const edited = new Uint8Array(Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]));
        const whole = problemOf(() => readWhole(edited));
        expect(problemOf(() => readRequestJson(edited))).toBe(whole);
        if (whole === 'none') expectSame(decoder.decode(edited));
      }),
      { numRuns: 500 },
    );
  });

  test('a body that breaks off is refused', () => {
    fc.assert(
      fc.property(spelt, fc.nat(), (text, where) => {
        const bytes = encoder.encode(text).subarray(0, where % (text.length + 1));
        expect(problemOf(() => readRequestJson(bytes))).toBe(problemOf(() => readWhole(bytes)));
      }),
      { numRuns: 200 },
    );
  });

  test('a mark of the byte order is no part of the text', () => {
    const body = JSON.stringify({ messages: [{ content: 'a'.repeat(10_000) }] });
    expect(readBytes(`\ufeff${body}`).text).toBe(body);
    expect(problemOf(() => readBytes(`\ufeff\ufeff${body}`))).toBe('not_json undefined');
    expect(problemOf(() => readBytes(body.replace(/}$/, '\ufeff}')))).toBe('not_json undefined');
  });

  test('an edited body is the same, byte for byte', () => {
    const value = fc.constantFrom<Json | undefined>(undefined, 'm', 1, { a: ['你', '"\\u00010"'] });
    const edits = fc.dictionary(fc.constantFrom('model', 'user', 'messages', 'new'), value);
    fc.assert(
      fc.property(spelt, edits, (text, changed) => {
        const edited = editBody(readBytes(text), changed);
        expect(textOf(edited)).toBe(editMembers(readJsonObject(text), changed));
      }),
      { numRuns: 300 },
    );
  });

  test('go on as bytes', () => {
    const body = { model: 'a', messages: [{ role: 'user', content: `${'港口'.repeat(20_000)}` }] };
    const document = readBytes(JSON.stringify(body));
    const edited = editBody(document, { model: 'another', max_tokens: 5 });
    expect(edited).toBeInstanceOf(Uint8Array);
    expect(JSON.parse(textOf(edited))).toEqual({ max_tokens: 5, ...body, model: 'another' });
    expect(editBody(readBytes('{"model":"a"}'), { model: 'b' })).toBe('{"model":"b"}');
  });

  test('are gone when the request is dropped', () => {
    const document = readBytes(JSON.stringify({ model: 'a', message: { role: 'user', content: text } }));
    dropRequest(document);
    expect(() => document.text).toThrow();
    expect(() => JSON.stringify(document.value.message)).toThrow();
    expect(() => editBody(document, {})).toThrow();
    expect(document.value.model).toBe('a');
    const short = readBytes('{"model":"a"}');
    dropRequest(short);
    expect(short.text).toBe('{"model":"a"}');
  });

  const text = 'a "word" and \\ more\n'.repeat(1_000);
  const read = (value: unknown) => readBytes(JSON.stringify(value)).value;

  test('are parsed when they are asked for, and are members like any other', () => {
    const { m } = read({ m: { content: text, role: 'user' } }) as { m: JsonObject };
    expect(Object.getOwnPropertyDescriptor(m, 'content')?.get).toBeDefined();
    expect(isStringAt(m, 'content')).toBe(true);
    expect(m.content).toBe(text);
    expect(Object.getOwnPropertyDescriptor(m, 'content')).toEqual({
      value: text,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    expect(isStringAt(m, 'content')).toBe(true);
    expect(isStringAt(m, 'role')).toBe(true);
    expect(isStringAt(m, 'toString')).toBe(false);
    expect(Object.keys(m)).toEqual(['content', 'role']);
  });

  test('what looks like the mark of one is a text of its own', () => {
    const value = { a: { b: text, c: '\u00010', d: ['\u00010'], '\u00010': 1 }, e: '\u00011' };
    expect(read(value)).toEqual(value);
  });

  test('the last of two with one name counts', () => {
    const source = JSON.stringify(text);
    expect(readBytes(`{"a":{"b":${source},"b":1}}`).value).toEqual({ a: { b: 1 } });
    expect(readBytes(`{"a":{"b":1,"b":${source}}}`).value).toEqual({ a: { b: text } });
  });

  test('a member of the name __proto__ is a member, and nothing else', () => {
    const { a } = readBytes(`{"a":{"__proto__":${JSON.stringify(text)}}}`).value as { a: JsonObject };
    expect(Object.keys(a)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(a)).toBe(Object.prototype);
  });

  test.each(['\\x', '\\u12x', '\\u12g4', '\n', '\u0000', '\\'])('one with %p in it is refused', (bad) => {
    for (const at of [0, 100, 32 * 1024 - 1, 40_000]) {
      const source = `${'a'.repeat(at)}${bad}${'a'.repeat(50_000 - at)}`;
      expect(problemOf(() => readBytes(`{"a":{"b":"${source}"}}`))).toBe('not_json undefined');
    }
  });
});
