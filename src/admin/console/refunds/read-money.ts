// Reads the amount and the reason of a form that moves money.

import { money } from '../../../site/format.ts';
import { plainNumber, typed } from '../../../site/read-form.ts';
import { MAX_AMOUNT, readAmount } from '../../actions/read-input.ts';
import { type Faults, refuseFaults, unlessRefused } from '../refused.ts';
import type { ConsoleVisit } from '../visits.tsx';

interface MoneyWords {
  wrongReason: string;
  wrongAmount(most: string): string;
}

/** `more`: what else of the form is wrong. */
export function readMoney({ form }: Pick<ConsoleVisit, 'form'>, words: MoneyWords, more: Faults = {}) {
  const reason = typed(form, 'reason');
  const amount = unlessRefused(() => readAmount(plainNumber(typed(form, 'amount'))));
  refuseFaults({
    ...(reason === '' ? { reason: words.wrongReason } : {}),
    ...(amount === undefined ? { amount: words.wrongAmount(money(MAX_AMOUNT)) } : {}),
    ...more,
  });
  return { amount: amount ?? 0n, reason };
}
