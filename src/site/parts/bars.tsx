/** @jsxImportSource hono/jsx */
// Bar charts: rendered without a script, with a text for screen readers.

import type { Nano } from '../../kit/money.ts';
import { money, roundedMoney } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';

interface Bar {
  /** 0 to 1; null where there is nothing to show. */
  height: number | null;
  /** What it says when pointed at. */
  title: string;
  kind?: 'operational' | 'degraded' | 'down';
}

const BAR = 18;
const STEP = 22;
const HEIGHT = 100;
/** The smallest visible bar. */
const LEAST = 3;

export function Bars({
  bars,
  label,
  look = ' is-chart',
}: {
  bars: readonly Bar[];
  label: string;
  look?: string | undefined;
}) {
  return (
    <svg
      class={`bars${look}`}
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ height, title, kind }, index) => {
        const tall = height === null ? 1 : Math.max(LEAST, height * HEIGHT);
        const look = height === null ? 'none' : (kind ?? 'some');
        return (
          <rect class={look} x={index * STEP + 2} y={HEIGHT - tall} width={BAR} height={tall}>
            <title>{title}</title>
          </rect>
        );
      })}
    </svg>
  );
}

interface MoneyDay {
  /** As 2026-11-15. */
  day: string;
  /** Null where nothing is known: it is left out. */
  amount: Nano | null;
}

interface MoneyBarsProps {
  language: Language;
  look?: string | undefined;
  days: readonly MoneyDay[];
  /** What the chart says, of the sum. */
  label: (total: string) => string;
}

const PER_MILLE = 1_000n;

/** Money by day, with its sum in words. */
export function MoneyBars({ language, look, days: all, label }: MoneyBarsProps) {
  const { colon } = wordsOf(language).account;
  const days = all.flatMap(({ day, amount }) => (amount === null ? [] : [{ day, amount }]));
  const most = days.reduce((high, { amount }) => (amount > high ? amount : high), 1n);
  const total = roundedMoney(days.reduce((sum, { amount }) => sum + amount, 0n));
  const bars = days.map(({ day, amount }) => ({
    height: amount === 0n ? null : Number((amount * PER_MILLE) / most) / Number(PER_MILLE),
    title: day + colon + money(amount),
  }));
  return (
    <>
      <Bars bars={bars} label={label(total)} look={look} />
      <p class="faint">
        {days[0]?.day} – {days.at(-1)?.day}
        {colon}
        <span class="number">{total}</span>
      </p>
    </>
  );
}
