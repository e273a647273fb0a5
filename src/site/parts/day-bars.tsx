/** @jsxImportSource hono/jsx */
// Ninety days as ninety bars. The worse a day, the taller its bar: colour alone says nothing to some.

import type { Child } from 'hono/jsx';
import { type Language, wordsOf } from '../language.ts';
import type { StateName } from './state.tsx';

const BAR = 3;
const STEP = 4;
const HEIGHT = 24;
const HEIGHTS: Record<StateName, number> = { unknown: 5, operational: 15, degraded: 20, down: HEIGHT };

const LEGEND: readonly StateName[] = ['operational', 'degraded', 'down', 'unknown'];

interface DayBarsProps {
  language: Language;
  days: readonly { day: string; state: StateName }[];
}

/** Of a day long ago nothing is recent. */
function stateOfDay(language: Language, state: StateName): string {
  const { status } = wordsOf(language);
  return state === 'unknown' ? status.noTraffic : status[state];
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
        <Bar state={state} x={index * STEP}>
          <title>{day + account.colon + stateOfDay(language, state)}</title>
        </Bar>
      ))}
    </svg>
  );
}

/** Titles of bars are not for fingers: what a colour and a height mean stands below them all. */
export function DayBarsLegend({ language }: { language: Language }) {
  return (
    <p class="faint legend">
      {wordsOf(language).status.legend}
      {LEGEND.map((state) => (
        <span>
          <svg class="bars" viewBox={`0 0 ${BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            <Bar state={state} />
          </svg>
          {stateOfDay(language, state)}
        </span>
      ))}
    </p>
  );
}

function Bar({ state, x = 0, children }: { state: StateName; x?: number; children?: Child }) {
  return (
    <rect class={state} x={x} y={HEIGHT - HEIGHTS[state]} width={BAR} height={HEIGHTS[state]}>
      {children}
    </rect>
  );
}
