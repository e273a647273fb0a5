// profit: what customers paid, what upstreams bill for it, and losses.

import { counted } from '../../kit/counted.ts';
import { formatNtd, moneyFields, type Nano } from '../../kit/money.ts';
import { percentOf } from '../../kit/percent.ts';
import { PROFIT_BY, PROFIT_DAYS, type Profit, type ProfitView, showProfit } from '../actions/profit.ts';
import { type Command, noArguments, WrongUsage } from './command.ts';
import { printTable } from './print-table.ts';

const UNKNOWN = '?';

export const profitCommands: readonly Command[] = [
  {
    words: 'profit',
    takes: `[--by ${PROFIT_BY.join('|')}] [--days ${PROFIT_DAYS.join('|')}]`,
    about:
      'what customers paid, what upstreams bill for it, losses and profit; by default by model, for 7 days including today',
    options: ['by', 'days'],
    async run({ args, options, open }) {
      noArguments(args);
      const by = oneOf('by', PROFIT_BY, options.by ?? 'model');
      const days = Number(oneOf('days', PROFIT_DAYS.map(String), options.days ?? '7'));
      const view = await showProfit(await open(), { by, days });
      return { facts: factsOf(view), text: textOf(view) };
    },
  },
];

function oneOf<Choice extends string>(name: string, choices: readonly Choice[], text: string): Choice {
  const choice = choices.find((one) => one === text);
  if (choice === undefined) throw new WrongUsage(`--${name} must be one of ${choices.join(', ')}`);
  return choice;
}

function factsOf({ by, days, from, to, rows, hasMore, total, cards }: ProfitView) {
  return {
    by,
    days,
    from,
    to,
    data: rows.map(({ key, ...profit }) => ({ key, ...profitFacts(profit) })),
    has_more: hasMore,
    total: profitFacts(total),
    cards: {
      ...moneyFields('sold', cards.sold),
      ...moneyFields('redeemed', cards.redeemed),
      ...moneyFields('unredeemed', cards.unredeemed),
      ...moneyFields('unspent', cards.unspent),
      ...moneyFields('owed', cards.owed),
      ...moneyFields('balances', cards.balances),
    },
  };
}

function profitFacts({ requests, revenue, cost, loss, profit, margin, ...unknown }: Profit) {
  return {
    requests,
    ...moneyFields('revenue', revenue),
    ...moneyOrNull('cost', cost),
    ...moneyFields('loss', loss),
    ...moneyOrNull('profit', profit),
    margin,
    unknown_cost_requests: unknown.unknownCostRequests,
    ...moneyFields('unknown_cost_revenue', unknown.unknownCostRevenue),
  };
}

function moneyOrNull(name: string, amount: Nano | null): Record<string, unknown> {
  return amount === null ? { [`${name}_ntd`]: null, [`${name}_nano`]: null } : moneyFields(name, amount);
}

function textOf({ by, from, to, rows, hasMore, total, cards }: ProfitView): string {
  const table = printTable(
    [by, 'requests', 'revenue NT$', 'cost NT$', 'loss NT$', 'profit NT$', 'margin'],
    [...rows.map(({ key, ...profit }) => [key ?? '-', ...cellsOf(profit)]), ['total', ...cellsOf(total)]],
  );
  const { unknownCostRequests: unknown, unknownCostRevenue } = total;
  const notes = [
    ...(hasMore ? [`The ${rows.length} with the largest revenue are listed; the total has all.`] : []),
    ...(unknown > 0
      ? [
          `The cost of ${counted(unknown, 'request', 'requests')} with a revenue of NT$${formatNtd(unknownCostRevenue)} is unknown and not in the profit: their routes stated no cost, or they are older than the figure.`,
        ]
      : []),
    `Cards: NT$${formatNtd(cards.sold)} sold, of which NT$${formatNtd(cards.redeemed)} redeemed. Not used yet: NT$${formatNtd(cards.owed)} (NT$${formatNtd(cards.unredeemed)} not redeemed, NT$${formatNtd(cards.unspent)} in wallets).`,
  ];
  return [`${from} to ${to}`, table, ...notes].join('\n');
}

function cellsOf({ requests, revenue, cost, loss, profit, margin }: Profit): string[] {
  const amount = (nano: Nano | null) => (nano === null ? UNKNOWN : formatNtd(nano));
  return [
    String(requests),
    amount(revenue),
    amount(cost),
    amount(loss),
    amount(profit),
    margin === null ? '-' : `${percentOf(margin).toFixed(1)} %`,
  ];
}
