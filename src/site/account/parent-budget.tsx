/** @jsxImportSource hono/jsx */
// The rest of the budgets above a key: the least of them, without the names and amounts of other keys.

import { readSpending, tightestOf } from '../../accounts/keys/key-spending.ts';
import type { KeyRow } from '../../store/rows.ts';
import { dateTime } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import type { SiteTools } from '../tools.ts';
import { LIMITS } from './budget-bars.tsx';

/** Undefined if no key above has a budget. */
export type ParentBudget = ReturnType<typeof tightestOf>;

export async function readParentBudget(tools: SiteTools, ancestors: readonly KeyRow[]): Promise<ParentBudget> {
  return tightestOf(ancestors.map(await readSpending(tools, ancestors)));
}

export function ParentBudgets({ context, above }: { context: PageContext; above: ParentBudget }) {
  if (!above) return null;
  const { keys, overview, colon } = context.words.account;
  const notes = [
    keys.limits[LIMITS[above.budget]],
    ...(above.resetsAt === null ? [] : [overview.resets(dateTime(above.resetsAt))]),
  ];
  return (
    <p>
      {keys.aboveLeft + colon}
      <strong class={above.left === 0n ? 'number bad' : 'number'}>
        <Money value={above.left} />
      </strong>
      <span class="under">{notes.join(' · ')}</span>
    </p>
  );
}
