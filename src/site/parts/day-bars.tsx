/** @jsxImportSource hono/jsx */
// Ninety days as ninety bars. The worse a day, the taller its bar: colour alone says nothing to some.

import { type Language, wordsOf } from '../language.ts';
import type { StateName } from './state.tsx';

const BAR = 3;
const STEP = 4;
const HEIGHT = 24;
const HEIGHTS: Record<StateName, number> = { unknown: 5, operational: 15, degraded: 20, down: HEIGHT };

interface DayBarsProps {
  language: Language;
  days: readonly { day: string; state: StateName }[];
}

export function DayBars({ language, days }: DayBarsProps) {
  const { status, account } = wordsOf(language);
  const tally = (...states: StateName[]) => days.filter(({ state }) => states.includes(state)).length;
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={status.daysLabel(tally('operational'), tally('degraded', 'down'), tally('unknown'))}
    >
      {days.map(({ day, state }, index) => (
        <rect class={state} x={index * STEP} y={HEIGHT - HEIGHTS[state]} width={BAR} height={HEIGHTS[state]}>
          <title>{day + account.colon + status[state]}</title>
        </rect>
      ))}
    </svg>
  );
}
