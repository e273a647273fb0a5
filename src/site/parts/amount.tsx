/** @jsxImportSource hono/jsx */
// An amount as large type: exact to the last decimal, but what is less than a cent stands back.

import type { Nano } from '../../kit/money.ts';
import { money } from '../format.ts';

const CENTS = 2;

export function Amount({ value, isMain = false }: { value: Nano; isMain?: boolean }) {
  const [whole = '', decimals = ''] = money(value).split('.');
  return (
    <strong class={isMain ? 'figure is-main' : 'figure'}>
      {whole}.{decimals.slice(0, CENTS)}
      <span class="rest">{decimals.slice(CENTS)}</span>
    </strong>
  );
}
