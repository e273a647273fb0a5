// A request whose long strings are left for later is what it is when all of it is parsed: the same value, the same places,
// the same refusals, the same count.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { countInput } from '../../src/dialects/count-input.ts';
import {
  isObject,
  type JsonDocument,
  type JsonObject,
  JsonRefused,
  readJsonObject,
  readRequestJson,
} from '../../src/kit/json.ts';
import { isStringAt } from '../../src/kit/long-strings.ts';

function problemOf(read: () => JsonDocument): string {
  try {
    read();
    return 'none';
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    return `${error.problem} ${error.member}`;
  }
}

const LONG = 9_000;
const words = fc.string({
  unit: fc.constantFrom('a', ' ', 'B', '"', '\\', '\n', '\t', '/', 'é', '你', '😀', '\u0001'),
});
const long = words.filter((text) => text !== '').map((text) => text.repeat(Math.ceil(LONG / text.length)));
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

function expectSame(text: string): void {
  const whole = readJsonObject(text);
  const late = readRequestJson(text);
  const count = ({ value, ...rest }: JsonDocument) => {
    const messages = Array.isArray(value.messages) ? value.messages.filter(isObject) : [];
    const { upper, estimate, lower, isOpen } = countInput({ value, ...rest }, messages);
    return { upper, estimate, lower, isOpen };
  };
  expect([...late.spans]).toEqual([...whole.spans]);
  expect(count(late)).toEqual(count(whole));
  expect(JSON.stringify(readRequestJson(text).value)).toBe(JSON.stringify(whole.value));
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
        const edited = text.slice(0, at) + put + text.slice(at + cut);
        const whole = problemOf(() => readJsonObject(edited));
        expect(problemOf(() => readRequestJson(edited))).toBe(whole);
        if (whole === 'none') expectSame(edited);
      }),
      { numRuns: 500 },
    );
  });

  const text = 'a "word" and \\ more\n'.repeat(1_000);
  const read = (value: unknown) => readRequestJson(JSON.stringify(value)).value;

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
    expect(readRequestJson(`{"a":{"b":${source},"b":1}}`).value).toEqual({ a: { b: 1 } });
    expect(readRequestJson(`{"a":{"b":1,"b":${source}}}`).value).toEqual({ a: { b: text } });
  });

  test('a member of the name __proto__ is a member, and nothing else', () => {
    const { a } = readRequestJson(`{"a":{"__proto__":${JSON.stringify(text)}}}`).value as { a: JsonObject };
    expect(Object.keys(a)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(a)).toBe(Object.prototype);
  });

  test.each(['\\x', '\\u12x', '\\u12g4', '\n', '\u0000', '\\'])('one with %p in it is refused', (bad) => {
    for (const at of [0, 100, 32 * 1024 - 1, 40_000]) {
      const source = `${'a'.repeat(at)}${bad}${'a'.repeat(50_000 - at)}`;
      expect(problemOf(() => readRequestJson(`{"a":{"b":"${source}"}}`))).toBe('not_json undefined');
    }
  });
});
