/** @jsxImportSource hono/jsx */
// The state of a model or channel: now, as a mark that does not rely on color alone; and for ninety days, as ninety bars.
// The worse a day, the taller its bar. Bars are rendered without a script, with a text for screen readers.

import type { State as StateName } from '../../catalog/publishing/status-states.ts';
import { type Language, wordsOf } from '../language.ts';

export type { StateName };

export function State({ language, state }: { language: Language; state: StateName }) {
  return <span class={`state ${state}`}>{wordsOf(language).status[state]}</span>;
}

const HEIGHT = 24;
const HEIGHTS: Record<StateName, number> = { unknown: 5, operational: 15, degraded: 20, down: HEIGHT };
const DAYS = { bar: 3, gap: 1, start: 0, height: HEIGHT };

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
  const { status, account } = wordsOf(language);
  const tally = (...states: StateName[]) => days.filter(({ state }) => states.includes(state)).length;
  const titleOf = ({ look, from, count }: Run<StateName>) => {
    const [first, last] = [days[from]?.day, days[from + count - 1]?.day];
    return (first === last ? `${first}` : `${first} – ${last}`) + account.colon + stateOfDay(language, look);
  };
  return (
    <Strip
      bars={days.map(({ state }) => ({ look: state, tall: HEIGHTS[state] }))}
      size={DAYS}
      label={status.daysLabel(tally('operational'), tally('degraded', 'down'), tally('unknown'))}
      titleOf={titleOf}
    />
  );
}

interface Bar {
  /** 0 to 1; null where there is nothing to show. */
  height: number | null;
  kind: 'operational' | 'degraded' | 'down';
}

/** The smallest visible bar. */
const MIN_HEIGHT = 3;
const PARTS = { bar: 18, gap: 4, start: 2, height: 100 };

/** For the rows of a table. */
export function Bars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const shown = bars.map(({ height, kind }) => ({
    look: height === null ? 'none' : kind,
    tall: height === null ? 1 : Math.max(MIN_HEIGHT, Math.round(height * PARTS.height)),
  }));
  return <Strip bars={shown} size={PARTS} label={label} />;
}

interface Run<Look extends string> {
  look: Look;
  tall: number;
  from: number;
  count: number;
}

interface StripProps<Look extends string> {
  bars: readonly Pick<Run<Look>, 'look' | 'tall'>[];
  size: typeof DAYS;
  label: string;
  titleOf?: (run: Run<Look>) => string;
}

/** Each element is one line as thick as its bars are tall, with gaps in it. */
function Strip<Look extends string>({ bars, size, label, titleOf }: StripProps<Look>) {
  const { bar, gap, start, height } = size;
  const step = bar + gap;
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${Math.max(1, bars.length) * step} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {runsOf(bars).map((run) => (
        <path
          class={run.look}
          d={`M${run.from * step + start} ${height - run.tall / 2}h${run.count * step - gap}`}
          stroke-width={run.tall}
          stroke-dasharray={`${bar} ${gap}`}
        >
          {titleOf ? <title>{titleOf(run)}</title> : null}
        </path>
      ))}
    </svg>
  );
}

/** Consecutive equal bars are one element, so that a page with many charts stays small. */
function runsOf<Look extends string>(bars: StripProps<Look>['bars']): Run<Look>[] {
  const runs: Run<Look>[] = [];
  for (const [from, { look, tall }] of bars.entries()) {
    const last = runs.at(-1);
    if (last?.look === look && last.tall === tall) last.count++;
    else runs.push({ look, tall, from, count: 1 });
  }
  return runs;
}

/** Titles of bars cannot be seen on touch screens, so a legend explains colours and heights. */
export function DayBarsLegend({ language }: { language: Language }) {
  return (
    <p class="faint legend">
      {wordsOf(language).status.legend}
      {LEGEND.map((state) => (
        <span>
          <svg class="bars" viewBox={`0 0 ${DAYS.bar} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            <rect class={state} y={HEIGHT - HEIGHTS[state]} width={DAYS.bar} height={HEIGHTS[state]} />
          </svg>
          {stateOfDay(language, state)}
        </span>
      ))}
    </p>
  );
}
