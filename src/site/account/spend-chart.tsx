/** @jsxImportSource hono/jsx */
// What was spent day by day, drawn on the server: thirty bars, their sum in words for who does not see them.

import type { Nano } from '../../kit/money.ts';
import { money } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';

export interface SpendDay {
  /** As 2026-11-15. */
  day: string;
  cost: Nano;
}

const WIDTH = 20;
const STEP = 24;
const HEIGHT = 120;

export function SpendChart({ days, language }: { days: readonly SpendDay[]; language: Language }) {
  const { overview, colon } = wordsOf(language).account;
  const total = days.reduce((sum, { cost }) => sum + cost, 0n);
  const most = days.reduce((highest, { cost }) => (cost > highest ? cost : highest), 1n);
  return (
    <>
      <svg
        class="bars is-spend"
        viewBox={`0 0 ${Math.max(1, days.length) * STEP} ${HEIGHT + 2}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={overview.spendLabel(money(total))}
      >
        {days.map(({ day, cost }, index) => {
          // A day with any cost at all is seen.
          const height = cost === 0n ? 1 : Math.max(3, Number((cost * BigInt(HEIGHT)) / most));
          return (
            <rect
              class={cost === 0n ? 'none' : 'some'}
              x={index * STEP + 2}
              y={HEIGHT - height}
              width={WIDTH}
              height={height}
            >
              <title>{day + colon + money(cost)}</title>
            </rect>
          );
        })}
      </svg>
      <p class="faint">
        {days[0]?.day} – {days.at(-1)?.day}
        {colon}
        <span class="number">{money(total)}</span>
      </p>
    </>
  );
}
