// What travels between the threads as a text arrives as it was, to the last nano.

import { expect, test } from 'bun:test';
import { MAX_NANO } from '../../src/kit/money.ts';
import { fromText, toText } from '../../src/store/sqlite/message-text.ts';

test.each([
  ['money', { cost: MAX_NANO, base: 0n, items: [{ amount: -1n }, { amount: 9_007_199_254_740_993n }], list: [1n, 2n] }],
  ['other values', { text: '模型 "a"', none: null, yes: true, no: false, count: 1.5, list: [], fields: {} }],
  ['fields without a value', { id: 3, value: { losses: undefined, rule: null }, list: [undefined, 1] }],
  ['texts that begin with the mark', { a: '\u0001', b: '\u00015', c: '\u0001u', d: '\u0001t', e: ['\u0001t\u0001'] }],
])('%s', (_, message) => {
  const before = structuredClone(message);
  expect(fromText(toText(message))).toStrictEqual(message);
  expect(message).toStrictEqual(before);
});
