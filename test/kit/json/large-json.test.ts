// A large body read in pieces is what it is when read at one go: the same value, the same places, the same refusals.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type JsonDocument, JsonRefused, readJsonObject } from '../../../src/kit/json/json.ts';
import { readLargeJson } from '../../../src/kit/json/large-json.ts';

const LIMITS = { depth: 6, nodes: 60 };
const pause = async () => {};
const inPieces = (text: string, stepChars: number) => readLargeJson(text, { pause, stepChars, limits: LIMITS });

async function problemOf(read: () => JsonDocument | Promise<JsonDocument>): Promise<string> {
  try {
    await read();
    return 'none';
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    return error.problem;
  }
}

async function expectSame(text: string, stepChars: number): Promise<void> {
  const whole = readJsonObject(text, LIMITS);
  const pieces = await inPieces(text, stepChars);
  expect(pieces.value).toEqual(whole.value);
  expect(JSON.stringify(pieces.value)).toBe(JSON.stringify(whole.value));
  expect(pieces.spans.list()).toEqual(whole.spans.list());
  expect(pieces.text).toBe(text);
}

const stepChars = fc.integer({ min: 1, max: 40 });
const word = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '/', '\n', '\u0000', 'é', '你', '😀', '\ud800', '\u2028'),
});
const name = fc.oneof(word, fc.constantFrom('a', 'b', '__proto__', 'constructor', '0', '10', ''));
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, -1.5e-7, 1e21),
    word,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));
const object = fc.dictionary(name, json, { maxKeys: 4 });
const gap = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 3 });
/** JSON in many spellings: spaces anywhere, escapes where none is needed. */
const spelt = fc.tuple(object, gap, fc.boolean()).map(([value, space, isEscaped]) => {
  const text = JSON.stringify(value, null, space);
  return space + (isEscaped ? text.replaceAll('a', '\\u0061').replaceAll('/', '\\/') : text) + space;
});

describe('read in steps', () => {
  test('every document is the same', async () => {
    await fc.assert(
      fc.asyncProperty(spelt, stepChars, async (text, size) => {
        fc.pre((await problemOf(() => readJsonObject(text, LIMITS))) === 'none');
        await expectSame(text, size);
      }),
      { numRuns: 1_000 },
    );
  });

  test('every broken document is refused, and no other', async () => {
    const edit = fc.tuple(
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom('', '"', '\\', '{', ']', ',', ':', '1', '-', 'u'),
    );
    await fc.assert(
      fc.asyncProperty(spelt, edit, stepChars, async (text, [where, cut, put], size) => {
        const at = where % (text.length + 1);
        const edited = text.slice(0, at) + put + text.slice(at + cut);
        const whole = await problemOf(() => readJsonObject(edited, LIMITS));
        const pieces = await problemOf(() => inPieces(edited, size));
        expect(pieces === 'none', JSON.stringify(edited)).toBe(whole === 'none');
        if (whole === 'none') await expectSame(edited, size);
      }),
      { numRuns: 3_000 },
    );
  });

  const refused: [text: string, problem: string][] = [
    ['', 'not_json'],
    [' ', 'not_json'],
    ['x', 'not_json'],
    ['{', 'not_json'],
    ['{}}', 'not_json'],
    ['{"a":1}{"b":2}', 'not_json'],
    ['{"a"}', 'not_json'],
    ['{"a":}', 'not_json'],
    ['{"a":1,}', 'not_json'],
    ['{,}', 'not_json'],
    ['{"a":[1,]}', 'not_json'],
    ['{"a":1]', 'not_json'],
    ['{"a":"b', 'not_json'],
    ['{"a":"b\\"}', 'not_json'],
    ['{"a":"\\u12"}', 'not_json'],
    ['{"a":"\\x"}', 'not_json'],
    ['{"a":"\n"}', 'not_json'],
    ['{"a":NaN}', 'not_json'],
    ['{"a":01}', 'not_json'],
    ['{a:1}', 'not_json'],
    ['null', 'not_object'],
    ['1', 'not_object'],
    ['"text"', 'not_object'],
    ['[]', 'not_object'],
    ['{"a":1,"a":2}', 'duplicate_member'],
    ['{"a":1,"\\u0061":2}', 'duplicate_member'],
    [`{"a":${'['.repeat(6)}${']'.repeat(6)}}`, 'too_deep'],
    [`{"a":[${'1,'.repeat(60)}1]}`, 'too_many_values'],
  ];
  test.each(refused)('%p is refused as ever', async (text, problem) => {
    for (const size of [1, 2, 3, 7, 1_000]) expect(await problemOf(() => inPieces(text, size))).toBe(problem);
    expect(await problemOf(() => readJsonObject(text, LIMITS))).toBe(problem);
  });

  test('a member of the name __proto__ is a member, and nothing else', async () => {
    const { value } = await inPieces('{"__proto__":{"admin":true},"a":{"__proto__":7}}', 3);
    expect(Object.keys(value)).toEqual(['__proto__', 'a']);
    expect(value.admin).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('escapes and pairs on the edge of a step stay whole', async () => {
    const text = `{"a":"${'x\\u4f60\\"\\\\😀\\ud83d\\ude00'.repeat(20)}"}`;
    for (let size = 1; size < 60; size++) await expectSame(text, size);
  });

  test('it pauses often: nothing is longer than a step or two', async () => {
    let pauses = 0;
    const text = JSON.stringify({ long: '"'.repeat(50_000), many: Array.from({ length: 50 }, () => 'b'.repeat(500)) });
    const counting = async () => void pauses++;
    await readLargeJson(text, { pause: counting, stepChars: 1_000, limits: LIMITS });
    expect(pauses).toBeGreaterThan(text.length / 1_500);
  });

  test('it waits for its pauses alone, however many values there are', async () => {
    const text = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, n) => ({ n, s: [`${n}`] })) });
    let pauses = 0;
    let isOver = false;
    const limits = { depth: 6, nodes: 100_000 };
    const read = readLargeJson(text, { pause: async () => void pauses++, limits }).finally(() => (isOver = true));
    let turns = 0;
    for (; !isOver; turns++) await null;
    expect((await read).value).toEqual(JSON.parse(text));
    expect(pauses).toBeGreaterThan(text.length / (64 * 1024) - 1);
    expect(turns).toBeLessThan(100);
  });
});
