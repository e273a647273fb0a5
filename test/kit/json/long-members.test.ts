// Long members of an answer: in whatever pieces it comes, what is not changed goes out as it came, and what is no plain list
// of numbers or string is left to the parser.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { editMembers, JsonRefused } from '../../../src/kit/json/json.ts';
import { fillLong, LongMemberReader, type MarkedJson, parseLong } from '../../../src/kit/json/long-members.ts';

function read(text: string, size = text.length): MarkedJson {
  const reader = new LongMemberReader('embedding');
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.slice(at, at + size));
  expect(reader.bytes).toBe(bytes.length);
  return reader.end();
}
const written = (document: MarkedJson, text = document.text) =>
  Buffer.concat(
    [...fillLong(text, document, ({ chunks }) => chunks)].map((piece) => Buffer.from(piece as Uint8Array)),
  ).toString();
const answer = (...embeddings: string[]) =>
  `{"data": [${embeddings.map((one, index) => `{"index":${index}, "embedding" : ${one}}`).join(' ,')}],"model":"é"}`;

const LISTS = ['[0.5,-1.25]', '[ 0 , -0.1e-05,12,\n 3E+7 ]', '[7]'];
const STRINGS = ['"AAAA+/=="', '"AA\\/A"'];
/** What a parser must judge, or what there is nothing of. */
const OTHERS = [
  '[]',
  '""',
  'null',
  '[0.5,null]',
  '["a"]',
  '[[0.5]]',
  '[1e100]',
  '{"embedding":{}}',
  '"\\n\\"]"',
  '"é"',
];
/** Near to a list, and no JSON. */
const BROKEN = [
  '[1,]',
  '[1 2]',
  '[01]',
  '[-]',
  '[1.]',
  '[.5]',
  '[1e]',
  '[+1]',
  '[1',
  '[1}',
  '"a',
  '"\\x"',
  '"\n"',
  '[\u00011]',
  '\u0001[1]',
];

test.each([...LISTS, ...STRINGS])('%s stays bytes', (value) => {
  const text = answer(value, value);
  const document = read(text);
  expect(document.long.map(parseLong)).toEqual([JSON.parse(value), JSON.parse(value)]);
  expect(document.text).not.toContain(value);
  expect(written(document)).toBe(text);
});

test.each(OTHERS)('%s is parsed', (value) => {
  const text = answer(value);
  const document = read(text);
  expect(document.long).toEqual([]);
  expect(document.value).toEqual(JSON.parse(text));
});

test.each(BROKEN)('%j is refused as a parser would', (value) => {
  expect(() => read(answer(value))).toThrow(JsonRefused);
});

test('other members are not long, whatever is in them', () => {
  const text = '{"embeddings":[1,2],"x":"embedding","y":["embedding",[1]],"embedding\\n":"a","embedding":"b"}';
  const document = read(text);
  expect(document.long.map(parseLong)).toEqual(['b']);
  expect(written(document)).toBe(text);
});

test('a text with marks of its own is not taken for one of ours', () => {
  const text = `{"note":"\\u00010 \\u0002","embedding":[1,2]}`;
  expect(written(read(text))).toBe(text);
});

test('members around it are edited', () => {
  const document = read(answer('[1,2]', '"AAAA"'));
  const text = written(document, editMembers(document, { model: 'mine' }));
  expect(text).toBe(answer('[1,2]', '"AAAA"').replace('é', 'mine'));
});

describe('in any chunks', () => {
  const value = fc.oneof(
    fc.constantFrom(...LISTS, ...STRINGS, ...OTHERS),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 5 }).map((list) => JSON.stringify(list)),
    fc.json(),
  );

  test('it comes to the same, and goes out as it came', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), fc.integer({ min: 1, max: 40 }), (values, size) => {
        const text = answer(...values);
        const document = read(text, size);
        expect(written(document)).toBe(text);
        expect(document.long.map(parseLong)).toEqual(read(text).long.map(parseLong));
      }),
    );
  });

  test('what a parser refuses is refused, and nothing else', () => {
    const chars = fc.string({ unit: fc.constantFrom(...'[]{}",:0159-+.eE \\/ntx'), maxLength: 12 });
    fc.assert(
      fc.property(chars, fc.integer({ min: 1, max: 9 }), (inside, size) => {
        const text = `{"embedding":${inside}}`;
        expect(outcome(() => written(read(text, size)))).toBe(outcome(() => JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });
});

function outcome(action: () => unknown): string {
  try {
    action();
    return 'read';
  } catch (error) {
    // Two members of one name are one too many for us alone.
    if (error instanceof JsonRefused && error.problem === 'duplicate_member') return 'read';
    return 'refused';
  }
}
