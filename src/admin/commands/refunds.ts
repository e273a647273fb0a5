// accounts refund, payout.

import { formatNtd, moneyFields } from '../../kit/money.ts';
import { readAmount, readFee } from '../actions/read-input.ts';
import { payout, refund } from '../actions/refunds.ts';
import { ACTOR, type Command, oneArgument, requiredOption } from './command.ts';

export const refundCommands: readonly Command[] = [
  {
    words: 'accounts refund',
    takes: 'ID (--request ID | --amount NTD) [--card SERIAL] --reason TEXT',
    about: 'return the cost of a request, a part of it, or an amount to the balance',
    options: ['request', 'card', 'amount', 'reason'],
    async run({ args, options, open }) {
      const accountId = oneArgument(args, 'ID');
      const given = {
        requestId: options.request,
        card: options.card,
        amount: options.amount === undefined ? undefined : readAmount(options.amount),
        reason: requiredOption(options, 'reason'),
      };
      const { amount, balance } = await refund(await open(), accountId, { ...given, actor: ACTOR });
      return {
        facts: { account_id: accountId, ...moneyFields('amount', amount), ...moneyFields('balance', balance) },
        text: `refunded NT$${formatNtd(amount)}; the balance is NT$${formatNtd(balance)}`,
      };
    },
  },
  {
    words: 'accounts payout',
    takes: 'ID --amount NTD [--fee NTD] --reason TEXT',
    about: 'book paid balance that was sent back to the customer',
    options: ['amount', 'fee', 'reason'],
    async run({ args, options, open }) {
      const accountId = oneArgument(args, 'ID');
      const amount = readAmount(requiredOption(options, 'amount'));
      const fee = options.fee === undefined ? 0n : readFee(options.fee);
      const reason = requiredOption(options, 'reason');
      const { balance } = await payout(await open(), accountId, { amount, fee, reason, actor: ACTOR });
      return {
        facts: {
          account_id: accountId,
          ...moneyFields('amount', amount),
          ...moneyFields('fee', fee),
          ...moneyFields('balance', balance),
        },
        text: `paid out NT$${formatNtd(amount)}; the balance is NT$${formatNtd(balance)}`,
      };
    },
  },
];
