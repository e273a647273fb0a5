// A look at a body before the parse says what the parse would say, or nothing.

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import { surveyJson } from '../../../src/kit/json/survey.ts';

const MOST = 1_000;
const memberOf = (text: string) => surveyJson(text, 'model', MOST).member;
const gap = fc.constantFrom('', ' ', '\n\t');
const word = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', ',', ':', '\u0000', '你'), maxLength: 6 });
const value = fc.jsonValue({ maxDepth: 3 });
const bodies = fc.dictionary(fc.oneof(word, fc.constant('model')), fc.oneof(value, word, fc.constant('gpt-5')));

test('what it tells of a body is what the parse tells', () => {
  fc.assert(
    fc.property(bodies, gap, (body, space) => {
      const text = space + JSON.stringify(body, null, space);
      const { value: parsed } = readJsonObject(text);
      const found = memberOf(text);
      if (found !== undefined) expect(found).toBe(parsed.model as string);
      else if (parsed.model === 'gpt-5') throw new Error(`not found: ${text}`);
    }),
    { numRuns: 2_000 },
  );
});

test('what is no JSON is left to the parse', () => {
  fc.assert(
    fc.property(bodies, fc.nat(), (body, at) => {
      const text = JSON.stringify({ ...body, model: 'gpt-5' });
      expect(memberOf(text.slice(0, at % text.length))).toBeUndefined();
    }),
  );
});

const told: [text: string, member: string | undefined][] = [
  ['{"model":"a"}', 'a'],
  ['{"messages":[{"model":"no"}],"model" : "last" }', 'last'],
  ['{"x":{"model":"no"}}', undefined],
  ['{"x":"model","y":"no"}', undefined],
  ['{"model":"a","model":"b"}', undefined],
  ['{"model":"\\u0061"}', undefined],
  ['{"model":"模型"}', undefined],
  ['{"model":7}', undefined],
  ['{"model":["no"]}', undefined],
  ['["model","no"]', undefined],
  ['{"model":"a"}{}', undefined],
  ['', undefined],
];
test.each(told)('%p', (text, member) => {
  expect(memberOf(text)).toBe(member);
});

test('it counts values as the bounds of the parse do, and no further than asked', () => {
  const list = (length: number) => JSON.stringify({ model: 'a', list: Array.from({ length }, () => 1) });
  expect(surveyJson(list(10), 'model', MOST)).toEqual({ values: 13, items: 0, member: 'a' });
  expect(() => readJsonObject(list(10), { depth: 9, nodes: 13 })).not.toThrow();
  expect(() => readJsonObject(list(10), { depth: 9, nodes: 12 })).toThrow();
  expect(surveyJson(`${list(10).slice(0, -3)}x`, 'model', MOST)).toEqual({ values: 13, items: 0, member: undefined });
  expect(surveyJson(list(MOST), 'model', MOST)).toEqual({ values: MOST, items: 0, member: undefined });
  expect(surveyJson(`{"model":"a"${' '.repeat(2_000_000)}}`, 'model', MOST)).toEqual({
    values: MOST,
    items: 0,
    member: undefined,
  });
});

test('it counts the items of lists at the top level', () => {
  const body = { model: 'a', messages: [{ content: [{}, {}] }, {}], tools: [{}], input: [[1], [2]], seed: 1 };
  expect(surveyJson(JSON.stringify(body), 'model', MOST).items).toBe(5);
});
