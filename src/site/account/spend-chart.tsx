/** @jsxImportSource hono/jsx */
// What was spent day by day, drawn on the server: thirty bars; and in words their sum, the highest of them and
// each that cost something, for who does not see them or has no mouse to ask them.

import type { Nano } from '../../kit/money.ts';
import { money } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { Scroll } from '../parts/scroll.tsx';

export interface SpendDay {
  /** As 2026-11-15. */
  day: string;
  cost: Nano;
}

const WIDTH = 20;
const STEP = 24;
const HEIGHT = 120;

interface ChartProps {
  days: readonly SpendDay[];
  language: Language;
}

export function SpendChart({ days, language }: ChartProps) {
  const { overview, colon } = wordsOf(language).account;
  const total = days.reduce((sum, { cost }) => sum + cost, 0n);
  const most = days.reduce((highest, { cost }) => (cost > highest ? cost : highest), 1n);
  const highest = days.find(({ cost }) => cost === most);
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
        {highest === undefined ? null : (
          <>
            <br />
            {overview.highest(highest.day, money(highest.cost))}
          </>
        )}
      </p>
      <DaysInWords days={days} language={language} />
    </>
  );
}

function DaysInWords({ days, language }: ChartProps) {
  const { overview } = wordsOf(language).account;
  const paid = days.filter(({ cost }) => cost > 0n).toReversed();
  if (paid.length === 0) return null;
  return (
    <details>
      <summary>{overview.byDay}</summary>
      <Scroll label={overview.byDay}>
        <table class="flows">
          <tbody>
            {paid.map(({ day, cost }) => (
              <tr>
                <td class="number">{day}</td>
                <td class="right number">{money(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}
