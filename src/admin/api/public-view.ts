// The operator's views as JSON: names with underscores, money as a pair of number and exact text, times in ISO 8601.

import { moneyFields } from '../../kit/money.ts';

/** Null here means that no amount is known. */
const MONEY: ReadonlySet<string> = new Set([
  'amount',
  'revenue',
  'cost',
  'profit',
  'profit30d',
  'dailyBudget',
  'balanceAfter',
]);
const TIMES: ReadonlySet<string> = new Set(['at', 'since']);
/** Written as JSON already, with names of their own. */
const AS_THEY_ARE: ReadonlySet<string> = new Set(['detail', 'fields']);

export function publicView(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publicView);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => publicMember(name, member)));
}

function publicMember(name: string, value: unknown): [string, unknown][] {
  const spelt = spell(name);
  if (value === undefined) return [];
  if (typeof value === 'bigint') return Object.entries(moneyFields(spelt, value));
  if (value === null && MONEY.has(name)) {
    return [
      [`${spelt}_ntd`, null],
      [`${spelt}_nano`, null],
    ];
  }
  if (AS_THEY_ARE.has(name)) return [[spelt, value]];
  const isTime = TIMES.has(name) || name.endsWith('At');
  if (isTime && typeof value === 'number') return [[spelt, new Date(value).toISOString()]];
  return [[spelt, publicView(value)]];
}

/** Digits that belong to the preceding part of a name. */
const ONE_WORD: ReadonlySet<string> = new Set(['last4', 'p50', 'p95']);

function spell(name: string): string {
  if (ONE_WORD.has(name)) return name;
  return name.replaceAll(/([a-z])(\d)/g, '$1_$2').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
