/** @jsxImportSource hono/jsx */
// How much of each budget of a key is used, as a bar with marks at 80 % and 100 %. The figures are text beside it.

import {
  COUNTED_BUDGETS,
  type CountedBudget,
  type KeySpending,
  readSpending,
  tightestOf,
} from '../../accounts/keys/key-spending.ts';
import type { Nano } from '../../kit/money.ts';
import type { KeyRow } from '../../store/rows.ts';
import { dateTime, money, roundedMoney } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { Money } from '../parts/amount.tsx';
import type { SiteTools } from '../tools.ts';

const WARNING_PERCENT = 80;
const FULL_PERCENT = 100;
/** A budget that was lowered can be exceeded: the bar goes on beyond its mark. */
const WIDTH = 110;
const HEIGHT = 10;

/** As the words of the limits have it. */
export const limitName = <Kind extends string>(budget: Kind) => `${budget}Budget` as const;

interface BudgetBarsProps {
  context: PageContext;
  spending: KeySpending;
}

/** A bar for each budget of the key; nothing without one. */
export function BudgetBars({ context, spending }: BudgetBarsProps) {
  const budgets = budgetsIn(spending);
  if (budgets.length === 0) return null;
  return (
    <ul class="budgets">
      {budgets.map(({ name, limit }) => (
        <Budget context={context} name={name} limit={limit} state={spending[name]} held={spending.held} />
      ))}
    </ul>
  );
}

/** The most used budget in one line; nothing without one. */
export function MainBudget({ context, spending }: BudgetBarsProps) {
  const { keys } = context.words.account;
  const [main] = budgetsIn(spending)
    .map(({ name, limit }) => ({ name, ...shares(spending[name], limit, spending.held) }))
    .toSorted((one, other) => other.used - one.used);
  if (!main) return null;
  const left = spending[main.name].left ?? 0n;
  return (
    <span class="main-budget">
      <Bar spent={main.spent} used={main.used} />
      <span title={money(left)}>{keys.budgetLeft(keys.limits[limitName(main.name)], roundedMoney(left))}</span>
    </span>
  );
}

function budgetsIn(spending: KeySpending) {
  return COUNTED_BUDGETS.flatMap((name) => {
    const { limit } = spending[name];
    return limit === null ? [] : [{ name, limit }];
  });
}

/** In percent of the limit. */
function shares({ spent }: KeySpending[CountedBudget], limit: Nano, held: Nano) {
  return { spent: percentOf(spent, limit), used: percentOf(spent + held, limit) };
}

interface BudgetProps {
  context: PageContext;
  name: CountedBudget;
  limit: Nano;
  state: KeySpending[CountedBudget];
  held: Nano;
}

function Budget({ context, name, limit, state, held }: BudgetProps) {
  const { keys, overview } = context.words.account;
  const { spent, left, resetsAt } = state;
  const percent = shares(state, limit, held);
  const used = (write: (amount: Nano) => string) =>
    keys.budgetUsed(write(spent), write(limit), `${percent.used}\u00a0%`, write(left ?? 0n));
  const notes = [
    ...(held > 0n ? [keys.reserved(roundedMoney(held))] : []),
    ...(resetsAt === null ? [] : [overview.resets(dateTime(resetsAt))]),
  ];
  return (
    <li>
      <strong>{keys.limits[limitName(name)]}</strong>
      <Bar spent={percent.spent} used={percent.used} />
      <span title={used(money)}>
        {used(roundedMoney)}
        {notes.length > 0 ? <span class="under">{notes.join(' · ')}</span> : null}
      </span>
    </li>
  );
}

function Bar({ spent, used }: { spent: number; used: number }) {
  const kind = used >= FULL_PERCENT ? 'down' : used >= WARNING_PERCENT ? 'degraded' : 'operational';
  const [spentWidth, usedWidth] = [Math.min(WIDTH, spent), Math.min(WIDTH, used)];
  return (
    <svg class="bars is-budget" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="none" width={FULL_PERCENT} height={HEIGHT} />
      <rect class={`${kind} held`} width={usedWidth} height={HEIGHT} />
      <rect class={kind} width={spentWidth} height={HEIGHT} />
      <path d={`M${WARNING_PERCENT} 0V${HEIGHT}M${FULL_PERCENT} 0V${HEIGHT}`} />
    </svg>
  );
}

/** Rounded down, so that nothing is called used up that is not. */
function percentOf(amount: Nano, limit: Nano): number {
  if (limit === 0n) return FULL_PERCENT;
  return Number((amount * BigInt(FULL_PERCENT)) / limit);
}

/** Undefined if no key above has a budget. */
export type ParentBudget = ReturnType<typeof tightestOf>;

export async function readParentBudget(tools: SiteTools, ancestors: readonly KeyRow[]): Promise<ParentBudget> {
  return tightestOf(ancestors.map(await readSpending(tools, ancestors)));
}

/** The rest of the budgets above a key: the least of them, without the names and amounts of other keys. */
export function ParentBudgets({ context, above }: { context: PageContext; above: ParentBudget }) {
  if (!above) return null;
  const { keys, overview, colon } = context.words.account;
  const notes = [
    keys.limits[limitName(above.budget)],
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
