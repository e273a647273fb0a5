/** @jsxImportSource hono/jsx */
// The state of a model or channel: now, as a mark that does not rely on color alone; and for ninety days, as ninety bars.
// The worse a day, the taller its bar.

import type { State as StateName } from '../../catalog/publishing/status-states.ts';
import { type Language, wordsOf } from '../language.ts';

export type { StateName };

export function State({ language, state }: { language: Language; state: StateName }) {
  return <span class={`state ${state}`}>{wordsOf(language).status[state]}</span>;
}

const BAR = 3;
const GAP = 1;
const STEP = BAR + GAP;
const HEIGHT = 24;
const HEIGHTS: Record<StateName, number> = { unknown: 5, operational: 15, degraded: 20, down: HEIGHT };

const LEGEND: readonly StateName[] = ['operational', 'degraded', 'down', 'unknown'];

interface DayBarsProps {
  language: Language;
  days: readonly { day: string; state: StateName }[];
}

/** The texts of a past day do not say "recent". */
function stateOfDay(language: Language, state: StateName): string {
  const { status } = wordsOf(language);
  return state === 'unknown' ? status.noTraffic : status[state];
}

export function DayBars({ language, days }: DayBarsProps) {
  const { status } = wordsOf(language);
  const tally = (...states: StateName[]) => days.filter(({ state }) => states.includes(state)).length;
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={status.daysLabel(tally('operational'), tally('degraded', 'down'), tally('unknown'))}
    >
      {runsOf(days).map((run) => (
        <Bars language={language} run={run} />
      ))}
    </svg>
  );
}

interface Run {
  state: StateName;
  from: number;
  count: number;
  firstDay: string;
  lastDay: string;
}

/** Consecutive equal days are one element, so that a page with many channels stays small. */
function runsOf(days: DayBarsProps['days']): Run[] {
  const runs: Run[] = [];
  for (const [from, { day, state }] of days.entries()) {
    const last = runs.at(-1);
    if (last?.state === state) {
      last.count++;
      last.lastDay = day;
    } else runs.push({ state, from, count: 1, firstDay: day, lastDay: day });
  }
  return runs;
}

/** One line as thick as its bars are tall, with gaps in it. */
function Bars({ language, run: { state, from, count, firstDay, lastDay } }: { language: Language; run: Run }) {
  const when = count === 1 ? firstDay : `${firstDay} – ${lastDay}`;
  return (
    <path
      class={state}
      d={`M${from * STEP} ${HEIGHT - HEIGHTS[state] / 2}h${count * STEP - GAP}`}
      stroke-width={HEIGHTS[state]}
      stroke-dasharray={`${BAR} ${GAP}`}
    >
      <title>{when + wordsOf(language).account.colon + stateOfDay(language, state)}</title>
    </path>
  );
}

/** Titles of bars cannot be seen on touch screens, so a legend explains colours and heights. */
export function DayBarsLegend({ language }: { language: Language }) {
  return (
    <p class="faint legend">
      {wordsOf(language).status.legend}
      {LEGEND.map((state) => (
        <span>
          <svg class="bars" viewBox={`0 0 ${BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            <rect class={state} y={HEIGHT - HEIGHTS[state]} width={BAR} height={HEIGHTS[state]} />
          </svg>
          {stateOfDay(language, state)}
        </span>
      ))}
    </p>
  );
}
