/** @jsxImportSource hono/jsx */
// An amount as large type: exact to the last decimal, but what is less than a cent stands back.

import type { Nano } from '../../kit/money.ts';
import { money } from '../format.ts';

const CENTS = 2;

export function Amount({ value }: { value: Nano }) {
  const [whole = '', decimals = ''] = money(value).split('.');
  return (
    <strong class="figure">
      {whole}.{decimals.slice(0, CENTS)}
      <span class="rest">{decimals.slice(CENTS)}</span>
    </strong>
  );
}
