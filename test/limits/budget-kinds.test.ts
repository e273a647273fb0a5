// Every kind of budget: what a refusal calls it, when it begins anew, and the call that raises it.

import { expect, test } from 'bun:test';
import { moneyFault } from '../../src/limits/money-fault.ts';
import type { BudgetKind } from '../../src/store/operations.ts';

/** The last day and the last month of 2026 in Taipei. */
const SPANS = { day: 20_818, month: 2026 * 12 + 11, total: undefined, session: undefined };
const NEXT_YEAR = '2026-12-31T16:00:00.000Z';
const REQUEST = {
  endpoint: '/v1/chat/completions',
  model: 'plain',
  promptField: 'messages',
  boundName: 'max_tokens',
  choices: 1,
  images: 0,
  units: [],
  thinkingBudget: undefined,
  hold: { base: 1_000_000n, unit: 50_000n, wanted: 100, least: 16 },
  fees: 0n,
  promptTokens: 100,
  addedByTools: 0,
  mayShorten: true,
  isBounded: true,
  freeModel: undefined,
  keys: [{ keyId: 'key_parent', limits: {} }],
} as const;

const refused = (budget: BudgetKind, needed = 1_800_000n) => {
  const span = SPANS[budget];
  const short = {
    ...{ budget, keyId: 'key_parent', limit: 9_000_000n, spent: 7_000_000n, held: 3_000_000n },
    ...(span === undefined ? {} : { span }),
  };
  return moneyFault(
    {
      ok: false,
      reason: 'key_budget_exceeded',
      needed,
      available: 0n,
      affordableTokens: 0,
      short,
      budgets: [short],
    },
    REQUEST,
  );
};

test.each([
  ['day', 'daily', NEXT_YEAR, ', or wait for the next day in Taipei.', { budgets: { day_ntd: 0.016 } }],
  ['month', 'monthly', NEXT_YEAR, ', or wait for the next month in Taipei.', { budgets: { month_ntd: 0.016 } }],
  ['total', 'total', undefined, 'Raise the budget to NT$0.016 with a managing key.', { budgets: { total_ntd: 0.016 } }],
  [
    'session',
    'session',
    undefined,
    ', or begin another session with another value of x-svc-session.',
    { budgets: { session_ntd: 0.016 } },
  ],
] as const)('%s', (budget, name, resetsAt, end, body) => {
  const { message = '', figures, actions } = refused(budget).details;
  expect(message).toStartWith(
    `The ${name} budget of key_parent does not cover this request: of NT$0.009, NT$0.007 is spent, NT$0.003 is held by running requests and NT$0 is left. `,
  );
  expect(message).toEndWith(end);
  expect(figures).toMatchObject({ budget, key_id: 'key_parent', limit_ntd: 0.009, left_ntd: 0 });
  expect(figures?.resets_at).toBe(resetsAt as string);
  expect(actions?.[0]).toMatchObject({ method: 'PATCH', path: '/api/keys/key_parent', body });
});

test.each(['day', 'month', 'session'] as const)('%s: no wait is named if the whole budget is too low', (budget) => {
  expect(refused(budget, 9_000_000n).details.message).toMatch(/, or (wait|begin) [^,]+\.$/);
  expect(refused(budget, 9_000_001n).details.message).toEndWith('Raise the budget to NT$0.016 with a managing key.');
});

test('the reason has no price per million where other things are part of the amount', () => {
  const fault = moneyFault(
    { ok: false, reason: 'insufficient_balance', needed: 1_800_001n, available: 0n, affordableTokens: 0 },
    { ...REQUEST, hold: { ...REQUEST.hold, base: 1_000_001n } },
  );
  expect(fault.details.hint).toBe(
    'At least NT$0.001800001 must be reserved for this request: NT$0.001000001 for up to 100 input tokens and NT$0.0008 for 16 output tokens at NT$50 per 1M.',
  );
});
