import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { nearestIds } from '../../src/catalog/nearest-ids.ts';

const IDS = ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'claude-sonnet-4-5', 'gemini-2.5-flash', 'auto:free', 'demo-small'];

test.each([
  ['gpt-5-mni', 'gpt-5-mini'],
  ['GPT-5-Mini', 'gpt-5-mini'],
  ['gpt5-nano', 'gpt-5-nano'],
  ['claude-sonet-4-5', 'claude-sonnet-4-5'],
  ['openai/gpt-5-mini', 'gpt-5-mini'],
  ['autofree', 'auto:free'],
  ['flash', 'gemini-2.5-flash'],
])('%s may have meant %s', (asked, meant) => {
  expect(nearestIds(asked, IDS)).toContain(meant);
});

test('the nearest comes first', () => {
  expect(nearestIds('gpt-5-minl', IDS)[0]).toBe('gpt-5-mini');
  expect(nearestIds('demo-smal', IDS)[0]).toBe('demo-small');
});

test('what is like nothing gets no guess', () => {
  expect(nearestIds('stable-diffusion-xl-turbo-1024', IDS)).toEqual([]);
});

test.each([
  ['zzz', []],
  ['i2', ['i1']],
  ['x1', ['e1', 'i1']],
])('%s among short ones: %j', (asked, meant) => {
  expect(nearestIds(asked, ['e1', 'i1'])).toEqual(meant);
});

test('never more than three, only known ids, each once, whatever was asked', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (asked) => {
      const found = nearestIds(asked, IDS);
      expect(found.length).toBeLessThanOrEqual(3);
      expect(new Set(found).size).toBe(found.length);
      expect(found.every((id) => IDS.includes(id))).toBe(true);
    }),
  );
});

test('a huge name costs no more than a long one', () => {
  expect(nearestIds('x'.repeat(10_000_000), IDS)).toEqual([]);
});
