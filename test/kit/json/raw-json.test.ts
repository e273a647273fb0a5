import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openRaw, RawJson, type RawPlace, writeJson } from '../../../src/kit/json/raw-json.ts';

describe('a value keeps its own text', () => {
  const text = ' { "a" : [ 1.0, {"big":12345678901234567890, "2":"x", "1":"\\u4f60"} ] , "b":"]}\\"" , "c":[]}';

  test.each<[path: (string | number)[], expected: string | undefined]>([
    [['a', 0], '1.0'],
    [['a', 1], '{"big":12345678901234567890, "2":"x", "1":"\\u4f60"}'],
    [['a', 1, 'big'], '12345678901234567890'],
    [['a', 1, '1'], '"\\u4f60"'],
    [['b'], '"]}\\""'],
    [['c'], '[]'],
    [['c', 0], undefined],
    [['d'], undefined],
    [['a', 7], undefined],
    [['b', 'x'], undefined],
  ])('at %p', (path, expected) => {
    expect(follow(openRaw(text), path)?.text).toBe(expected as string);
  });

  test('of two members with one name the last counts, as everywhere', () => {
    expect(openRaw('{"a":1,"a":2}').at('a')?.text).toBe('2');
  });
});

test('any JSON, written in any style, is found again at every path', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const visit = (place: RawPlace, expected: unknown) => {
        expect(JSON.parse(place.text)).toEqual(expected);
        if (typeof expected !== 'object' || expected === null) return;
        for (const [name, member] of Object.entries(expected)) {
          const key = Array.isArray(expected) ? Number(name) : name;
          const below = place.at(key);
          if (!below) throw new Error(`nothing at ${name}`);
          visit(below, member);
        }
      };
      visit(openRaw(text), JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

test('raw values are written as they are, members without a value not at all', () => {
  const raw = new RawJson('{"n":1.0}');
  expect(writeJson({ a: raw, b: [raw, 'x', null], c: undefined, d: { e: true } })).toBe(
    '{"a":{"n":1.0},"b":[{"n":1.0},"x",null],"d":{"e":true}}',
  );
});

test('whatever has nothing raw is written as JSON.stringify does', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(writeJson(value as never)).toBe(JSON.stringify(value))));
});

function follow(place: RawPlace | undefined, path: readonly (string | number)[]): RawPlace | undefined {
  return path.reduce<RawPlace | undefined>((at, name) => at?.at(name), place);
}
