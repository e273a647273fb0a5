/** @jsxImportSource hono/jsx */
// Money by day, as bars, with its sum in words. Days of which nothing is known are left out.

import type { Nano } from '../../../kit/money.ts';
import { money } from '../../../site/format.ts';
import { type Language, wordsOf } from '../../../site/language.ts';
import { Bars } from './bars.tsx';

interface MoneyBarsProps {
  language: Language;
  days: readonly { day: string; amount: Nano | null }[];
  /** What the chart says, of the sum. */
  label: (total: string) => string;
}

const PER_MILLE = 1_000n;

export function MoneyBars({ language, days: all, label }: MoneyBarsProps) {
  const { colon } = wordsOf(language).account;
  const days = all.flatMap(({ day, amount }) => (amount === null ? [] : [{ day, amount }]));
  const most = days.reduce((highest, { amount }) => (amount > highest ? amount : highest), 1n);
  const total = money(days.reduce((sum, { amount }) => sum + amount, 0n));
  const bars = days.map(({ day, amount }) => ({
    height: amount === 0n ? null : Number((amount * PER_MILLE) / most) / Number(PER_MILLE),
    title: day + colon + money(amount),
  }));
  return (
    <>
      <Bars bars={bars} label={label(total)} />
      <p class="faint">
        {days[0]?.day} – {days.at(-1)?.day}
        {colon}
        <span class="number">{total}</span>
      </p>
    </>
  );
}
