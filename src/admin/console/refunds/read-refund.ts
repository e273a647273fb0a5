// Reads the amount and the reason of a refund from its form.

import { money } from '../../../site/format.ts';
import { plainNumber, typed } from '../../../site/read-form.ts';
import { MAX_AMOUNT, readAmount } from '../../actions/read-input.ts';
import { unlessRefused } from '../refused.ts';
import type { ConsoleVisit } from '../visits.tsx';

export function readRefund({ form, page: { words } }: Pick<ConsoleVisit, 'form' | 'page'>) {
  const { wrongReason, wrongAmount } = words.refunds;
  const reason = typed(form, 'reason');
  const amount = unlessRefused(() => readAmount(plainNumber(typed(form, 'amount'))));
  const faults: Readonly<Record<string, string>> = {
    ...(reason === '' ? { reason: wrongReason } : {}),
    ...(amount === undefined ? { amount: wrongAmount(money(MAX_AMOUNT)) } : {}),
  };
  return { given: amount === undefined || reason === '' ? undefined : { amount, reason }, faults };
}
