/** @jsxImportSource hono/jsx */
// Explains a failed request: the cause, the charge and its reason, and the remedy.

import { isFailed } from '../../store/failed-requests.ts';
import type { UsageRecord } from '../../store/rows.ts';
import { money, sentences } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { statusName } from '../parts/attempts.tsx';

type Ended = Pick<UsageRecord, 'status' | 'rule' | 'cost' | 'held'>;

export function Ending({ language, record }: { language: Language; record: Ended }) {
  if (record.status === 'ok') return null;
  const { account } = wordsOf(language);
  const { cause, remedy } = endingOf(language, record.status);
  return (
    <section class={isFailed(record.status) ? 'notice is-bad' : 'notice is-warning'}>
      <h2>{account.endingTitle}</h2>
      <p>{sentences(cause, chargeText(language, record))}</p>
      {remedy === '' ? null : <p>{remedy}</p>}
    </section>
  );
}

function endingOf(language: Language, status: string): { cause: string; remedy: string } {
  const endings: Readonly<Record<string, { cause: string; remedy: string }>> = wordsOf(language).account.endings;
  return endings[status] ?? { cause: `${statusName(language, status)}.`, remedy: '' };
}

/** A charge in the words of the rule that decided it. */
function chargeText(language: Language, { rule, cost, held }: Ended): string {
  const { usage, usageView } = wordsOf(language).account;
  if (cost === 0n) return usageView.free;
  return rule === null ? usageView.charged(money(cost)) : usage.rules[rule](money(cost), money(held));
}
