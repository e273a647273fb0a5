import { expect, test } from 'bun:test';
import { createRecentRefusals, type Refused } from '../../src/limits/recent-refusals.ts';

const CALL = { accountId: 'acc_1', isFree: true, revision: 3, at: 10_000 };
const allowance = { limit: 5, used: 5, remaining: 0, resetsAt: 70_000 };
const REFUSED: Refused = { ok: false, reason: 'free_minute_limit', allowance };

test('a refusal stands for a moment, with its own figures', () => {
  const refusals = createRecentRefusals();
  expect(refusals.find(CALL)).toBeUndefined();
  refusals.note(CALL, REFUSED);
  expect(refusals.find({ ...CALL, at: 10_249 })).toBe(REFUSED);
  expect(refusals.find({ ...CALL, at: 10_250 })).toBeUndefined();
});

test('it never stands longer than the limit itself', () => {
  const refusals = createRecentRefusals();
  refusals.note(CALL, { ...REFUSED, allowance: { ...allowance, resetsAt: 10_050 } });
  expect(refusals.find({ ...CALL, at: 10_049 })).toBeDefined();
  expect(refusals.find({ ...CALL, at: 10_050 })).toBeUndefined();
});

test('where nothing is ever admitted, there is no slot to wait for', () => {
  const refusals = createRecentRefusals();
  refusals.note(CALL, { ...REFUSED, allowance: { limit: 0, used: 0, remaining: 0, resetsAt: CALL.at } });
  expect(refusals.find({ ...CALL, at: 10_249 })).toBeDefined();
  expect(refusals.find({ ...CALL, at: 10_250 })).toBeUndefined();
});

test('it is of one account, of free or of paid calls, and of one document', () => {
  const refusals = createRecentRefusals();
  refusals.note(CALL, REFUSED);
  expect(refusals.find({ ...CALL, accountId: 'acc_2' })).toBeUndefined();
  expect(refusals.find({ ...CALL, isFree: false })).toBeUndefined();
  expect(refusals.find({ ...CALL, revision: 4 })).toBeUndefined();
});

test('a clock that was put back ends it', () => {
  const refusals = createRecentRefusals();
  refusals.note(CALL, REFUSED);
  expect(refusals.find({ ...CALL, at: 9_999 })).toBeUndefined();
});

test('a slot that was given back ends it', () => {
  const refusals = createRecentRefusals();
  refusals.note(CALL, REFUSED);
  refusals.forget('acc_1');
  expect(refusals.find(CALL)).toBeUndefined();
});

test.each([
  { ok: false, reason: 'free_daily_limit', allowance },
  { ok: false, reason: 'too_many_in_flight', allowance },
  { ok: false, reason: 'wallet_frozen' },
  { ok: false, reason: 'insufficient_balance', needed: 2n, available: 1n, affordableTokens: 0 },
] satisfies Refused[])('$reason is not remembered: it may end at any moment', (refused) => {
  const refusals = createRecentRefusals();
  refusals.note(CALL, refused);
  expect(refusals.find(CALL)).toBeUndefined();
});
