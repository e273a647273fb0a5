/** @jsxImportSource hono/jsx */
// Amounts for people: rounded, with the exact amount as title.

import type { Child } from 'hono/jsx';
import type { Nano } from '../../kit/money.ts';
import { money, roundedMoney } from '../format.ts';

interface MoneyProps {
  value: Nano;
  /** Writes a plus before an amount above 0, as in a list of entries. */
  isSigned?: boolean;
}

export function Money({ value, isSigned = false }: MoneyProps) {
  const isIn = isSigned && value > 0n;
  const sign = isIn ? '+' : '';
  return (
    <span class={isIn ? 'good' : undefined} title={sign + money(value)}>
      {sign + roundedMoney(value)}
    </span>
  );
}

/** More characters than this do not fit beside another figure on a phone at full size, or not at all. */
const [LONG, LONGEST] = [9, 13];

/** One figure as large type. */
export function Figure({ title, value, children }: { title: Child; value: Nano | Child; children?: Child }) {
  const { length } = typeof value === 'bigint' ? roundedMoney(value) : typeof value === 'string' ? value : '';
  const look = length > LONGEST ? 'figure is-longest' : length > LONG ? 'figure is-long' : 'figure';
  return (
    <div>
      <p class="faint">{title}</p>
      <strong class={look}>{typeof value === 'bigint' ? <Money value={value} /> : value}</strong>
      {children}
    </div>
  );
}
