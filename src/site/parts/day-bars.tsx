// Ninety days as ninety bars.

import type { StateName } from './state.tsx';

const BAR = 3;
const STEP = 4;
const HEIGHT = 24;

export function DayBars({ days, label }: { days: readonly { day: string; state: StateName }[]; label: string }) {
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {days.map(({ day, state }, index) => (
        <rect class={state} x={index * STEP} y={0} width={BAR} height={HEIGHT}>
          <title>{day}</title>
        </rect>
      ))}
    </svg>
  );
}
