import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  BODY_LIMITS,
  isObject,
  JsonRefused,
  readJsonObject,
  TopLevelScan,
  tryParseJson,
} from '../../../src/kit/json/json.ts';

function problemOf(text: string, limits = BODY_LIMITS): string {
  try {
    readJsonObject(text, limits);
    return 'none';
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    return error.member === undefined ? error.problem : `${error.problem} ${error.member}`;
  }
}

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const list = (length: number) => `{"a":[${Array.from({ length }, () => '0').join(',')}]}`;

describe('what is no JSON object is refused', () => {
  test.each([
    '',
    ' ',
    '{',
    '}',
    '{}}',
    '{"a":1}{"b":2}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{"a" "b":1}',
    '{a:1}',
    "{'a':1}",
    '{"a":1]',
    '{"a":{]}',
    '{"a":"b',
    '{"a":"b\\"}',
    '{"\\u00":1}',
    '{"a":NaN}',
    '{"a":01}',
    '{"a":"\n"}',
    '{"a":1} // comment',
    '\ufeff{"a":1}',
    'undefined',
  ])('%p', (text) => expect(problemOf(text)).toBe('not_json'));

  test.each(['null', 'true', '1', '"text"', '[]', '[{"a":1}]', ' [1, "a:b", {"c": 2}] '])('%p', (text) =>
    expect(problemOf(text)).toBe('not_object'),
  );
});

describe('depth', () => {
  test('is refused one level beyond the limit', () => {
    expect(problemOf(nested(64))).toBe('none');
    expect(problemOf(nested(65))).toBe('too_deep');
  });

  test('is refused before a parser could run out of stack', () => {
    expect(problemOf(`{"a":${'['.repeat(2_000_000)}`)).toBe('too_deep');
    expect(problemOf('{"a":'.repeat(1_000_000))).toBe('too_deep');
  });

  test('brackets inside strings do not count', () => {
    expect(problemOf(`{"a":"${'['.repeat(1_000)}","b":"\\"${'{'.repeat(1_000)}"}`)).toBe('none');
  });

  test('width is not depth', () => {
    expect(problemOf(`{"a":[${Array.from({ length: 1_000 }, () => '[[]]').join(',')}]}`)).toBe('none');
  });
});

describe('number of values', () => {
  test('is refused beyond the limit, whatever the kind of value', () => {
    const limits = { depth: 64, nodes: 100 };
    expect(problemOf(list(90), limits)).toBe('none');
    expect(problemOf(list(101), limits)).toBe('too_many_values');
    expect(problemOf(`{${Array.from({ length: 101 }, (_, at) => `"${at}":0`).join(',')}}`, limits)).toBe(
      'too_many_values',
    );
    expect(problemOf(`{"a":[${Array.from({ length: 60 }, () => '{}').join(',')}]}`, limits)).toBe('too_many_values');
  });

  test('commas inside strings do not count', () => {
    expect(problemOf(`{"a":"${','.repeat(1_000)}"}`, { depth: 64, nodes: 10 })).toBe('none');
  });

  test('a body may hold a hundred thousand, not many more', () => {
    expect(problemOf(list(99_000))).toBe('none');
    expect(problemOf(list(100_001))).toBe('too_many_values');
  });
});

describe('members of the top level', () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"m${at}":0`).join(',')}}`;

  test('are a thousand at most', () => {
    expect(problemOf(members(1_000))).toBe('none');
    expect(problemOf(members(1_001))).toBe('too_many_members');
    expect(problemOf(`{"a":${members(1_001)}}`)).toBe('none');
  });

  test('have names of a thousand characters at most, as they are written', () => {
    const named = (literal: string) => `{"${literal}":1}`;
    expect(problemOf(named('n'.repeat(998)))).toBe('none');
    expect(problemOf(named('n'.repeat(1_001)))).toBe('too_many_members');
    expect(problemOf(named('\\u006e'.repeat(200)))).toBe('too_many_members');
    expect(problemOf(`{"a":${named('n'.repeat(1_001))}}`)).toBe('none');
  });
});

describe('a scan in steps', () => {
  test('finds what one in a single step does', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      ' ',
      '"',
      '\\',
      '"a"',
      '"b\\u0061"',
      '"\\""',
      '1',
      '你',
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => `{"a":1,${pieces.join('')}`);
    const scanned = (run: (scan: TopLevelScan) => void, source: string) => {
      const scan = new TopLevelScan(source, { depth: 5, nodes: 20, members: { count: 4, nameChars: 10 } });
      try {
        run(scan);
      } catch (error) {
        if (!(error instanceof JsonRefused)) throw error;
        return { problem: error.problem, member: error.member };
      }
      return { list: scan.spans.list(), values: scan.spans.values, items: scan.spans.items };
    };
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 12 }), (source, size) => {
        const inSteps = (scan: TopLevelScan) => {
          for (let stop = size; !scan.run(stop); stop += size);
        };
        expect(scanned(inSteps, source)).toEqual(scanned((scan) => scan.run(source.length), source));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('two members of one name', () => {
  test('are refused at the top level, with the name', () => {
    expect(problemOf('{"model":"cheap","model":"dear"}')).toBe('duplicate_member model');
  });

  test('however the name is spelt', () => {
    expect(problemOf('{"model":1,"mod\\u0065l":2}')).toBe('duplicate_member model');
    expect(problemOf('{"a/b":1,"a\\/b":2}')).toBe('duplicate_member a/b');
  });

  test('are none of our business further down, or as text', () => {
    expect(problemOf('{"a":{"b":1,"b":2},"c":"\\"a\\":1"}')).toBe('none');
  });

  test('it is reported before problems after it, and not before those that came first', () => {
    expect(problemOf('{"a":1,"\\u0061":2,')).toBe('duplicate_member a');
    expect(problemOf(`{"a":1,"a":2,"b":${'['.repeat(100)}`)).toBe('duplicate_member a');
    expect(problemOf(`{"a":1,"b":${'['.repeat(100)},"a":2}`)).toBe('too_deep');
    expect(problemOf('{"\\q":1,"a":1,"a":2}')).toBe('not_json');
  });

  test('names that differ are different', () => {
    expect(problemOf('{"model":1,"Model":2,"model ":3,"":4}')).toBe('none');
  });
});

describe('names with a meaning in JavaScript', () => {
  test('__proto__ is a member like any other and changes no prototype', () => {
    const { value, spans } = readJsonObject('{"__proto__":{"isAdmin":true},"constructor":1,"toString":2}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value.isAdmin).toBeUndefined();
    expect(spans.list().map(({ name }) => name)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  test('two of them are found too', () => {
    expect(problemOf('{"__proto__":1,"__proto__":2}')).toBe('duplicate_member __proto__');
  });
});

test('spans say where each top-level member stands, without the space around it', () => {
  const text = ' { "a" : [1, {"b": 2}] ,\n"c\\n":"x:,}{" , "d":\t-1e3 } ';
  const { spans } = readJsonObject(text);
  const shown = spans
    .list()
    .map((span) => [span.name, text.slice(span.start, span.valueEnd), text.slice(span.valueStart, span.valueEnd)]);
  expect(shown).toEqual([
    ['a', '"a" : [1, {"b": 2}]', '[1, {"b": 2}]'],
    ['c\n', '"c\\n":"x:,}{"', '"x:,}{"'],
    ['d', '"d":\t-1e3', '-1e3'],
  ]);
});

test('tryParseJson answers undefined for what is no JSON', () => {
  expect(tryParseJson('{"a":[1]}')).toEqual({ a: [1] });
  expect(tryParseJson('null')).toBeNull();
  expect(tryParseJson('{')).toBeUndefined();
});

test('isObject takes objects only', () => {
  expect([{}, { a: 1 }].every(isObject)).toBe(true);
  expect([null, undefined, [], 'a', 1, true].some(isObject)).toBe(false);
});
