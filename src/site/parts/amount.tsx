/** @jsxImportSource hono/jsx */
// Figures as large type. An amount is exact to the last decimal, but digits below a cent are less prominent.

import type { Child } from 'hono/jsx';
import type { Nano } from '../../kit/money.ts';
import { money } from '../format.ts';

const CENTS = 2;

interface FigureProps {
  title: Child;
  /** An amount, or a text. */
  value: Nano | Child;
  /** What stands below it. */
  children?: Child;
}

export function Figure({ title, value, children }: FigureProps) {
  return (
    <div>
      <p class="faint">{title}</p>
      {typeof value === 'bigint' ? <Amount value={value} /> : <strong class="figure">{value}</strong>}
      {children}
    </div>
  );
}

function Amount({ value }: { value: Nano }) {
  const [whole = '', decimals = ''] = money(value).split('.');
  return (
    <strong class="figure">
      {whole}.{decimals.slice(0, CENTS)}
      <span class="rest">{decimals.slice(CENTS)}</span>
    </strong>
  );
}
