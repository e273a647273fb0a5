// losses: what upstreams billed and no customer paid.

import { counted } from '../../kit/counted.ts';
import { formatNtd, moneyFields } from '../../kit/money.ts';
import { LOSS_BY, type LossBy, MAX_LOSS_DAYS, showLosses } from '../actions/losses.ts';
import { type Command, noArguments, WrongUsage } from './command.ts';
import { printTable } from './print-table.ts';

export const lossCommands: readonly Command[] = [
  {
    words: 'losses',
    takes: `[--by ${LOSS_BY.join('|')}] [--days N]`,
    about: `what upstreams billed and no customer paid; by default by reason, for 7 days including today (at most ${MAX_LOSS_DAYS})`,
    options: ['by', 'days'],
    async run({ args, options, open }) {
      noArguments(args);
      const by = readBy(options.by ?? 'reason');
      const days = readDays(options.days ?? '7');
      const { from, to, sums, hasMore, losses, total } = await showLosses(await open(), { by, days });
      const facts = {
        by,
        days,
        from,
        to,
        data: sums.map(({ key, losses: count, amount }) => ({ key, losses: count, ...moneyFields('loss', amount) })),
        has_more: hasMore,
        losses,
        ...moneyFields('total', total),
      };
      const rows = sums.map(({ key, losses: count, amount }) => [key ?? '-', String(count), formatNtd(amount)]);
      const whole = `${counted(losses, 'loss', 'losses')} from ${from} to ${to}, together NT$${formatNtd(total)}`;
      return { facts, text: losses === 0 ? whole : `${whole}\n${printTable([by, 'losses', 'NT$'], rows)}` };
    },
  },
];

function readBy(text: string): LossBy {
  const by = LOSS_BY.find((name) => name === text);
  if (!by) throw new WrongUsage(`--by must be one of ${LOSS_BY.join(', ')}`);
  return by;
}

function readDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_LOSS_DAYS) throw new WrongUsage(`--days must be a number from 1 to ${MAX_LOSS_DAYS}`);
  return days;
}
