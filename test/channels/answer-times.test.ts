// What a route's last answers of one size took.

import { expect, test } from 'bun:test';
import { createAnswerTimes } from '../../src/channels/answer-times.ts';

const SHORT = { kind: 'first_token', tokens: 900 } as const;

test('nothing is known before the fifth answer', () => {
  const times = createAnswerTimes();
  for (const ms of [10, 20, 30, 40]) times.note('c', 'm', SHORT, ms);
  expect(times.median('c', 'm', SHORT)).toBeUndefined();
  times.note('c', 'm', SHORT, 1_000);
  expect(times.median('c', 'm', SHORT)).toBe(30);
});

test('routes, kinds and sizes are kept apart', () => {
  const times = createAnswerTimes();
  for (let n = 0; n < 5; n++) times.note('c', 'm', SHORT, 10);
  expect(times.median('c', 'm', { ...SHORT, tokens: 1_000 })).toBe(10);
  expect(times.median('c', 'm', { ...SHORT, tokens: 1_001 })).toBeUndefined();
  expect(times.median('c', 'm', { kind: 'whole', tokens: 900 })).toBeUndefined();
  expect(times.median('c', 'other', SHORT)).toBeUndefined();
  expect(times.median('other', 'm', SHORT)).toBeUndefined();
});

test('the last 32 count', () => {
  const times = createAnswerTimes();
  for (let n = 0; n < 100; n++) times.note('c', 'm', SHORT, 10);
  for (let n = 0; n < 17; n++) times.note('c', 'm', SHORT, 500);
  expect(times.median('c', 'm', SHORT)).toBe(500);
});
