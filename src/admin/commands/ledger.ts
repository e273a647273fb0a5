// ledger audit: recomputes every invariant from the entries.

import { counted } from '../../kit/counted.ts';
import { formatNtd } from '../../kit/money.ts';
import { runFullAudit } from '../actions/ledger.ts';
import { ACTOR, type Command, CommandRefused, noArguments } from './command.ts';
import { printDifferences } from './print-differences.ts';
import { printTable } from './print-table.ts';

export const ledgerCommands: readonly Command[] = [
  {
    words: 'ledger audit',
    takes: '',
    about: 'recompute every invariant from the entries; prints the differences and exits with 1 if one fails',
    options: [],
    async run({ args, open }) {
      noArguments(args);
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
      return {
        facts,
        text: [
          `clean: ${counted(wallets, 'wallet', 'wallets')}, ${counted(entries, 'entry', 'entries')}, total 0`,
          printTable(
            ['internal account', 'NT$'],
            Object.entries(house).map(([name, amount]) => [name, formatNtd(amount)]),
          ),
        ].join('\n'),
      };
    },
  },
];
