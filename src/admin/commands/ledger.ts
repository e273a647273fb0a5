// ledger audit, profit, losses: whether the books are right, and what was earned and lost.

import { counted } from '../../kit/counted.ts';
import { formatNtd, type Nano } from '../../kit/money.ts';
import { percentOf } from '../../kit/percent.ts';
import { runFullAudit } from '../actions/ledger.ts';
import {
  LOSS_BY,
  MAX_LOSS_DAYS,
  PROFIT_BY,
  PROFIT_DAYS,
  type Profit,
  type ProfitView,
  showLosses,
  showProfit,
} from '../actions/profit.ts';
import { publicView } from '../api/public-view.ts';
import { ACTOR, type Command, CommandRefused, WrongUsage } from './command.ts';
import { printDifferences, printTable } from './print-table.ts';

const UNKNOWN = '?';

export const ledgerCommands: readonly Command[] = [
  {
    words: 'ledger audit',
    takes: '',
    about: 'recompute every invariant from the entries; prints the differences and exits with 1 if one fails',
    async run({ open }) {
      const { report } = await runFullAudit(await open(), ACTOR);
      const { wallets, entries, differences, total, house } = report;
      const facts = {
        ok: differences.length === 0,
        wallets,
        entries,
        total_nano: total.toString(),
        house: Object.fromEntries(Object.entries(house).map(([name, amount]) => [name, amount.toString()])),
        differences,
      };
      if (differences.length > 0) throw new CommandRefused(printDifferences(differences), facts);
      const table = printTable(
        ['internal account', 'NT$'],
        Object.entries(house).map(([name, amount]) => [name, formatNtd(amount)]),
      );
      const clean = `clean: ${counted(wallets, 'wallet', 'wallets')}, ${counted(entries, 'entry', 'entries')}, total 0`;
      return { facts, text: `${clean}\n${table}` };
    },
  },
  {
    words: 'profit',
    takes: `[--by ${PROFIT_BY.join('|')}] [--days ${PROFIT_DAYS.join('|')}]`,
    about:
      'what customers paid, what upstreams bill for it, losses and profit; by default by model, for 7 days including today',
    async run({ options, open }) {
      const by = oneOf('by', PROFIT_BY, options.by ?? 'model');
      const days = Number(oneOf('days', PROFIT_DAYS.map(String), options.days ?? '7'));
      const view = await showProfit(await open(), { by, days });
      const { from, to, rows, hasMore, total } = view;
      const { sold, redeemed, unredeemed, unspent, owed, balances } = view.cards;
      const data = rows.map(({ key, ...profit }) => ({ key, ...profit }));
      const cards = { sold, redeemed, unredeemed, unspent, owed, balances };
      return { facts: publicView({ by, days, from, to, data, hasMore, total, cards }), text: profitText(view) };
    },
  },
  {
    words: 'losses',
    takes: `[--by ${LOSS_BY.join('|')}] [--days N]`,
    about: `what upstreams billed and no customer paid; by default by reason, for 7 days including today (at most ${MAX_LOSS_DAYS})`,
    async run({ options, open }) {
      const by = oneOf('by', LOSS_BY, options.by ?? 'reason');
      const days = readDays(options.days ?? '7');
      const { from, to, sums, hasMore, losses, total } = await showLosses(await open(), { by, days });
      const data = sums.map(({ key, losses: count, amount }) => ({ key, losses: count, loss: amount }));
      const rows = sums.map(({ key, losses: count, amount }) => [key ?? '-', String(count), formatNtd(amount)]);
      const whole = `${counted(losses, 'loss', 'losses')} from ${from} to ${to}, together NT$${formatNtd(total)}`;
      return {
        facts: publicView({ by, days, from, to, data, hasMore, losses, total }),
        text: losses === 0 ? whole : `${whole}\n${printTable([by, 'losses', 'NT$'], rows)}`,
      };
    },
  },
];

function oneOf<Choice extends string>(name: string, choices: readonly Choice[], text: string): Choice {
  const choice = choices.find((one) => one === text);
  if (choice === undefined) throw new WrongUsage(`--${name} must be one of ${choices.join(', ')}`);
  return choice;
}

function readDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_LOSS_DAYS) throw new WrongUsage(`--days must be a number from 1 to ${MAX_LOSS_DAYS}`);
  return days;
}

function profitText({ by, from, to, rows, hasMore, total, cards }: ProfitView): string {
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
  const amounts = [revenue, cost, loss, profit].map((nano: Nano | null) => (nano === null ? UNKNOWN : formatNtd(nano)));
  return [String(requests), ...amounts, margin === null ? '-' : `${percentOf(margin).toFixed(1)} %`];
}
