// Which budget the header x-svc-budget-warning names, and when it is left out.

import { expect, test } from 'bun:test';
import { setBudgetWarning } from '../../src/relay/answer-headers.ts';

const NTD = 1_000_000_000n;
const DAY = { budget: 'day', keyId: 'key_low', limit: 100n * NTD, spent: 70n * NTD, held: 0n } as const;
const TOTAL = { budget: 'total', keyId: 'key_top', limit: 10n * NTD, spent: 0n, held: NTD } as const;

function warningOf(use: { cost?: bigint; held?: bigint }): string | undefined {
  const headers: Record<string, string> = { 'x-svc-budget-warning': 'an earlier one' };
  setBudgetWarning(headers, [DAY, TOTAL], use);
  return headers['x-svc-budget-warning'];
}

test('the budget with the highest share is named, whatever its place', () => {
  expect(warningOf({ held: 8n * NTD })).toBe('total; key=key_top; spent=0; held=9; limit=10');
  expect(warningOf({ held: 7n * NTD })).toBe('total; key=key_top; spent=0; held=8; limit=10');
  expect(warningOf({ cost: 10n * NTD })).toBe('total; key=key_top; spent=10; held=1; limit=10');
});

test('a cost below 80 % removes the warning of the hold', () => {
  expect(warningOf({ cost: NTD })).toBeUndefined();
});
